// dont_care.c - what a block stores for its don't-cares
#include "table/write/dont_care.h"

#include "table/write/word_symbols.h"

#include <cltb/cltb.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EVERY_BYTE UINT64_C(0x0101010101010101)

// A word holds eight symbols of a byte each, the first one in the lowest bits. (Big-endian machines take one at a
// time.)
static bool eight_at_once(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

// 0xff in every byte whose highest bit is set.
static uint64_t high_bytes(uint64_t word)
{
    return (word >> 7 & EVERY_BYTE) * 0xff;
}

// The bytes of `free`, except those at the beginning, take the value of the byte before them: by 1, 2 and 4 bytes.
static uint64_t spread(uint64_t word, uint64_t free)
{
    word |= word << 8 & free;
    free &= free << 8;
    word |= word << 16 & free;
    free &= free << 16;
    return word | (word << 32 & free);
}

// The bytes of `free` at the beginning.
static uint64_t leading(uint64_t free)
{
    return free & ~(free + 1);
}

// The worse of outcome and draw, in the bytes of `which`; outcomes are 0..4.
static uint64_t worse_in(uint64_t word, uint64_t which)
{
    const uint64_t above = high_bytes(word + (0x80 - (CLTB_DRAW + 3)) * EVERY_BYTE) & which;
    return (word & ~above) | ((CLTB_DRAW + 2) * EVERY_BYTE & above);
}

// A don't-care takes the outcome before it; from the first DRAW_OR_WORSE of a run on, a draw at most. `*before` has the
// outcome before the word in every byte. (Nothing else makes one word wait for another.)
static uint64_t outcomes_of_eight(uint64_t word, uint64_t *before)
{
    const uint64_t free = high_bytes(word);
    const uint64_t marked = free & ~high_bytes(word << 7);
    const uint64_t to_draw = spread(marked, free);
    const uint64_t first = leading(free);
    const uint64_t rest = worse_in(spread(word & ~free, free & ~first), to_draw & ~first);
    const uint64_t worse = worse_in(*before, UINT64_MAX);
    const uint64_t result = rest | (*before & first & ~to_draw) | (worse & first & to_draw);
    const uint64_t last = (rest >> 56) * EVERY_BYTE;
    *before = first != UINT64_MAX ? last : to_draw >> 56 != 0 ? worse : *before;
    return result;
}

static void fill_outcomes(uint8_t *symbols, size_t count)
{
    uint64_t before = (CLTB_DRAW + 2) * EVERY_BYTE;
    size_t i = 0;
    for (uint64_t word; eight_at_once() && count - i >= sizeof word; i += sizeof word) {
        memcpy(&word, symbols + i, sizeof word);
        word = outcomes_of_eight(word, &before);
        memcpy(symbols + i, &word, sizeof word);
    }
    for (uint8_t last = (uint8_t)before; i < count; i++) {
        const uint8_t worse = last < CLTB_DRAW + 2 ? last : CLTB_DRAW + 2;
        last = symbols[i] = symbols[i] == ANY_OUTCOME ? last : symbols[i] == DRAW_OR_WORSE ? worse : symbols[i];
    }
}

static void fill_distances(uint8_t *symbols, size_t count)
{
    uint64_t before = 0; // in every byte the one before the word
    size_t i = 0;
    for (uint64_t word; eight_at_once() && count - i >= sizeof word; i += sizeof word) {
        memcpy(&word, symbols + i, sizeof word);
        const uint64_t free = high_bytes(((word & 0x7f * EVERY_BYTE) + EVERY_BYTE) & word); // the bytes 0xff
        const uint64_t first = leading(free);
        const uint64_t rest = spread(word & ~free, free & ~first);
        const uint64_t last = (rest >> 56) * EVERY_BYTE;
        word = rest | (before & first);
        memcpy(symbols + i, &word, sizeof word);
        before = first != UINT64_MAX ? last : before;
    }
    for (uint8_t last = (uint8_t)before; i < count; i++)
        last = symbols[i] = symbols[i] == (uint8_t)ANY_DISTANCE ? last : symbols[i];
}

void dont_care_fill(enum table_kind kind, unsigned symbol_bytes, void *symbols, size_t count)
{
    if (kind == TABLE_OUTCOME) {
        fill_outcomes(symbols, count);
    } else if (symbol_bytes == 1) {
        fill_distances(symbols, count);
    } else {
        uint16_t *distances = symbols;
        uint16_t before = 0;
        for (size_t i = 0; i < count; i++)
            before = distances[i] = distances[i] == ANY_DISTANCE ? before : distances[i];
    }
}
