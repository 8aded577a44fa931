// windows.h - passes over all windows of some planes: read, work, write, the next window being read meanwhile
#ifndef CLTB_SOLVE_DISK_WINDOWS_H
#define CLTB_SOLVE_DISK_WINDOWS_H

#include "solve/backend.h"
#include "solve/disk/scratch.h"
#include "solve/disk/shape.h"

struct stream_windows;

// What a pass does with one plane.
struct stream_role {
    unsigned plane; // number in the scratch
    bool load;      // its bits are wanted; otherwise the window begins with any
    bool store;     // it has changed
    bool flags;     // whether a tile is empty is worth knowing
    int changed_by; // role whose fresh bits tell which blocks have changed; -1: all that are stored may have
    bool log;       // what is in it goes to the log as well
};

// The bits of one role's window go to the log in records of some tiles each.
struct stream_record {
    uint32_t group;
    uint32_t piece;  // tiles piece * stream_piece_tiles()... of the window
    uint64_t offset; // in the log
    uint64_t bytes;
};

struct stream_pass {
    int side; // whose windows
    int roles;
    struct stream_role role[STREAM_ROLES];
    // The work on one window, inner planes by role. The inner backend's window is in place.
    int (*work)(void *context, uint32_t group, struct plane *const *inner);
    void *context;
    const uint8_t *needed; // [groups of the side] or NULL: all
    // Called for each record of the role with `log`, from any thread, one at a time.
    int (*logged)(void *context, const struct stream_record *record);
};

struct stream_options {
    struct backend *inner;
    struct scratch *scratch;
    const struct stream_grid *grid;
    int (*stop)(
        void
            *context); // asked before each window: a non-zero result ends the pass with CLTB_E_INTERRUPTED; may be NULL
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

// The block of window `group` of a side that is also in window `other` of the other side.
static inline uint32_t stream_block_of(const struct stream_grid *grid, int side, uint32_t group, uint32_t other)
{
    return side == BLACK ? stream_block(grid, group, other) : stream_block(grid, other, group);
}

// Tiles of a window in one record.
static inline uint64_t stream_piece_tiles(const struct stream_grid *grid)
{
    return STREAM_LOG_BYTES / grid->tile_bytes;
}

// A block as it is on disk: a bit for each of its tiles, row by row, that tells whether it has any bits (padded to 64 bytes), then
// those that have, one behind the other.
//
// Copies one into a window of a side, or out of it. `active`: flags of the window's tiles. In: with `flags` they tell which tiles have
// bits, else they are 1. Out: tiles without their flag count as zero; returns the bytes, 0 if no bit is set.
void stream_block_in(const struct stream_grid *grid, int side, uint32_t group, uint32_t other, const void *block,
                     uint64_t *bits, uint8_t *active, bool flags);
size_t stream_block_out(const struct stream_grid *grid, int side, uint32_t group, uint32_t other, void *block,
                        const uint64_t *bits, const uint8_t *active);

// In, for a block of zeros.
void stream_block_clear(const struct stream_grid *grid, int side, uint32_t group, uint32_t other, uint64_t *bits,
                        uint8_t *active, bool flags);

#endif
