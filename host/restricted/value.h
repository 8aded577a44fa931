// value.h - values of a restricted endgame as codes of 16 bits, for the solver, the store and probing
//
//     0         draw (while solving: not decided yet)
//     1         draw, where 0 means "no move" (external codes of restricted/solve/solve.h)
//     0xffff    no position: two men on one square, or the side not to move is in check
//     else      (ply + 1) * 2 + (1: the side to move wins, 0: it loses), ply 0..1023, exact DTZ
#ifndef CLTB_RESTRICTED_VALUE_H
#define CLTB_RESTRICTED_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum { RESTRICTED_OPEN = 0, RESTRICTED_DRAW = 1, RESTRICTED_ILLEGAL = 0xffff };

static inline uint16_t restricted_code(bool won, int ply)
{
    return (uint16_t)((ply + 1) * 2 + (won ? 1 : 0));
}

#endif
