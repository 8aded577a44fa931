// futurebase.h - how the solver asks for the endgames that a capture leads to
//
// futurebase/ implements this from stored tables, tests from solutions in memory: the solver knows neither.
#ifndef CLTB_SOLVE_FUTUREBASE_H
#define CLTB_SOLVE_FUTUREBASE_H

#include "solve/solution.h"

// The outcomes of an endgame in the parent's colours. All arrays are [layout_bits / 64] words, by side to move; illegal
// entries may have any value.
struct futurebase {
    uint64_t *won[COLOURS]; // wins and losses under the 50-move rule
    uint64_t *lost[COLOURS];
    uint64_t *won_ever[COLOURS]; // without that rule, including cursed wins and blessed losses; NULL: there are none
    uint64_t *lost_ever[COLOURS];
    // If the layout's metric is DTM: bit i of the mate_code() of an entry that is won or lost, and the longest distance
    // in plies. All arrays from some bit on are NULL.
    uint64_t *code[COLOURS][MATE_CODE_BITS];
    int longest;
    bool common; // the outcomes are in shared memory, which futurebase_free() leaves alone
};

struct futurebase_source {
    void *context;
    // Fills in `base` for the pieces of `sub`. The arrays are malloc'ed and the solver frees them, unless they are
    // common. Never called for bare kings.
    int (*load)(void *context, const struct layout *sub, struct futurebase *base);
};

void futurebase_free(struct futurebase *base);

#endif
