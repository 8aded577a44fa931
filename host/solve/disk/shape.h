// shape.h - how the planes of a pawnless endgame are cut for streaming, and what that takes
//
// White's digits number the rows of a grid of tiles, the black king and Black's digits its columns (solve/blocks.h).
// Rows and columns are put together in groups of about equal size:
//
//                     column groups (windows of White's moves)
//                   0          1          2      ...
//     row group 0   [block 0]  [block 1]  [block 2]        a window of Black's moves = a row of blocks
//     row group 1   [block C]  [block C+1] ...
//     ...                                                  a window of White's moves = a column of blocks
//
// A block is the unit on disk: its tiles consecutively, row by row. Column groups never mix squares of the black king.
// Two sets of windows are in memory, with up to STREAM_ROLES planes each: one is worked on while the other is written
// and read.
#ifndef CLTB_SOLVE_DISK_SHAPE_H
#define CLTB_SOLVE_DISK_SHAPE_H

#include "solve/blocks.h"
#include "solve/disk/scratch.h"

enum {
    STREAM_ROLES = 4,          // planes that one operation needs
    STREAM_SETS = 2,           //
    STREAM_THREADS = 2,        // for reading and writing
    STREAM_LOG_BYTES = 1 << 21 // bits of a plane in one record of the log, at most
};

struct stream_grid {
    struct side_blocks at[COLOURS];
    uint32_t groups[COLOURS]; // windows of a side's moves: [BLACK] row groups, [WHITE] column groups
    size_t tile_bytes;
};

// Can this layout be streamed at all? (Four men or more, without pawns.)
bool stream_possible(const struct layout *layout);

int stream_grid_make(struct stream_grid *grid, const struct layout *layout, const struct scratch_shape *shape);
void stream_grid_free(struct stream_grid *grid);

// The first row or column of a window; with `group` = the number of windows, the end of the last one.
static inline uint64_t stream_first(const struct stream_grid *grid, int side, uint32_t group)
{
    return group * grid->at[side].blocks / grid->groups[side];
}

static inline uint64_t stream_count(const struct stream_grid *grid, int side, uint32_t group)
{
    return stream_first(grid, side, group + 1) - stream_first(grid, side, group);
}

// Bytes of the flags of a block on disk (windows.h).
static inline uint64_t stream_flag_bytes(uint64_t tiles)
{
    return (tiles + 511) / 512 * 64;
}

// The number of tiles in the largest window.
uint64_t stream_window_tiles(const struct stream_grid *grid);

// The coarsest shape that keeps a solver within `memory` bytes; CLTB_E_MEMORY with the least that is needed.
int stream_choose_shape(struct scratch_shape *shape, const struct layout *layout, uint64_t memory);

// Bytes of the largest block, including flags: of a shape, and of the coarsest possible shape.
uint64_t stream_block_bytes(const struct scratch_shape *shape, const struct layout *layout);
uint64_t stream_largest_block(const struct layout *layout);

// Bytes of a plane's largest window, including flags.
uint64_t stream_window_bytes(const struct scratch_shape *shape, const struct layout *layout);

// Bytes that the solver holds with that shape, without futurebases: windows, transfer buffers, the backend's own
// tables.
uint64_t stream_memory(const struct scratch_shape *shape, const struct layout *layout, int threads);

#endif
