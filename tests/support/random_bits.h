// random_bits.h - tests of backends: planes of random bits on the host
#ifndef CLTB_TESTS_SUPPORT_RANDOM_BITS_H
#define CLTB_TESTS_SUPPORT_RANDOM_BITS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/error.h"

#define GOOD(call)                                                                                                     \
    do {                                                                                                               \
        if ((call) != 0)                                                                                               \
            fail_msg("%s: %s", #call, error_text());                                                                   \
    } while (0)

#define OPS(machine) ((machine)->backend->ops)

static inline uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

// A word whose bits are 1 with a chance of 2^-thin.
static inline uint64_t random_word(uint64_t number, uint64_t seed, int thin)
{
    uint64_t word = UINT64_MAX;
    for (int i = 0; i < thin && word != 0; i++)
        word &= mix(mix(number) ^ (seed * 64 + (uint64_t)i));
    return word;
}

static inline bool bit_at(const uint64_t *bits, uint64_t index)
{
    return bits[index / 64] >> (index % 64) & 1;
}

static inline uint64_t *host_words(size_t words)
{
    uint64_t *bits = calloc(words > 0 ? words : 1, 8);
    if (bits == NULL)
        abort();
    return bits;
}

#endif
