// sections.h - a solution's values in the order of a file, one square of the black king at a time
#ifndef CLTB_BUILD_SECTIONS_H
#define CLTB_BUILD_SECTIONS_H

#include "index/entry.h"
#include "solver/solver.h"
#include "util/threads.h"

// Symbols beside the real ones, which a stream's compression may replace. Those of a distance have two bytes where
// needed.
enum {
    FREE_ANY = 0xff,       // outcome: anything
    FREE_TO_DRAW = 0xfe,   // outcome: a draw or worse
    FREE_DISTANCE = 0xffff // distance: anything (as a byte: 0xff)
};

struct section_request {
    const struct solution *solution;
    int side;
    const struct entry_order *outcome_order;  // NULL: not wanted
    uint8_t *outcomes;                        // [per_king] enum cltb_outcome + 2, FREE_ANY or FREE_TO_DRAW
    const struct entry_order *distance_order; // NULL: not wanted
    unsigned distance_bytes;                  // 1 or 2
    void *distances;                          // [per_king] plies, or FREE_DISTANCE
    // Legal positions by value, each counted once for every placement on 64 squares with like men told apart; NULL: not
    // wanted.
    uint64_t *counts; // [VALUE_COUNTS]
};

enum { VALUE_COUNTS = 2 * (SOLVER_PLY_MAX + 2) };

int section_fill(const struct section_request *request, unsigned king, struct thread_pool *pool);

#endif
