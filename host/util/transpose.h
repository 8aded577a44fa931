// transpose.h - a matrix of 8x8 bytes in registers
#ifndef CLTB_UTIL_TRANSPOSE_H
#define CLTB_UTIL_TRANSPOSE_H

#include <stdint.h>
#include <string.h>

typedef uint64_t transpose_two __attribute__((vector_size(16)));
typedef uint8_t transpose_sixteen __attribute__((vector_size(16)));

#ifdef __clang__
#define TRANSPOSE_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define TRANSPOSE_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (transpose_sixteen){__VA_ARGS__})
#endif

// Interleave the lower halves of two vectors, or the upper ones, by 1, 2 or 4 bytes.
#define TRANSPOSE_LOW1(a, b)  TRANSPOSE_SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define TRANSPOSE_LOW2(a, b)  TRANSPOSE_SHUFFLE(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23)
#define TRANSPOSE_HIGH2(a, b) TRANSPOSE_SHUFFLE(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31)
#define TRANSPOSE_LOW4(a, b)  TRANSPOSE_SHUFFLE(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
#define TRANSPOSE_HIGH4(a, b) TRANSPOSE_SHUFFLE(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31)

// Bytes 0, 0 and 1, 1, ... of two words.
static inline transpose_sixteen transpose_pair(uint64_t a, uint64_t b)
{
    return TRANSPOSE_LOW1((transpose_sixteen)(transpose_two){a}, (transpose_sixteen)(transpose_two){b});
}

// Byte i of to[j] is byte j of from[i]. `to` may be `from`.
static inline void transpose_bytes(const uint64_t from[8], uint64_t to[8])
{
    const transpose_sixteen of01 = transpose_pair(from[0], from[1]);
    const transpose_sixteen of23 = transpose_pair(from[2], from[3]);
    const transpose_sixteen of45 = transpose_pair(from[4], from[5]);
    const transpose_sixteen of67 = transpose_pair(from[6], from[7]);
    const transpose_sixteen first = TRANSPOSE_LOW2(of01, of23);
    const transpose_sixteen second = TRANSPOSE_HIGH2(of01, of23);
    const transpose_sixteen first_rest = TRANSPOSE_LOW2(of45, of67);
    const transpose_sixteen second_rest = TRANSPOSE_HIGH2(of45, of67);
    const transpose_sixteen all[] = {TRANSPOSE_LOW4(first, first_rest), TRANSPOSE_HIGH4(first, first_rest),
                                     TRANSPOSE_LOW4(second, second_rest), TRANSPOSE_HIGH4(second, second_rest)};
    memcpy(to, all, sizeof all);
}

#endif
