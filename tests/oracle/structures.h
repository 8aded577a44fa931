// structures.h - a slow solver for all positions that can be reached from one, if nobody promotes
//
// It shares only the rules of chess with the real one. A position with a promoted man is bounded as in
// docs/structures.md: one side wins it, unless that side has only its king, or the side to move has a better capture by
// a man that was not promoted. For kings and pawns; each position is enumerated by legal moves.
#ifndef CLTB_TESTS_ORACLE_STRUCTURES_H
#define CLTB_TESTS_ORACLE_STRUCTURES_H

#include <cltb/cltb.h>

#include "chess/position.h"

struct oracle_structures;

// Endgames of three and four men without pawns, which are never bounded.
struct oracle_small {
    void *context;
    struct cltb_value (*value)(void *context, struct position *p);
};

// `winner` wins what is bounded. NULL if there is no memory or a position has more than 8 men.
struct oracle_structures *oracle_structures_solve(const struct position *root, int winner, struct oracle_small small);
void oracle_structures_free(struct oracle_structures *oracle);

// Calls visit() for every position without a promoted man.
void oracle_structures_each(const struct oracle_structures *oracle,
                            void (*visit)(void *context, struct position *p, struct cltb_value value), void *context);

#endif
