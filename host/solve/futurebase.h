// futurebase.h - how the solver asks for the endgames that a capture leads to
//
// `build` implements this from stored tables, tests from solutions in memory: the solver knows of neither.
#ifndef CLTB_SOLVE_FUTUREBASE_H
#define CLTB_SOLVE_FUTUREBASE_H

#include "index/layout.h"

// Outcomes of an endgame in the parent's colours. All arrays are [layout_bits / 64] words, by side to move; entries
// that are no legal position may have any value.
struct futurebase {
    uint64_t *won[COLOURS];          // win
    uint64_t *lost[COLOURS];         // loss
    uint64_t *cursed_won[COLOURS];   // cursed win; NULL: there are none
    uint64_t *blessed_lost[COLOURS]; // blessed loss; NULL: there are none
};

struct futurebase_source {
    void *context;
    // Fills `base` for the pieces of `sub`; the arrays are malloc'ed and the solver frees them. Never asked for bare
    // kings.
    int (*load)(void *context, const struct layout *sub, struct futurebase *base);
};

void futurebase_free(struct futurebase *base);

#endif
