// saturate.h - arithmetic of sizes: sums and products stop at UINT64_MAX instead of overflowing
#ifndef CLTB_UTIL_SATURATE_H
#define CLTB_UTIL_SATURATE_H

#include <stdint.h>

static inline uint64_t u64_product(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static inline uint64_t u64_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t u64_larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t u64_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
