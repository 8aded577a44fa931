// streamed.h - a backend whose planes lie on disk and pass through another backend in windows
//
// For pawnless endgames of four men or more. Results are those of the inner backend on whole planes, bit for bit,
// whatever the size of the windows.
//
// 1. The planes are cut into blocks (solve/disk/shape.h), and a window is all blocks that a side's moves connect: a row
//    of blocks for Black, a column for White. A step of a side needs one window of that side at a time.
// 2. Operations wait in a queue until one comes that needs windows of the other side, or more planes than a pass may
//    have. Then one pass over the windows does all of them (solve/disk/windows.h): while the inner backend works on a
//    window, the one before is written and the next one is read.
// 3. A step visits only the windows whose source plane has a bit.
// 4. Distances are planes that a step adds its new bits to. They are not kept as planes: the new bits go to the log
//    once, packed (table/packed_bits.h), with the set of planes that they belong to.
// 5. Between two plies, at most once in an interval, a checkpoint is saved (solve/disk/scratch.h).
// 6. The solution is read by windows of White's moves, each with all its planes. Distances with White to move are in
//    the log in such windows: each record is decompressed once, into every plane that it belongs to. Those with Black
//    to move are in windows of Black's moves: streamed_settle() makes their planes from the log first.
// 7. Several processes share out the windows, and keep planes in memory as far as they may. After streamed_settle()
//    each has all planes of its squares of the black king, from which it makes its sections of the table.
//
// Cost: a dense ply reads five planes and writes four, whatever the windows.
//
// Example: four blocks, and in ply 1 White mates from an entry of block 3 only.
//
//                        column 0   column 1
//              row 0     [block 0]  [block 1]
//              row 1     [block 2]  [block 3]
//
// White's step 1 logs that bit for column 1, with plane 0 of the distances (code 1 = binary 1), and writes block 3 of
// the new wins. Black's step 1 visits row 1 only, because row 0 has no new win: it reads blocks 2 and 3 of five planes,
// and finds losses in block 2. White's step 2 then visits column 0 only.
#ifndef CLTB_SOLVE_DISK_STREAMED_H
#define CLTB_SOLVE_DISK_STREAMED_H

#include "solve/disk/scratch.h"
#include "solve/disk/shape.h"
#include "solve/tile_source.h"
#include "util/peers.h"

struct streamed_options {
    const char *path;           // of the work file (solve/disk/scratch.h)
    const char *folder;         // with peers: the folder of `path`, by its name for the process (table/path.h)
    const char *identity;       // which a checkpoint must have, too
    struct scratch_shape shape; // of a new scratch (stream_choose_shape())
    uint64_t memory;            // for windows, if a checkpoint has another shape; 0: no limit
    uint64_t kept;              // part of `memory` for planes that are kept in memory
    uint64_t beside;            // taken by futurebases as well; for the figures of an error
    uint64_t block;             // least bytes of a block, also in resumed work; 0: any
    double interval;            // seconds between checkpoints
    int (*stop)(void *context); // see windows.h; may be NULL
    void *context;
    const struct peers *peers; // share the windows, each with a scratch of its own; NULL: none
    // Opens the inner backend for windows of `tiles` tiles.
    int (*open)(void *context, const struct layout *layout, uint64_t tiles, struct backend **inner);
};

// `*start` says whether an earlier run's work is resumed.
int backend_streamed_open(struct backend **backend, const struct layout *layout, const struct streamed_options *options,
                          enum scratch_start *start);

// Carries out the queued operations.
int streamed_flush(struct backend *backend);

// Makes closing the backend remove the scratch files; without this call they stay if there is a checkpoint.
void streamed_finished(struct backend *backend);

struct scratch_traffic streamed_traffic(const struct backend *backend);

// Some tiles with all positions of a side's longest win or loss, under the 50-move rule or beyond it.
struct longest_tiles {
    bool won;
    int ply;
    uint64_t count;
    const uint64_t *number; // [count]
    const uint64_t *bits;   // [count * tile_lanes / 64]
};

typedef int longest_visit(void *context, const struct longest_tiles *tiles);

// Shows the longest lines of a side, as far as they are in this process's log. Call it once the table is solved, before
// streamed_settle().
int streamed_longest(const struct solution *solution, int side, struct thread_pool *pool, longest_visit *visit,
                     void *context);

// Prepares a solution to be read by tiles, and gives the windows' memory back. Call it once the table is solved. With
// peers it prepares the tiles of this process's sections (peers_section_owner(); a section is a square of the black
// king). `visit`, if not NULL, is shown all tiles of both sides to move, each in one process; `resolved` is not NULL
// only for sides whose longest win is in 1 ply.
int streamed_settle(const struct solution *solution, struct thread_pool *pool, tile_pair_visit *visit, void *context);

// The tiles of a settled solution. While a window is visited, it is in memory with all its planes, which takes
// `*memory` bytes.
struct tile_source streamed_tiles(const struct solution *solution, uint64_t *memory);

#endif
