// test_block_symbols.c - blocks of samples in every order of their digits, and how their don't-cares are filled
#include "support/support.h"

#include "table/write/block_symbols.h"
#include "table/write/sections.h"

#include <cltb/cltb.h>

enum { DIGITS = 4, BLOCK_MAX = 1 << 14 };

static uint64_t below(uint64_t most)
{
    return random_u64() % most;
}

// Digits of these sizes in the order of a permutation, over an array in which they stand in rising order.
static struct entry_digits digits_of(const uint64_t *sizes, const int *order)
{
    struct entry_digits digits = {.count = DIGITS};
    uint64_t natural[DIGITS];
    uint64_t stride = 1;
    for (int i = DIGITS - 1; i >= 0; i--) {
        natural[i] = stride;
        stride *= sizes[i];
    }
    stride = 1;
    for (int i = DIGITS - 1; i >= 0; i--) {
        digits.size[i] = sizes[order[i]];
        digits.natural[i] = natural[order[i]];
        digits.stride[i] = stride;
        stride *= digits.size[i];
    }
    return digits;
}

static void check_block(const struct entry_digits *digits, const uint8_t *symbols, unsigned width, uint64_t first,
                        size_t count)
{
    static uint8_t block[2 * BLOCK_MAX + 1];
    memset(block, 0x5a, sizeof block);
    gather_block(digits, symbols, width, first, count, block);
    for (size_t i = 0; i < count; i++) {
        uint64_t at = 0;
        for (int g = 0; g < digits->count; g++)
            at += (first + i) / digits->stride[g] % digits->size[g] * digits->natural[g];
        if (memcmp(block + width * i, symbols + width * at, width) != 0)
            fail_msg("entry %llu + %zu", (unsigned long long)first, i);
    }
    assert_int_equal(block[width * count], 0x5a);
}

TEST(test_every_order)
{
    static const uint64_t sizes[][DIGITS] = {
        {1, 64, 64, 64}, {3, 64, 8, 64}, {64, 28, 64, 8}, {5, 36, 16, 64}, {4, 1, 32, 64}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint64_t all = 1;
        for (int i = 0; i < DIGITS; i++)
            all *= sizes[s][i];
        uint8_t *symbols = malloc(2 * all);
        assert_non_null(symbols);
        for (uint64_t i = 0; i < 2 * all; i++)
            symbols[i] = (uint8_t)below(256);
        for (int code = 0; code < 256; code++) {
            const int order[DIGITS] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
            if ((1 << order[0] | 1 << order[1] | 1 << order[2] | 1 << order[3]) != 15)
                continue;
            const struct entry_digits digits = digits_of(sizes[s], order);
            for (unsigned width = 1; width <= 2; width++) {
                for (size_t count = BLOCK_MAX; count >= 256; count /= 4) {
                    if (count > all)
                        continue;
                    check_block(&digits, symbols, width, below(all / count) * count, count);
                    check_block(&digits, symbols, width, below(all - count + 1), count); // anywhere
                }
            }
        }
        free(symbols);
    }
}

static void naive_fill(uint16_t *symbols, size_t count, bool outcomes, uint16_t any, uint16_t before)
{
    for (size_t i = 0; i < count; i++) {
        const bool to_draw = outcomes && symbols[i] == DRAW_OR_WORSE;
        if (to_draw && before > CLTB_DRAW + 2)
            symbols[i] = CLTB_DRAW + 2;
        else if (to_draw || symbols[i] == any)
            symbols[i] = before;
        before = symbols[i];
    }
}

static void check_fill(enum table_kind kind, bool wide, uint16_t any, unsigned values)
{
    const bool outcomes = kind == TABLE_OUTCOME;
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[80] = {0};
        uint16_t symbols[80] = {0};
        uint16_t right[80];
        const size_t count = below(81);
        const uint64_t free = below(101);
        const uint64_t to_draw = outcomes ? below(101) : 0;
        for (size_t i = 0; i < count; i++) {
            symbols[i] = below(100) < to_draw ? DRAW_OR_WORSE : any;
            if (below(100) >= free)
                symbols[i] = (uint16_t)below(values);
            bytes[i] = (uint8_t)symbols[i];
        }
        memcpy(right, symbols, sizeof right);
        naive_fill(right, count, outcomes, any, outcomes ? CLTB_DRAW + 2 : 0);
        dont_care_fill(kind, wide ? 2 : 1, wide ? (void *)symbols : (void *)bytes, count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(wide ? symbols[i] : bytes[i], right[i]);
    }
}

TEST(test_dont_cares)
{
    check_fill(TABLE_OUTCOME, false, ANY_OUTCOME, 5);
    check_fill(TABLE_DISTANCE, false, 0xff, 255);
    check_fill(TABLE_DISTANCE, true, ANY_DISTANCE, 500);
}

TESTS(NULL, NULL)
