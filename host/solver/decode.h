// decode.h - from bit planes to the numbers that they hold
//
// A position's code has a bit in each distance plane, so 8 positions are 8 bytes of 8 planes: an 8x8 bit matrix that is
// transposed. The planes are arrays here; solution.c reads them out of a backend first.
#ifndef CLTB_SOLVER_DECODE_H
#define CLTB_SOLVER_DECODE_H

#include "solver/slices.h"

// Bit i of byte j <-> bit j of byte i.
static inline uint64_t transpose8(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ t ^ t << 28;
}

// The values of entries 64 * first .. 64 * (first + words) - 1 for the side to move whose planes these are: values[64 *
// words]. Overlap entries and illegal positions have 0. `value` is what the codes mean for that side to move.
void planes_values(const struct slice_side *planes, const solver_value value[COLOURS][DISTANCE_CODES], size_t first,
                   size_t words, solver_value *values);

// One bit for each of those entries, set where it is no legal position: bits[words].
void planes_illegal(const struct slice_side *planes, size_t first, size_t words, uint64_t *bits);

#endif
