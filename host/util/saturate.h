// saturate.h - arithmetic of sizes: sums and products stop at UINT64_MAX instead of overflowing; needs of memory
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

// The bytes that a part of the program needs: with less than `least` it cannot work, and without a limit it takes about
// `most`. Parts that are needed at the same time are added; of parts that follow each other the larger one counts.
struct memory_need {
    uint64_t least;
    uint64_t most;
};

static inline void need_add(struct memory_need *need, uint64_t least, uint64_t most)
{
    need->least = u64_sum(need->least, least);
    need->most = u64_sum(need->most, most);
}

static inline struct memory_need need_larger(struct memory_need a, struct memory_need b)
{
    return (struct memory_need){u64_larger(a.least, b.least), u64_larger(a.most, b.most)};
}

#endif
