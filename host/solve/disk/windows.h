// windows.h - passes over all windows of some planes
//
// There are two sets of windows in memory. While the caller's threads work on one of them, a transfer thread (with
// helpers)
//
// 1. writes from the other one what was worked on before: the blocks that changed, and records of the log;
// 2. reads the next window into it.
//
// So a pass takes as long as the slower of work and disk. Example, windows 0 to 2 in sets A and B:
//
//     transfer   A: read 0    B: read 1    A: write 0, read 2    B: write 1    A: write 2
//     work                    A: 0         B: 1                  A: 2
#ifndef CLTB_SOLVE_DISK_WINDOWS_H
#define CLTB_SOLVE_DISK_WINDOWS_H

#include "solve/backend.h"
#include "solve/disk/scratch.h"
#include "solve/disk/shape.h"

struct stream_windows;

// What a pass does with one plane.
struct stream_role {
    unsigned plane; // number in the scratch
    bool load;      // its bits are needed; otherwise the window starts with arbitrary bits
    bool store;     // it changes, and must be written
    bool flags;     // the work uses flags that tell which tiles are empty
    int changed_by; // the role whose bits tell which blocks change; -1: all may
    bool log;       // its bits go to the log as well, in records of stream_piece_tiles() tiles
};

struct stream_pass {
    int side; // whose windows
    int roles;
    struct stream_role role[STREAM_ROLES];
    // Works on one window; `inner`: the inner planes by role. The inner backend's window is already set.
    int (*work)(void *context, uint32_t group, struct plane *const *inner);
    void *context;
    uint32_t first;        // only the windows from this one
    uint32_t last;         // to before this one, and
    const uint8_t *needed; // only those with a flag here: [groups of the side]; NULL: all
    uint32_t step;         // of the records in the log
    // The weight (layout_tile_weight()) of what goes to the log is added here; NULL: it is not counted.
    _Atomic uint64_t *weight;
};

struct stream_options {
    struct backend *inner;
    struct scratch *scratch;
    const struct stream_grid *grid;
    // Called before each window; a nonzero result ends the pass with CLTB_E_INTERRUPTED. May be NULL.
    int (*stop)(void *context);
    void *context;
};

int stream_windows_open(struct stream_windows **windows, const struct stream_options *options);
void stream_windows_close(struct stream_windows *windows);

// Gives the windows' memory back until the next pass.
void stream_windows_release(struct stream_windows *windows);

int stream_windows_run(struct stream_windows *windows, const struct stream_pass *pass);

static inline uint32_t stream_block(const struct stream_grid *grid, uint32_t row_group, uint32_t column_group)
{
    return row_group * grid->groups[WHITE] + column_group;
}

// The block in which window `group` of a side and window `other` of the other side meet.
static inline uint32_t stream_block_of(const struct stream_grid *grid, int side, uint32_t group, uint32_t other)
{
    return side == BLACK ? stream_block(grid, group, other) : stream_block(grid, other, group);
}

// Tiles of a window in one record.
static inline uint64_t stream_piece_tiles(const struct stream_grid *grid)
{
    return STREAM_LOG_BYTES / grid->tile_bytes;
}

// A block on disk: first a bit for each of its tiles, row by row, that tells whether the tile has any bits (padded to
// 64 bytes), then the tiles that have some.
//
// stream_block_in() copies a block into a window of a side, stream_block_out() copies it out. `active`: flags of the
// window's tiles. In: with `flags`, these tell which tiles have bits, otherwise all are 1; `block` may be NULL for
// zeros. Out: tiles without their flag count as zero; returns the number of bytes, 0 if no bit is set.
void stream_block_in(const struct stream_grid *grid, int side, uint32_t group, uint32_t other, const void *block,
                     uint64_t *bits, uint8_t *active, bool flags);
size_t stream_block_out(const struct stream_grid *grid, int side, uint32_t group, uint32_t other, void *block,
                        const uint64_t *bits, const uint8_t *active);

#endif
