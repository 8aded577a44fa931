// counts.h - how many positions of a set of placements have which outcome and distance
#ifndef CLTB_PLACED_CHECK_COUNTS_H
#define CLTB_PLACED_CHECK_COUNTS_H

#include "chess/fen.h"
#include "placed/check/set.h"
#include "table/table.h"

struct longest_count {
    int plies; // -1: there is none
    char fen[FEN_MAX];
};

// By side to move and outcome + 2.
struct outcome_counts {
    uint64_t count[COLOURS][TABLE_OUTCOMES][TABLE_PLY_MAX + 1]; // [dtz]; draws: 0
    struct longest_count longest[COLOURS][TABLE_OUTCOMES];      // no draws; of all such positions the first FEN
    uint64_t undecided[COLOURS];                                // the outcome is not proved; these count nowhere else
    uint64_t bounds[COLOURS];                                   // the distance is not proved: the shorter one counts
};

// Looks at every entry. Each placement on the board counts once, without the right to capture en passant: symmetric
// images count separately, identical pieces do not.
int placed_count(struct outcome_counts *counts, const struct placed_set *set, struct thread_pool *pool);

#endif
