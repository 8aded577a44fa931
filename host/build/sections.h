// sections.h - values of a solved endgame in the order of a file, some sections at a time
#ifndef CLTB_BUILD_SECTIONS_H
#define CLTB_BUILD_SECTIONS_H

#include "index/entry.h"
#include "solver/solver.h"
#include "store/table.h"
#include "util/threads.h"

// Symbols beside the real ones, which a stream's compression may replace. Those of a distance have two bytes where
// needed.
enum {
    FREE_ANY = 0xff,       // outcome: anything
    FREE_TO_DRAW = 0xfe,   // outcome: a draw or worse
    FREE_DISTANCE = 0xffff // distance: anything (as a byte: 0xff)
};

// Both orders divide a table into the same sections.
struct section_request {
    int side;
    const struct entry_order *outcome_order;  //
    uint8_t *outcomes;                        // [count * per_section] enum cltb_outcome + 2, FREE_ANY or FREE_TO_DRAW
    const struct entry_order *distance_order; // NULL: not wanted
    unsigned distance_bytes;                  // 1 or 2
    void *distances;                          // [count * per_section] plies, or FREE_DISTANCE
    // Legal positions by outcome + 2 are added, each counted once for every placement on 64 squares, like men
    // interchangeable; NULL: not wanted.
    uint64_t *counts; // [TABLE_OUTCOMES]
};

// Fills sections first..first+count-1.
typedef int section_fill(const void *context, const struct section_request *request, uint64_t first, uint64_t count,
                         struct thread_pool *pool);

// For a table without pawns: `context` is a const struct solution, and a section is a square of the black king.
section_fill king_sections_fill;

#endif
