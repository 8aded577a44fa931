// random_bits.h - tests of backends: planes of random bits on the host
#ifndef CLTB_TESTS_SUPPORT_RANDOM_BITS_H
#define CLTB_TESTS_SUPPORT_RANDOM_BITS_H

#include "support/support.h"

#include "util/error.h"

#define OPS(machine) ((machine)->backend->ops)

// A word whose bits are 1 with a chance of 2^-thin.
static inline uint64_t random_word(uint64_t number, uint64_t seed, int thin)
{
    uint64_t word = UINT64_MAX;
    for (int i = 0; i < thin && word != 0; i++)
        word &= mix(mix(number) ^ (seed * 64 + (uint64_t)i));
    return word;
}

#endif
