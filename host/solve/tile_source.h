// tile_source.h - the tiles of a solved endgame without pawns, in memory or on disk
//
// A writer asks for all tiles of one side to move with the black king on one square, and looks at each by itself. The
// source decides in which order they come: from memory in the order of their numbers, a few at a time
// (solution_tiles()); from disk it loads a large window with some of those tiles, lets all threads visit parts of it,
// and continues with the next window.
#ifndef CLTB_SOLVE_TILE_SOURCE_H
#define CLTB_SOLVE_TILE_SOURCE_H

#include "solve/backend_bulk.h"
#include "solve/solution.h"
#include "util/threads.h"

// Which tiles are wanted: those in which the u digit of every piece i (also of blanks) is a set bit of u[i].
struct tile_filter {
    uint8_t u[LAYOUT_PIECES_MAX];
};

// Some tiles with the black king on the same square, in any order. They may include tiles that the filter does not
// want; the visitor ignores these.
struct tile_run {
    uint64_t count;         //
    uint64_t first;         // the tiles are first, first + 1, ..., first + count - 1
    const uint64_t *number; // or, if this is not NULL, those with these numbers: [count]
    // 1 to 8: of each 8 * across tiles, those in places i, i + across, ..., i + 7 * across differ only in the u digit
    // of the piece that the visitor named, which is 0, 1, ..., 7. 0: nothing is said about their order.
    uint64_t across;
    // The words of these tiles, consecutively, [count * tile_lanes / 64] of each plane. Distance planes that are all
    // zero may be NULL, `resolved` must not be NULL, and `stalemate` is ignored.
    struct slice_side planes;
};

// Called on any thread of the pool; `worker` is the thread's number (0..threads_count() - 1). A nonzero result stops
// the walk, which returns it.
typedef int tile_visit(void *context, const struct tile_run *run, int worker);

// Some tiles of both sides to move, with their numbers; the planes are as in struct tile_run.
struct tile_pair {
    uint64_t count;
    const uint64_t *number; // [count]
    struct slice_side side[COLOURS];
};

typedef int tile_pair_visit(void *context, const struct tile_pair *pair, int worker);

struct tile_source {
    const struct layout *layout;                    //
    const solver_value (*value)[2][DISTANCE_CODES]; // [side to move][1: won][code], as in struct solution
    bool kept[COLOURS];                             // distances, by side to move
    const int (*longest)[5];                        // [side to move][outcome + 2], as in struct solution
    bool together;                                  // each_run() heeds the piece that it is told
    void *context;
    // Shows each tile with the black king on square number `king` (0..9) that `filter` wants (NULL: all) once to
    // visit(). Called by one thread at a time, while no threads_each() of `pool` is running. A writer with little
    // memory calls it several times for the same king, with filters that divide its tiles. Without a filter runs have
    // all u digits of the piece `together`, if that costs little (`across`); -1: it does not matter.
    int (*each_run)(void *context, int side, unsigned king, const struct tile_filter *filter, int together,
                    struct thread_pool *pool, tile_visit *visit, void *visit_context);
    // Makes the symbols of a section, if a device can (backend.h), and fills in the request's planes; NULL: no device
    // can.
    int (*symbols)(void *context, int side, struct symbols_request *request, struct thread_pool *pool, bool *made);
};

static inline bool tile_wanted(const struct tile_filter *filter, const struct layout *layout, const uint8_t *u)
{
    if (filter == NULL)
        return true;
    for (int i = 0; i < layout->pieces; i++) {
        if (!(filter->u[i] >> u[i] & 1))
            return false;
    }
    return true;
}

// The source for a solution in the planes of a backend, which must outlive it and must have kept `resolved`.
struct tile_source solution_tiles(const struct solution *solution);

// Shows each tile of both sides once to visit(). The same conditions.
int solution_each_pair(const struct solution *solution, struct thread_pool *pool, tile_pair_visit *visit,
                       void *context);

#endif
