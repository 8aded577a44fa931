// test_syzygy_code.c - values of blocks in random codes, against the values that were encoded
//
// Codes of every kind: short and long ones, symbols of one value and of 256, values of outcomes and of distances. Every
// value of a block must be found both with a note about the block and without.
#include "support/support.h"

#include "syzygy/code.h"

#include <stdlib.h>

enum { VALUES_MAX = 256, BLOCK_MAX = 1024 };

struct made_code {
    unsigned symbols;
    unsigned length[SYZYGY_SYMBOLS_MAX]; // of each symbol's code: the longest come first
    uint64_t bits[SYZYGY_SYMBOLS_MAX];
    unsigned count[SYZYGY_SYMBOLS_MAX]; // values
    uint16_t value[SYZYGY_SYMBOLS_MAX][VALUES_MAX];
    uint8_t first[2 * (SYZYGY_CODE_BITS_MAX + 1)]; // as in a file,
    uint8_t symbol[3 * SYZYGY_SYMBOLS_MAX];
};

static int longer(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a;
    const unsigned y = *(const unsigned *)b;
    return (x < y) - (x > y);
}

// Splits codes until there are as many as symbols; `skew`: one in so many times the last one, so that some are long.
static void make_lengths(struct made_code *made, unsigned skew)
{
    made->length[0] = 1;
    made->length[1] = 1;
    for (unsigned count = 2; count < made->symbols; count++) {
        unsigned at = (unsigned)(random_u64() % count);
        if (random_u64() % skew == 0 && made->length[count - 1] < SYZYGY_CODE_BITS_MAX)
            at = count - 1;
        while (made->length[at] == SYZYGY_CODE_BITS_MAX)
            at = (at + 1) % count;
        made->length[count] = ++made->length[at];
    }
    qsort(made->length, made->symbols, sizeof made->length[0], longer);
}

// The numbers of codes: those of each length follow each other, longer ones are smaller.
static void make_codes(struct made_code *made)
{
    const unsigned min = made->length[made->symbols - 1];
    uint64_t base = 0;
    unsigned next = 0;
    for (unsigned bits = made->length[0]; bits >= min; bits--) {
        uint8_t *at = made->first + 2 * (size_t)(bits - min);
        at[0] = (uint8_t)next;
        at[1] = (uint8_t)(next >> 8);
        for (; next < made->symbols && made->length[next] == bits; next++)
            made->bits[next] = base++;
        base /= 2;
    }
}

static void make_symbols(struct made_code *made, unsigned value_max)
{
    for (unsigned i = 0; i < made->symbols; i++) {
        unsigned left = 0;
        unsigned right = SYZYGY_SYMBOLS_MAX;
        const unsigned a = i == 0 ? 0 : (unsigned)(random_u64() % i);
        const unsigned b = i == 0 ? 0 : (unsigned)(random_u64() % i);
        if (i < 4 || made->count[a] + made->count[b] > VALUES_MAX) {
            left = (unsigned)(random_u64() % (value_max + 1));
            made->count[i] = 1;
            made->value[i][0] = (uint16_t)left;
        } else {
            left = a;
            right = b;
            made->count[i] = made->count[a] + made->count[b];
            memcpy(made->value[i], made->value[a], made->count[a] * sizeof made->value[0][0]);
            memcpy(made->value[i] + made->count[a], made->value[b], made->count[b] * sizeof made->value[0][0]);
        }
        made->symbol[3 * i] = (uint8_t)left;
        made->symbol[3 * i + 1] = (uint8_t)(left >> 8 | right << 4);
        made->symbol[3 * i + 2] = (uint8_t)(right >> 4);
    }
}

static void check_block(const struct made_code *made, const struct syzygy_code *code, size_t bytes)
{
    static uint16_t value[8 * BLOCK_MAX * VALUES_MAX];
    uint64_t words[BLOCK_MAX / sizeof(uint64_t)] = {0};
    uint8_t *block = (uint8_t *)words;
    size_t bit = 0;
    uint32_t values = 0;
    for (;;) {
        const unsigned symbol = (unsigned)(random_u64() % made->symbols);
        if (bit + made->length[symbol] > 8 * bytes)
            break;
        for (unsigned i = made->length[symbol]; i > 0; i--, bit++)
            block[bit / 8] |= (uint8_t)((made->bits[symbol] >> (i - 1) & 1) << (7 - bit % 8));
        memcpy(value + values, made->value[symbol], made->count[symbol] * sizeof value[0]);
        values += made->count[symbol];
    }
    uint64_t note[BLOCK_MAX / SYZYGY_NOTE_BYTES];
    syzygy_note(code, words, bytes, note);
    for (size_t i = 0; i < bytes / SYZYGY_NOTE_BYTES; i++)
        assert_true(note[i] != 0);
    for (uint32_t at = 0; at < values; at++) {
        unsigned plain = 5000;
        unsigned noted = 5000;
        GOOD(syzygy_decode(code, words, bytes, NULL, at, &plain));
        GOOD(syzygy_decode(code, words, bytes, note, at, &noted));
        if (plain != value[at] || noted != value[at])
            fail_msg("value %u is %u, and %u without a note and %u with it", at, value[at], plain, noted);
    }
    unsigned behind = 0;
    const uint32_t far = values + 8 * BLOCK_MAX * VALUES_MAX; // even if the padding has codes
    assert_int_equal(syzygy_decode(code, words, bytes, NULL, far, &behind), CLTB_E_CORRUPT);
    assert_int_equal(syzygy_decode(code, words, bytes, note, far, &behind), CLTB_E_CORRUPT);
}

TEST(test_random_codes)
{
    static struct made_code made;
    static const unsigned sizes[] = {2, 3, 30, 300, 2000, SYZYGY_SYMBOLS_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (unsigned skew = 1; skew <= 1000; skew *= 10) {
            const unsigned value_max = skew % 3 == 1 && i % 2 == 0 ? 4 : 4095;
            struct syzygy_code code;
            made.symbols = sizes[i];
            make_lengths(&made, skew);
            make_codes(&made);
            make_symbols(&made, value_max);
            GOOD(syzygy_code_init(&code, made.length[made.symbols - 1], made.length[0], made.first, made.symbols,
                                  made.symbol, value_max));
            for (size_t bytes = 32; bytes <= 256; bytes *= 2)
                check_block(&made, &code, bytes);
            syzygy_code_free(&code);
        }
}

TESTS(NULL, NULL)
