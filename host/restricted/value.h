// value.h - values of a restricted endgame as codes of 16 bits, for the solver, the table and probing
//
//     0         draw (while solving: undecided)
//     1         draw, where 0 means "no move" (external codes of restricted/make/external.h)
//     0xffff    not a position: two men on one square, or the side not to move is in check
//     else      (ply + 1) * 2 + (1: the side to move wins, 0: it loses), ply 0..1023, exact DTZ
//
// So a win in 3 is 9, and the position before it, lost in 4, is 10.
#ifndef CLTB_RESTRICTED_VALUE_H
#define CLTB_RESTRICTED_VALUE_H

#include "chess/value.h"

#include <stdint.h>

enum { RESTRICTED_OPEN = 0, RESTRICTED_DRAW = 1, RESTRICTED_ILLEGAL = 0xffff };

static inline uint16_t restricted_code(bool won, int ply)
{
    return (uint16_t)((ply + 1) * 2 + (won ? 1 : 0));
}

// Outcome and distance of a position with this code.
static inline struct cltb_value restricted_value_of(uint16_t code)
{
    struct cltb_value value = {.outcome = CLTB_DRAW};
    if (code == RESTRICTED_OPEN || code == RESTRICTED_DRAW)
        return value;
    value.dtz = code / 2 - 1;
    value.outcome = outcome_at(code % 2 != 0, value.dtz);
    return value;
}

#endif
