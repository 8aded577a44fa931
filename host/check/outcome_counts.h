// outcome_counts.h - how many positions have which outcome and distance, counted by several threads
//
// Restricted endgames and files of structures are counted with it; full tables have statistics of their own (stats.h).
#ifndef CLTB_CHECK_OUTCOME_COUNTS_H
#define CLTB_CHECK_OUTCOME_COUNTS_H

#include "chess/fen.h"
#include "table/table.h"

struct longest_count {
    int plies; // -1: there is none
    char fen[FEN_MAX];
};

// By side to move and outcome + 2.
struct outcome_counts {
    uint64_t count[COLOURS][TABLE_OUTCOMES][TABLE_PLY_MAX + 1]; // [dtz]; draws: 0
    struct longest_count longest[COLOURS][TABLE_OUTCOMES];      // no draws; of all such positions the first FEN
};

void counts_clear(struct outcome_counts *counts);

// Counts a position `weight` times for the side that is to move.
void counts_add(struct outcome_counts *counts, const struct position *position, int outcome, int dtz, uint64_t weight);

// Adds the counts of another thread. The sum does not depend on the order.
void counts_join(struct outcome_counts *to, const struct outcome_counts *from);

#endif
