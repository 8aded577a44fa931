// plan_stream.h - whether a pawnless table is solved in memory or with its planes on disk, and the resources for it
//
// It is solved in memory if all planes, the futurebases and later the writer's arrays fit (on a device: if the planes
// fit into its memory), on the CPU also if they fit with distances packed. Otherwise the planes are streamed
// (solve/disk/shape.h). They are cut as coarsely as the memory allows, so that disk requests are as large as possible.
// Each of several processes has its share of them in memory if that and windows fit, and writes them for checkpoints.
#ifndef CLTB_MAKE_PLAN_STREAM_H
#define CLTB_MAKE_PLAN_STREAM_H

#include "make/device.h"
#include "make/plan_material.h"
#include "solve/disk/shape.h"

enum { PLAN_BLOCK_BYTES = 4 << 20 }; // least size of a block on disk, where memory allows

#define PLAN_NO_MEMORY UINT64_MAX

struct plan_stream {
    bool streamed;
    unsigned layout;            // flags of layout_init(): devices know no groups but a pair
    bool packed;                // in memory, with distances and finished planes packed
    bool device_too_small;      // even for the smallest windows
    struct scratch_shape shape; // if streamed
    uint64_t memory;            // most bytes that are taken
    uint64_t window_memory;     // of these: for windows, also when earlier work is resumed
    uint64_t kept_memory;       // of window_memory: for planes that one of several processes need not have on disk
    uint64_t base_memory;       // for futurebases, in addition to windows
    uint64_t write_memory;      // that the writers may take
    uint64_t scratch_bytes;     // most bytes on disk; 0: none
    uint64_t ply_bytes;         // read and written in a dense ply
    uint64_t block_bytes;       // of the largest block on disk
    // Memory that blocks of PLAN_BLOCK_BYTES or of the requested size take; 0: they have that size already.
    uint64_t block_memory;
    uint64_t block_least; // the requested size, or the largest possible one; 0: no size was requested
};

// `files`: see plan_material.h. `memory`: bytes that may be used; `device`: what the device has. CLTB_E_MEMORY, with
// the least that is needed, if not even the smallest windows fit; the result is filled in nevertheless. Blocks that are
// too small are not an error here.
int plan_stream(struct plan_stream *plan, const struct material *material, const struct build_options *options,
                unsigned files, uint64_t memory, const struct device_limits *device);

// CLTB_E_IO, with the figures, if the disk has too little space for a table's scratch files, or for those of one of
// several processes. The folder need not exist.
int plan_scratch_room(const char *dir, const struct material *material, uint64_t needed, const struct peers *peers);

#endif
