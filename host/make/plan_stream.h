// plan_stream.h - whether a pawnless table is solved in memory or with its planes on disk, and what that takes
//
// In memory, if all planes, the futurebases, and later the writer's arrays fit (the planes: into that of the device where
// there is one). Else the planes are streamed (solve/disk/shape.h): cut as coarsely as the memory allows, so that disk requests
// are as large as possible.
#ifndef CLTB_MAKE_PLAN_STREAM_H
#define CLTB_MAKE_PLAN_STREAM_H

#include "make/device.h"
#include "make/options.h"
#include "solve/disk/shape.h"

enum { PLAN_BLOCK_BYTES = 4 << 20 }; // of a block on disk at least, where memory allows; seed 001's figure

#define PLAN_NO_MEMORY UINT64_MAX

struct plan_stream {
    bool streamed;
    bool device_too_small;      // even for the smallest windows
    struct scratch_shape shape; // if so
    uint64_t memory;            // bytes at most
    uint64_t window_memory;     // of these: for windows, also of work that is gone on with
    uint64_t base_memory;       // for futurebases, beside windows
    uint64_t write_memory;      // that the writer may take
    uint64_t scratch_bytes;     // on disk at most; 0: none
    uint64_t ply_bytes;         // read and written in a dense ply
    uint64_t block_bytes;       // of the largest block on disk
    uint64_t block_memory; // what larger ones take, of PLAN_BLOCK_BYTES or the size that was asked for; 0: they are
    uint64_t block_least;  // bytes that were asked for, or the largest that there are; 0: nothing was
};

// `memory`: bytes that there are; `device`: what the device has. CLTB_E_MEMORY, with the least that is needed, if not even
// the smallest windows fit; the result is filled in all the same. Too small a block is no error here.
int plan_stream(struct plan_stream *plan, const struct material *material, const struct build_options *options,
                bool write, uint64_t memory, const struct device_limits *device);

#endif
