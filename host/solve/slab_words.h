// slab_words.h - digits of lanes in the words of a tile
#ifndef CLTB_SOLVE_SLAB_WORDS_H
#define CLTB_SOLVE_SLAB_WORDS_H

#include <stddef.h>
#include <stdint.h>

// The bits of word `word` in which the digit at `digit` (counted from the lowest) is l.
static inline uint64_t place_word(size_t word, int digit, unsigned l)
{
    if (digit == 0)
        return UINT64_C(0x0101010101010101) << l;
    if (digit == 1)
        return UINT64_C(0xff) << 8 * l;
    return (word >> 3 * (digit - 2) & 7) == l ? UINT64_MAX : 0;
}

// Word w of a tile, made from a tile that lacks the digit at `digit` (counted from the lowest).
static inline uint64_t word_without(const uint64_t *sub, size_t w, int digit)
{
    if (digit >= 2) {
        const size_t low = ((size_t)1 << 3 * (digit - 2)) - 1;
        return sub[(w & low) | (w >> 3 & ~low)];
    }
    const uint64_t byte = sub[w / 8] >> 8 * (w % 8) & 0xff;
    if (digit == 1)
        return byte * UINT64_C(0x0101010101010101);
    // Bit i of the byte fills byte i.
    const uint64_t one = byte * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
    return ((one + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101)) * 0xff;
}

#endif
