// code.c - the symbols of a sub-table of a Syzygy file, and their code
#include "syzygy/code.h"

#include "util/error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAF = SYZYGY_SYMBOLS_MAX, // in place of a right half
    VALUES_MAX = 256,          // of a symbol
    WORD_BITS = 64
};

static int wrong(const char *what)
{
    return error_set(CLTB_E_CORRUPT, "%s", what);
}

// ---- symbols ----

// The number of values of a symbol, or CLTB_E_CORRUPT. `count` has the numbers that are known, else 0. A symbol at
// `depth` has an ancestor with more than `depth` values, so this ends in spite of circles.
static int count_values(const struct syzygy_code *code, uint16_t *count, unsigned symbol, int depth)
{
    const struct syzygy_symbol *s = &code->symbol[symbol];
    if (count[symbol] > 0)
        return count[symbol];
    if (s->right == LEAF) {
        count[symbol] = 1;
        return 1;
    }
    if (depth >= VALUES_MAX || s->left >= code->symbols || s->right >= code->symbols)
        return wrong(depth >= VALUES_MAX ? "a symbol has too many values" : "a symbol has no such half");
    const int left = count_values(code, count, s->left, depth + 1);
    TRY(left < 0 ? left : 0);
    const int right = count_values(code, count, s->right, depth + 1);
    TRY(right < 0 ? right : 0);
    if (left + right > VALUES_MAX)
        return wrong("a symbol has too many values");
    count[symbol] = (uint16_t)(left + right);
    return left + right;
}

static int read_symbols(struct syzygy_code *code, const uint8_t *bytes, unsigned value_max)
{
    uint16_t count[SYZYGY_SYMBOLS_MAX] = {0};
    for (unsigned i = 0; i < code->symbols; i++, bytes += 3) {
        code->symbol[i].left = (uint16_t)(bytes[0] | (bytes[1] & 15) << 8);
        code->symbol[i].right = (uint16_t)(bytes[1] >> 4 | bytes[2] << 4);
        if (code->symbol[i].right == LEAF && code->symbol[i].left > value_max)
            return wrong("a value is out of range");
    }
    for (unsigned i = 0; i < code->symbols; i++) {
        const int values = count_values(code, count, i, 0);
        TRY(values < 0 ? values : 0);
        code->more[i] = (uint8_t)(values - 1);
    }
    return 0;
}

// ---- codes ----

// The length of the code that a word begins with.
static unsigned code_bits(const struct syzygy_code *code, uint64_t word, unsigned from)
{
    while (word < code->limit[from])
        from++;
    return from;
}

static unsigned code_symbol(const struct syzygy_code *code, uint64_t word, unsigned bits)
{
    return code->number[bits] + (uint32_t)(word >> (WORD_BITS - bits));
}

// From the longest codes to the shortest: they are complete, so half as many codes of one bit less are no codes.
static int read_codes(struct syzygy_code *code, const uint8_t *first)
{
    uint64_t base = 0; // the smallest code of a length, and of the next one:
    unsigned below = 0;
    for (unsigned bits = code->max; bits >= code->min; bits--) {
        const uint8_t *at = first + 2 * (bits - code->min);
        const unsigned number = at[0] | (unsigned)at[1] << 8;
        if (bits == code->max ? number != 0 : number < below || number > code->symbols)
            return wrong("its codes do not number the symbols");
        if (bits < code->max) {
            if ((base + number - below) % 2 != 0)
                return wrong("its codes are not complete");
            base = (base + number - below) / 2;
        }
        code->limit[bits] = base << (WORD_BITS - bits);
        code->number[bits] = number - (uint32_t)base;
        below = number;
    }
    // A single code of one bit leaves the other one unused.
    const uint64_t all = UINT64_C(1) << code->min;
    if (base >= all)
        return wrong("its codes are not complete");
    if (below + all - base > code->symbols && (code->max > 1 || code->symbols > 1))
        return wrong("it has more codes than symbols");
    return 0;
}

static void make_quick(struct syzygy_code *code)
{
    for (unsigned i = 0; i < 1U << SYZYGY_QUICK_BITS; i++) {
        const uint64_t word = (uint64_t)i << (WORD_BITS - SYZYGY_QUICK_BITS);
        const unsigned bits = code_bits(code, word, code->min);
        const unsigned symbol = bits > SYZYGY_QUICK_BITS ? code->symbols : code_symbol(code, word, bits);
        if (symbol < code->symbols)
            code->quick[i] = (struct syzygy_quick){(uint16_t)symbol, (uint8_t)bits, code->more[symbol]};
    }
}

static void make_skip(struct syzygy_code *code)
{
    _Static_assert(SYZYGY_SKIP_BITS < 16 && SYZYGY_SKIP_BITS * VALUES_MAX < 1 << 12, "a code has one bit at least");
    for (unsigned i = 0; i < 1U << SYZYGY_SKIP_BITS; i++) {
        unsigned values = 0;
        unsigned taken = 0;
        for (uint64_t word = (uint64_t)i << (WORD_BITS - SYZYGY_SKIP_BITS); taken < SYZYGY_SKIP_BITS;) {
            const unsigned bits = code_bits(code, word, code->min);
            const unsigned symbol = code_symbol(code, word, bits);
            if (taken + bits > SYZYGY_SKIP_BITS || symbol >= code->symbols)
                break;
            values += code->more[symbol] + 1U;
            taken += bits;
            word <<= bits;
        }
        code->skip[i] = (uint16_t)(values << 4 | taken);
    }
}

int syzygy_code_init(struct syzygy_code *code, unsigned min, unsigned max, const uint8_t *first, unsigned symbols,
                     const uint8_t *symbol, unsigned value_max)
{
    *code = (struct syzygy_code){.min = min, .max = max, .symbols = symbols};
    if (min < 1 || min > max || max > SYZYGY_CODE_BITS_MAX || symbols < 1 || symbols > SYZYGY_SYMBOLS_MAX)
        return wrong("its codes or symbols are too many");
    code->symbol = calloc(symbols, sizeof *code->symbol);
    code->more = calloc(symbols, sizeof *code->more);
    if (code->symbol == NULL || code->more == NULL)
        return error_memory(symbols * sizeof *code->symbol, "symbols");
    TRY(read_symbols(code, symbol, value_max));
    TRY(read_codes(code, first));
    make_quick(code);
    make_skip(code);
    return 0;
}

void syzygy_code_free(struct syzygy_code *code)
{
    free(code->symbol);
    free(code->more);
}

// ---- decoding ----

static uint64_t big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// The value number `at` of a symbol, which has it.
static unsigned value_in(const struct syzygy_code *code, unsigned symbol, uint32_t at)
{
    for (;;) {
        const struct syzygy_symbol *s = &code->symbol[symbol];
        if (s->right == LEAF)
            return s->left;
        const uint32_t more = code->more[s->left];
        symbol = at <= more ? s->left : s->right;
        at -= at <= more ? 0 : more + 1;
    }
}

// The code that a word begins with; 0 bits: none.
static struct syzygy_quick first_code(const struct syzygy_code *code, uint64_t word)
{
    const struct syzygy_quick quick = code->quick[word >> (WORD_BITS - SYZYGY_QUICK_BITS)];
    if (quick.bits > 0 || code->max <= SYZYGY_QUICK_BITS)
        return quick;
    const unsigned from = SYZYGY_QUICK_BITS + 1 > code->min ? SYZYGY_QUICK_BITS + 1 : code->min;
    const unsigned bits = code_bits(code, word, from);
    const unsigned symbol = code_symbol(code, word, bits);
    if (symbol >= code->symbols)
        return quick;
    return (struct syzygy_quick){(uint16_t)symbol, (uint8_t)bits, code->more[symbol]};
}

int syzygy_decode(const struct syzygy_code *code, const uint8_t *block, size_t bytes, uint32_t at, unsigned *value)
{
    enum { LEAST = SYZYGY_CODE_BITS_MAX }; // bits that a word must have left
    const uint8_t *next = block + 8;
    const uint8_t *end = block + bytes + 8;
    uint64_t word = big_endian(block) << 32 | big_endian(block + 4);
    unsigned left = WORD_BITS;
    for (;;) {
        const unsigned skip = code->skip[word >> (WORD_BITS - SYZYGY_SKIP_BITS)];
        unsigned bits = skip & 15;
        if (at >= skip >> 4 && skip > 0) {
            at -= skip >> 4;
        } else {
            const struct syzygy_quick first = first_code(code, word);
            if (first.bits == 0)
                return CLTB_E_CORRUPT;
            if (at <= first.more) {
                *value = value_in(code, first.symbol, at);
                return 0;
            }
            at -= first.more + 1U;
            bits = first.bits;
        }
        word <<= bits;
        left -= bits;
        if (left < LEAST) {
            if (next >= end)
                return CLTB_E_CORRUPT;
            word |= big_endian(next) << (WORD_BITS - 32 - left);
            next += 4;
            left += 32;
        }
    }
}
