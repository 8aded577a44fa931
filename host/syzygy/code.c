// code.c - the symbols of a sub-table of a Syzygy file, and their code
#include "syzygy/code.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAF = SYZYGY_SYMBOLS_MAX, // in place of a right half
    VALUES_MAX = 256,          // of a symbol
    WORD_BITS = 64,
    TOP = WORD_BITS - SYZYGY_WINDOW_BITS
};

static int wrong(const char *what)
{
    return error_set(CLTB_E_CORRUPT, "%s", what);
}

// ---- symbols ----

// A word for each symbol, so that a value takes few loads:
//
//     bits  0..8   values
//           9..12  how they are stored: SAME, the bits of a value, or HALVES
//           16..   SAME: the value; HALVES: 12 bits for the left symbol, 12 for the right one, 9 for the left one's
//                  values; else the values, the first one lowest
enum { COUNT_BITS = 9, FORM_BITS = 4, PAYLOAD = 16, PAYLOAD_BITS = 48, SYMBOL_BITS = 12, SAME = 0, HALVES = 15 };

static unsigned symbol_values(uint64_t symbol)
{
    return symbol & ((1 << COUNT_BITS) - 1);
}

static unsigned symbol_form(uint64_t symbol)
{
    return symbol >> COUNT_BITS & ((1 << FORM_BITS) - 1);
}

// Value number `at` of a symbol, which has it.
static inline unsigned value_in(const struct syzygy_code *code, uint64_t symbol, uint32_t at)
{
    // The choice of the half is unpredictable, so there is no branch on it.
    while (symbol_form(symbol) == HALVES) {
        const uint32_t left = symbol >> (PAYLOAD + 2 * SYMBOL_BITS) & ((1 << COUNT_BITS) - 1);
        const uint32_t right = at >= left;
        at -= left * right;
        symbol = code->symbol[symbol >> (PAYLOAD + SYMBOL_BITS * right) & ((1 << SYMBOL_BITS) - 1)];
    }
    return (unsigned)(symbol >> PAYLOAD >> at * symbol_form(symbol)) & ((1U << code->value_bits) - 1);
}

static uint64_t join(const struct syzygy_code *code, unsigned left_symbol, unsigned right_symbol)
{
    const uint64_t left = code->symbol[left_symbol];
    const uint64_t right = code->symbol[right_symbol];
    const unsigned count = symbol_values(left);
    const unsigned values = count + symbol_values(right);
    if (symbol_form(left) == SAME && symbol_form(right) == SAME && left >> PAYLOAD == right >> PAYLOAD)
        return left - count + values;
    uint64_t joined = values;
    if (values * code->value_bits <= PAYLOAD_BITS) {
        joined |= code->value_bits << COUNT_BITS;
        for (unsigned i = 0; i < values; i++) {
            const uint64_t value = i < count ? value_in(code, left, i) : value_in(code, right, i - count);
            joined |= value << (PAYLOAD + i * code->value_bits);
        }
        return joined;
    }
    const uint64_t halves = left_symbol | (uint64_t)right_symbol << SYMBOL_BITS | (uint64_t)count << 2 * SYMBOL_BITS;
    return joined | HALVES << COUNT_BITS | halves << PAYLOAD;
}

// Makes the word of a symbol, unless it exists, from the file's 3 bytes for each symbol. A symbol at `depth` has an
// ancestor with more than `depth` values, so the recursion ends even if the symbols form a cycle.
static int make_symbol(struct syzygy_code *code, const uint8_t *bytes, unsigned number, unsigned value_max, int depth)
{
    const uint8_t *b = bytes + 3 * (size_t)number;
    const unsigned left = b[0] | (b[1] & 15U) << 8;
    const unsigned right = b[1] >> 4 | (unsigned)b[2] << 4;
    if (code->symbol[number] != 0)
        return 0;
    if (right == LEAF) {
        code->symbol[number] = 1 | SAME << COUNT_BITS | (uint64_t)left << PAYLOAD;
        return left > value_max ? wrong("a value is out of range") : 0;
    }
    if (left >= code->symbols || right >= code->symbols)
        return wrong("a symbol has no such half");
    if (depth >= VALUES_MAX)
        return wrong("a symbol has too many values");
    TRY(make_symbol(code, bytes, left, value_max, depth + 1));
    TRY(make_symbol(code, bytes, right, value_max, depth + 1));
    if (symbol_values(code->symbol[left]) + symbol_values(code->symbol[right]) > VALUES_MAX)
        return wrong("a symbol has too many values");
    code->symbol[number] = join(code, left, right);
    return 0;
}

// ---- codes ----

// The length of the code at the beginning of a word.
static unsigned code_bits(const struct syzygy_code *code, uint64_t word, unsigned from)
{
    while (word < code->limit[from])
        from++;
    return from;
}

static unsigned code_symbol(const struct syzygy_code *code, uint64_t word, unsigned bits)
{
    return code->number[bits] + (uint32_t)(word >> 1 >> (WORD_BITS - 1 - bits));
}

// Goes from the longest codes to the shortest: these codes are complete, so half as many codes of one bit less are not
// codes.
static int read_codes(struct syzygy_code *code, const uint8_t *first)
{
    uint64_t base = 0; // the smallest code of a length and then of the next one:
    for (unsigned bits = 0; bits < code->min; bits++)
        code->limit[bits] = UINT64_MAX;
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
    // With a single code of one bit, the other one is unused.
    const uint64_t all = UINT64_C(1) << code->min;
    if (base >= all)
        return wrong("its codes are not complete");
    if (below + all - base > code->symbols && (code->max > 1 || code->symbols > 1))
        return wrong("it has more codes than symbols");
    return 0;
}

// Entries of `window`: the bits and the values of all complete codes in it, the symbol and the bits of the first one.
enum { TAKEN_BITS = 6, PASSED_BITS = 10, FIRST = TAKEN_BITS + PASSED_BITS, FIRST_BITS = FIRST + SYMBOL_BITS };

static unsigned window_taken(uint32_t window)
{
    return window & ((1 << TAKEN_BITS) - 1);
}

static unsigned window_values(uint32_t window)
{
    return window >> TAKEN_BITS & ((1 << PASSED_BITS) - 1);
}

static unsigned window_symbol(uint32_t window)
{
    return window >> FIRST & ((1 << SYMBOL_BITS) - 1);
}

static unsigned window_first(uint32_t window)
{
    return window >> FIRST_BITS;
}

static void make_windows(struct syzygy_code *code)
{
    _Static_assert(SYZYGY_WINDOW_BITS < 16 && SYZYGY_SYMBOLS_MAX < 1 << SYMBOL_BITS, "an entry has room");
    for (uint32_t i = 0; i < 1U << SYZYGY_WINDOW_BITS; i++) {
        const uint64_t word = (uint64_t)i << TOP;
        const unsigned bits = code_bits(code, word, code->min);
        const unsigned symbol = bits > SYZYGY_WINDOW_BITS ? code->symbols : code_symbol(code, word, bits);
        if (symbol < code->symbols)
            code->window[i] = symbol << FIRST | bits << FIRST_BITS;
    }
    for (uint32_t i = 0; i < 1U << SYZYGY_WINDOW_BITS; i++) {
        unsigned values = 0;
        unsigned taken = 0;
        for (;;) {
            const uint32_t next = code->window[i << taken & ((1U << SYZYGY_WINDOW_BITS) - 1)];
            const unsigned more = symbol_values(code->symbol[window_symbol(next)]);
            if (next == 0 || taken + window_first(next) > SYZYGY_WINDOW_BITS || values + more >= 1U << PASSED_BITS)
                break;
            values += more;
            taken += window_first(next);
        }
        code->window[i] |= taken | values << TAKEN_BITS;
    }
}

int syzygy_code_init(struct syzygy_code *code, unsigned min, unsigned max, const uint8_t *first, unsigned symbols,
                     const uint8_t *symbol, unsigned value_max)
{
    *code = (struct syzygy_code){.min = min, .max = max, .symbols = symbols, .value_bits = value_max < 8 ? 3 : 12};
    if (min < 1 || min > max || max > SYZYGY_CODE_BITS_MAX || symbols < 1 || symbols > SYZYGY_SYMBOLS_MAX)
        return wrong("its codes or symbols are too many");
    TRY(memory_new(&code->symbol, symbols, sizeof *code->symbol, "symbols"));
    TRY(memory_new(&code->more, symbols, sizeof *code->more, "symbols"));
    for (unsigned i = 0; i < symbols; i++) {
        TRY(make_symbol(code, symbol, i, value_max, 0));
        code->more[i] = (uint8_t)(symbol_values(code->symbol[i]) - 1);
    }
    TRY(read_codes(code, first));
    make_windows(code);
    return 0;
}

void syzygy_code_free(struct syzygy_code *code)
{
    free(code->symbol);
    free(code->more);
}

// ---- decoding ----

static uint64_t load_word(const uint64_t *words, size_t i)
{
    return __builtin_bswap64(words[i]);
}

// 64 bits from bit number `at` on; those after the last word are arbitrary.
static inline __attribute__((always_inline)) uint64_t load_bits(const uint64_t *words, size_t at, size_t end)
{
    const size_t i = at / WORD_BITS;
    const size_t next = i + (i + 1 < (end + WORD_BITS - 1) / WORD_BITS);
    return load_word(words, i) << at % WORD_BITS | load_word(words, next) >> 1 >> (WORD_BITS - 1 - at % WORD_BITS);
}

// The symbol of the code at the beginning of a word, which is longer than a window, with its length in *bits; `symbols`
// if there is no such code.
static unsigned long_symbol(const struct syzygy_code *code, uint64_t word, unsigned *bits)
{
    enum { LEAST = SYZYGY_WINDOW_BITS + 1, USUAL = 8 };
    unsigned length = LEAST;
    for (unsigned i = LEAST; i < LEAST + USUAL; i++)
        length += word < code->limit[i];
    *bits = code_bits(code, word, length);
    const unsigned symbol = code_symbol(code, word, *bits);
    return symbol < code->symbols ? symbol : code->symbols;
}

// A note has for each place 16 bits for the number of values before it, which is not 0, and 5 bits for its distance
// from where it would be if the places of a block were equally spaced; and one bit that is always set.
enum { PLACES = 3, PLACE_BITS = 21, DISTANCE_BITS = 5 };

static uint32_t place_values(uint64_t note, unsigned place)
{
    return note >> PLACE_BITS * place >> DISTANCE_BITS & 0xffff;
}

// The bits from one place to the next, and from the beginning to the first one.
static uint32_t place_step(size_t bytes)
{
    return 8 * (uint32_t)bytes / (PLACES * (uint32_t)(bytes / SYZYGY_NOTE_BYTES) + 1);
}

void syzygy_note(const struct syzygy_code *code, const uint64_t *words, size_t bytes, uint64_t *note)
{
    _Static_assert(PLACES * PLACE_BITS < WORD_BITS && SYZYGY_CODE_BITS_MAX <= 1 << DISTANCE_BITS, "a note has room");
    const size_t end = 8 * bytes;
    const uint32_t step = place_step(bytes);
    const unsigned places = PLACES * (unsigned)(bytes / SYZYGY_NOTE_BYTES);
    uint32_t values = 0;
    unsigned place = 0;
    for (size_t i = 0; i < bytes / SYZYGY_NOTE_BYTES; i++)
        note[i] = UINT64_C(1) << (WORD_BITS - 1);
    for (size_t bit = 0; place < places && bit < end;) {
        const uint64_t word = load_bits(words, bit, end);
        unsigned bits = window_taken(code->window[word >> TOP]);
        values += window_values(code->window[word >> TOP]);
        if (bits == 0) {
            const unsigned symbol = long_symbol(code, word, &bits);
            if (symbol == code->symbols)
                break;
            values += code->more[symbol] + 1U;
        }
        bit += bits;
        const size_t even = (size_t)step * (place + 1);
        if (values > 0xffff)
            break;
        if (bit >= even) {
            note[place / PLACES] |= ((uint64_t)values << DISTANCE_BITS | (bit - even)) << PLACE_BITS * (place % PLACES);
            place++;
        }
    }
}

// Moves to the last place that is not after value number `*at` of a block. Returns the bit of that place; `*at` becomes
// the number of values from there on.
static inline uint32_t go_to_place(const uint64_t *note, size_t bytes, uint32_t *at)
{
    const size_t notes = bytes / SYZYGY_NOTE_BYTES;
    size_t i = 0;
    unsigned passed = 0;
    // Values are unpredictable, so there are no branches on them.
    for (size_t k = 1; k < notes; k++)
        i += place_values(note[k], 0) - 1U < *at;
    for (unsigned place = 0; place < PLACES; place++)
        passed += place_values(note[i], place) - 1U < *at;
    if (passed == 0)
        return 0;
    const uint64_t last = note[i] >> PLACE_BITS * (passed - 1);
    *at -= place_values(last, 0);
    return place_step(bytes) * (PLACES * (uint32_t)i + passed) + (last & ((1 << DISTANCE_BITS) - 1));
}

// The symbol with value number `*at` in the window at the top of a word; `*at` becomes the value's number in the
// symbol.
static unsigned find_in_window(const struct syzygy_code *code, uint64_t word, uint32_t *at)
{
    for (;;) {
        const uint32_t window = code->window[word >> TOP];
        const unsigned symbol = window_symbol(window);
        if (*at <= code->more[symbol])
            return symbol;
        *at -= code->more[symbol] + 1U;
        word <<= window_first(window);
    }
}

int syzygy_decode(const struct syzygy_code *code, const uint64_t *words, size_t bytes, const uint64_t *note,
                  uint32_t at, unsigned *value)
{
    enum { WINDOWS = 4 }; // in a word
    _Static_assert(WINDOWS * SYZYGY_WINDOW_BITS < WORD_BITS, "they fit");
    const size_t end = 8 * bytes;
    size_t bit = note == NULL ? 0 : go_to_place(note, bytes, &at);
    while (bit < end) {
        uint64_t word = load_bits(words, bit, end);
        uint32_t window = 0;
        for (int i = 0; i < WINDOWS && (i == 0 || window != 0); i++) {
            window = code->window[word >> TOP];
            if (at < window_values(window)) {
                const unsigned symbol = find_in_window(code, word, &at);
                *value = value_in(code, code->symbol[symbol], at);
                return 0;
            }
            at -= window_values(window);
            word <<= window_taken(window);
            bit += window_taken(window);
        }
        if (window != 0 || bit >= end)
            continue;
        unsigned bits;
        const unsigned symbol = long_symbol(code, load_bits(words, bit, end), &bits);
        if (symbol == code->symbols)
            break;
        if (at <= code->more[symbol]) {
            *value = value_in(code, code->symbol[symbol], at);
            return 0;
        }
        at -= code->more[symbol] + 1U;
        bit += bits;
    }
    return CLTB_E_CORRUPT;
}

// Appends the values of a symbol.
static void expand(const struct syzygy_code *code, uint64_t symbol, uint16_t *to)
{
    for (; symbol_form(symbol) == HALVES;
         symbol = code->symbol[symbol >> (PAYLOAD + SYMBOL_BITS) & ((1 << SYMBOL_BITS) - 1)]) {
        const uint64_t left = code->symbol[symbol >> PAYLOAD & ((1 << SYMBOL_BITS) - 1)];
        expand(code, left, to);
        to += symbol_values(left);
    }
    for (unsigned i = 0; i < symbol_values(symbol); i++)
        to[i] = (uint16_t)value_in(code, symbol, i);
}

int syzygy_decode_all(const struct syzygy_code *code, const uint64_t *words, size_t bytes, uint32_t count, uint16_t *to)
{
    const size_t end = 8 * bytes;
    size_t bit = 0;
    for (uint32_t done = 0; done < count;) {
        if (bit >= end)
            return CLTB_E_CORRUPT;
        const uint64_t word = load_bits(words, bit, end);
        const unsigned bits = code_bits(code, word, code->min);
        const unsigned number = code_symbol(code, word, bits);
        if (number >= code->symbols)
            return CLTB_E_CORRUPT;
        const uint64_t symbol = code->symbol[number];
        if (count - done >= symbol_values(symbol)) {
            expand(code, symbol, to + done);
        } else { // the rest of the symbol is unused
            uint16_t values[VALUES_MAX];
            expand(code, symbol, values);
            memcpy(to + done, values, (count - done) * sizeof *to);
        }
        done += symbol_values(symbol);
        bit += bits;
    }
    return 0;
}

unsigned syzygy_code_most(const struct syzygy_code *code)
{
    unsigned most = 0;
    for (unsigned s = 0; s < code->symbols; s++) {
        const uint64_t symbol = code->symbol[s];
        for (unsigned i = 0; symbol_form(symbol) != HALVES && i < symbol_values(symbol); i++) {
            const unsigned value = value_in(code, symbol, i);
            most = value > most ? value : most;
        }
    }
    return most;
}
