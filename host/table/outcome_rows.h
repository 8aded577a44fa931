// outcome_rows.h - the outcomes of a unit in little memory, any of which can be read at once
//
// Most rows of 64 outcomes are all equal, and few units have more than four different outcomes:
//
//     info         bits 3i to 3i + 2: an outcome, its number is i, from 0 to 3
//                  bits 12 to 18: the last row that is known
//                  bit 19: the unit has five different outcomes
//     kinds        2 bits for each row, 32 rows in a word: it repeats the outcome of this number, or 3: it is kept
//     kept         2 words for each row that is kept, in order: 2 bits for each outcome, its number
//
// With five different outcomes all are kept, 16 in a word, and the kinds have no meaning.
//
// So all outcomes of KRPvKR take 71 MB of a cache instead of 402, of KQRvKR 3 instead of 168, and most of what random
// warm probes read stays in the processor's caches.
#ifndef CLTB_TABLE_OUTCOME_ROWS_H
#define CLTB_TABLE_OUTCOME_ROWS_H

#include <stddef.h>
#include <stdint.h>

enum {
    OUTCOME_UNIT = 8192, // outcomes at most
    OUTCOME_ROW = 64,
    OUTCOME_VALUES_MAX = 5,                          // outcomes are 0 to 4
    OUTCOME_KINDS = OUTCOME_UNIT / OUTCOME_ROW / 32, // words
    OUTCOME_KEPT_MAX = OUTCOME_UNIT / 16,            // words; no reader looks at more, whatever info and kinds are
    OUTCOME_LAST_ROW = 12,                           // bits of info
    OUTCOME_ALL_KEPT = 19,
    OUTCOME_UNKNOWN = 16
};

struct outcome_rows {
    uint32_t info;
    uint64_t kinds[OUTCOME_KINDS];
    uint64_t kept[OUTCOME_KEPT_MAX];
    size_t words;   // that are kept
    unsigned equal; // the outcome that all are; OUTCOME_VALUES_MAX: they differ
};

// Packs the first `count` outcomes of a unit, which are followed by others up to a full row. `set`: bit i is set if an
// outcome may be i.
void outcome_rows_pack(struct outcome_rows *unit, const uint8_t *outcomes, size_t count, unsigned set);

static inline uint64_t outcome_rows_word(const uint64_t *words, size_t i)
{
    return __atomic_load_n(&words[i], __ATOMIC_RELAXED); // another thread may be changing it
}

// The last row of a unit that is known.
static inline unsigned outcome_rows_last(uint32_t info)
{
    return info >> OUTCOME_LAST_ROW & 127;
}

// The rows before this one that are kept. Counts bits without an instruction that not every processor has.
static inline uint32_t outcome_rows_before(const uint64_t *kinds, uint32_t row)
{
    uint64_t sum[2] = {0, 0};
    for (uint32_t i = 0; i < OUTCOME_KINDS; i++) {
        const uint64_t word = outcome_rows_word(kinds, i);
        const uint64_t before = i < row / 32 ? UINT64_MAX : i == row / 32 ? ((uint64_t)1 << 2 * (row % 32)) - 1 : 0;
        sum[i % 2] += word & word >> 1 & 0x5555555555555555 & before; // at most 2 in each field of 2 bits
    }
    for (int i = 0; i < 2; i++)
        sum[i] = (sum[i] & 0x3333333333333333) + (sum[i] >> 2 & 0x3333333333333333);
    const uint64_t eight = sum[0] + sum[1];
    return (uint32_t)(((eight & 0x0f0f0f0f0f0f0f0f) + (eight >> 4 & 0x0f0f0f0f0f0f0f0f)) * 0x0101010101010101 >> 56);
}

// The word in which the outcome `at` of a unit is kept, if its row is.
static inline size_t outcome_rows_word_of(uint32_t info, const uint64_t *kinds, uint32_t at)
{
    return info >> OUTCOME_ALL_KEPT & 1 ? at / 16
                                        : 2 * (size_t)outcome_rows_before(kinds, at / OUTCOME_ROW) + at / 32 % 2;
}

// The outcome `at` of a unit; OUTCOME_UNKNOWN in rows that are not known.
static inline unsigned outcome_rows_read(uint32_t info, const uint64_t *kinds, const uint64_t *kept, uint32_t at)
{
    const uint32_t row = at / OUTCOME_ROW;
    if (__builtin_expect(row > outcome_rows_last(info), 0))
        return OUTCOME_UNKNOWN;
    if (__builtin_expect(info >> OUTCOME_ALL_KEPT & 1, 0))
        return (unsigned)(outcome_rows_word(kept, at / 16) >> 4 * (at % 16) & 15);
    unsigned number = (unsigned)(outcome_rows_word(kinds, row / 32) >> 2 * (row % 32) & 3);
    if (number == 3) {
        const size_t word = 2 * (size_t)outcome_rows_before(kinds, row) + at / 32 % 2;
        number = (unsigned)(outcome_rows_word(kept, word) >> 2 * (at % 32) & 3);
    }
    return info >> 3 * number & 7;
}

#endif
