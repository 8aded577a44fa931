// decode.h - from bit planes to the numbers that they hold
//
// A position's code has a bit in each distance plane, so 8 positions are 8 bytes of 8 planes: an 8x8 bit matrix that is
// transposed. The planes are arrays here; solution.c reads them out of a backend first.
#ifndef CLTB_SOLVE_DECODE_H
#define CLTB_SOLVE_DECODE_H

#include "solve/slices.h"

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

// The low 8 bits of the codes of the 8 lanes from bit 8 * byte of word w.
static inline uint64_t planes_codes_low(const struct slice_side *planes, size_t w, unsigned byte)
{
    uint64_t rows = 0;
    for (unsigned bit = 0; bit < 8; bit++) {
        if (planes->distance[bit] != NULL)
            rows |= (planes->distance[bit][w] >> 8 * byte & 0xff) << 8 * bit;
    }
    return rows == 0 ? 0 : transpose8(rows);
}

// The lanes of word w that have a code.
static inline uint64_t planes_any_code(const struct slice_side *planes, size_t w)
{
    uint64_t any = 0;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
        any |= planes->distance[bit] != NULL ? planes->distance[bit][w] : 0;
    return any;
}

// Has any lane a code of more than 8 bits?
static inline bool planes_tall(const struct slice_side *planes)
{
    for (int bit = 8; bit < DISTANCE_PLANES_MAX; bit++) {
        if (planes->distance[bit] != NULL)
            return true;
    }
    return false;
}

// The values of entries 64 * first .. 64 * (first + words) - 1 for the side to move whose planes these are: values[64 *
// words]. Overlap entries and illegal positions have 0. `value` is what the codes mean for that side to move.
void planes_values(const struct slice_side *planes, const solver_value value[COLOURS][DISTANCE_CODES], size_t first,
                   size_t words, solver_value *values);

// One bit for each of those entries, set where it is no legal position: bits[words].
void planes_illegal(const struct slice_side *planes, size_t first, size_t words, uint64_t *bits);

#endif
