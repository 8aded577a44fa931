// streamed.h - a backend whose planes lie on disk and pass through another backend in windows
//
// For pawnless endgames of four men or more. Results are those of the inner backend on whole planes, bit for bit, whatever the windows'
// size. Planes that a step adds its new bits to (the distances) are not kept as planes: the new bits go to the log once, packed
// (table/packed_bits.h), with the planes that they belong to.
//
// Operations without moves wait until the next operation that has some, so that one pass over the windows does them all.
#ifndef CLTB_SOLVE_DISK_STREAMED_H
#define CLTB_SOLVE_DISK_STREAMED_H

#include "solve/backend.h"
#include "solve/disk/scratch.h"
#include "solve/disk/shape.h"
#include "solve/solver.h"
#include "solve/tile_source.h"

struct streamed_options {
    const char *dir;            // of the scratch files
    const char *name;           // of the table
    const char *identity;       // what a checkpoint must have been made for
    struct scratch_shape shape; // of a new scratch (stream_choose_shape())
    uint64_t memory;            // that windows may take, for a checkpoint with another shape; 0: any
    uint64_t beside;            // that futurebases take beside them; for an error's figures
    uint64_t block;             // least bytes of a block, also of a scratch that is gone on with; 0: any
    double interval;            // seconds between checkpoints
    int (*stop)(void *context); // see windows.h; may be NULL
    void *context;
    // Opens the inner backend for windows of so many tiles.
    int (*open)(void *context, const struct layout *layout, uint64_t tiles, struct backend **inner);
};

// `*start`: whether work of an earlier run is gone on with.
int backend_streamed_open(struct backend **backend, const struct layout *layout, const struct streamed_options *options,
                          enum scratch_start *start);

// The scratch files go when the backend is closed; without this, they stay if there is a checkpoint.
void streamed_finished(struct backend *backend);

struct scratch_traffic streamed_traffic(const struct backend *backend);

// Makes a solution ready to be read by tiles, and gives the windows' memory back. To be called once it is solved.
int streamed_settle(const struct solution *solution, struct thread_pool *pool);

// The tiles of a settled solution. A window with all its planes is in memory while it is visited; `memory` bytes are what that takes.
struct tile_source streamed_tiles(const struct solution *solution, uint64_t *memory);

#endif
