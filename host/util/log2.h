// log2.h - logarithms without floating point, because machines round that in different ways
#ifndef CLTB_UTIL_LOG2_H
#define CLTB_UTIL_LOG2_H

#include <stdint.h>

enum { LOG2_BITS = 16 }; // after the point

// log2(n) * 2^LOG2_BITS, to about 1/1000; 0 for n = 0.
static inline uint64_t log2_fixed(uint64_t n)
{
    // log2(1 + i / 32) * 65536
    static const uint32_t table[33] = {0,     2909,  5732,  8473,  11136, 13727, 16248, 18704, 21098, 23433, 25711,
                                       27936, 30109, 32234, 34312, 36346, 38336, 40286, 42196, 44068, 45904, 47705,
                                       49472, 51207, 52911, 54584, 56229, 57845, 59434, 60997, 62534, 64047, 65536};
    if (n < 2)
        return 0;
    const unsigned whole = 63 - (unsigned)__builtin_clzll(n);
    const uint64_t part = whole >= 16 ? n >> (whole - 16) & 0xffff : n << (16 - whole) & 0xffff;
    const uint64_t low = table[part >> 11];
    return ((uint64_t)whole << LOG2_BITS) + low + ((table[(part >> 11) + 1] - low) * (part & 2047) >> 11);
}

#endif
