// gap.c - sparse planes as the gaps between set bits
//
// Decoding has two passes: the first one adds up all gaps, so that the second one needs no checks and a bad code
// changes nothing.
#include <cltb/gap.h>

#include "util/error.h"

#include <stdbool.h>
#include <string.h>

enum {
    LONG_GAP = 255, // zeros without a one
    WORD_BITS = 64,
    RUN_WORDS = 8,      // processed together: a cache line
    RUN_BYTES = 1 << 12 // of a code, processed together
};

uint64_t cltb_gap_bound(uint64_t bits, uint64_t ones)
{
    if (ones > bits)
        ones = bits;
    return ones + (bits - ones) / LONG_GAP;
}

// ---- words of a plane ----

static uint64_t words_of(uint64_t bits)
{
    return bits / WORD_BITS + (bits % WORD_BITS != 0);
}

// The last word may have other bits beyond the plane's.
static uint64_t word_at(const uint64_t *plane, uint64_t bits, uint64_t w)
{
    const uint64_t mask = w == bits / WORD_BITS ? ((uint64_t)1 << bits % WORD_BITS) - 1 : ~(uint64_t)0;
    return plane[w] & mask;
}

// Which of the words w..w+RUN_WORDS-1 have ones: bit i for word w + i. Walking along these bits mispredicts fewer
// branches than testing each word.
static inline unsigned words_with_ones(const uint64_t *plane, uint64_t bits, uint64_t w)
{
    unsigned with = 0;
    if (bits / WORD_BITS - w >= RUN_WORDS) {
        uint64_t any = 0;
        for (unsigned i = 0; i < RUN_WORDS; i++)
            any |= plane[w + i];
        if (any == 0)
            return 0;
        for (unsigned i = 0; i < RUN_WORDS; i++)
            with |= (unsigned)(plane[w + i] != 0) << i;
        return with;
    }
    for (unsigned i = 0; i < RUN_WORDS && w + i < words_of(bits); i++)
        with |= (unsigned)(word_at(plane, bits, w + i) != 0) << i;
    return with;
}

// Not the compiler's builtin, which is a function call if there is no instruction for it.
static uint64_t count_ones(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return word * UINT64_C(0x0101010101010101) >> 56;
}

uint64_t cltb_gap_ones(const uint64_t *plane, uint64_t bits)
{
    uint64_t ones = 0;
    for (uint64_t w = 0; w < words_of(bits); w += RUN_WORDS) {
        for (unsigned with = words_with_ones(plane, bits, w); with != 0; with &= with - 1)
            ones += count_ones(word_at(plane, bits, w + (unsigned)__builtin_ctz(with)));
    }
    return ones;
}

uint64_t cltb_gap_size(const uint64_t *plane, uint64_t bits)
{
    uint64_t size = 0;
    uint64_t next = 0; // the bit after the last one
    for (uint64_t w = 0; w < words_of(bits); w += RUN_WORDS) {
        for (unsigned with = words_with_ones(plane, bits, w); with != 0; with &= with - 1) {
            const uint64_t at = w + (unsigned)__builtin_ctz(with);
            const uint64_t word = word_at(plane, bits, at);
            // Only the first gap of a word can be long.
            size += (at * WORD_BITS + (uint64_t)__builtin_ctzll(word) - next) / LONG_GAP + count_ones(word);
            next = (at + 1) * WORD_BITS - (uint64_t)__builtin_clzll(word);
        }
    }
    return size;
}

// ---- encoding ----

static int too_small(size_t space)
{
    return error_set(CLTB_E_USAGE, "a gap code needs more than the %zu bytes that it may have", space);
}

// Writes the code of a word that is not zero; `gap`: the zeros before the word.
static inline uint8_t *put_word(uint8_t *at, uint64_t word, uint64_t gap)
{
    unsigned bit = (unsigned)__builtin_ctzll(word);
    for (gap += bit; gap >= LONG_GAP; gap -= LONG_GAP)
        *at++ = LONG_GAP;
    *at++ = (uint8_t)gap;
    while ((word &= word - 1) != 0) {
        const unsigned next = (unsigned)__builtin_ctzll(word);
        *at++ = (uint8_t)(next - bit - 1);
        bit = next;
    }
    return at;
}

int cltb_gap_encode(const uint64_t *plane, uint64_t bits, uint8_t *code, size_t space, size_t *bytes)
{
    uint8_t *at = code;
    uint64_t next = 0; // the bit after the last one
    *bytes = 0;
    for (uint64_t w = 0; w < words_of(bits); w += RUN_WORDS) {
        for (unsigned with = words_with_ones(plane, bits, w); with != 0; with &= with - 1) {
            const uint64_t start = (w + (unsigned)__builtin_ctz(with)) * WORD_BITS;
            const uint64_t word = word_at(plane, bits, start / WORD_BITS);
            const uint64_t gap = start - next;
            if (space - (uint64_t)(at - code) < count_ones(word) + (gap + (unsigned)__builtin_ctzll(word)) / LONG_GAP)
                return too_small(space);
            at = put_word(at, word, gap);
            next = start + WORD_BITS - (uint64_t)__builtin_clzll(word);
        }
    }
    *bytes = (size_t)(at - code);
    return 0;
}

// ---- decoding ----

int cltb_gap_check(const uint8_t *code, size_t bytes, uint64_t bits, uint64_t *ones)
{
    uint64_t longs = 0;
    uint64_t end = 0; // number of bits coded so far
    if (bytes > 0 && code[bytes - 1] == LONG_GAP)
        return error_set(CLTB_E_CORRUPT, "a gap code of %zu bytes ends inside a gap", bytes);
    for (size_t at = 0; at < bytes;) {
        const size_t run = bytes - at < RUN_BYTES ? bytes - at : RUN_BYTES;
        unsigned zeros = 0;
        unsigned without = 0; // bytes without a one
        for (size_t i = at; i < at + run; i++) {
            zeros += code[i];
            without += code[i] == LONG_GAP;
        }
        end += zeros + run - without;
        longs += without;
        at += run;
        if (end > bits)
            return error_set(CLTB_E_CORRUPT, "a gap code runs past the plane's %llu bits before byte %zu",
                             (unsigned long long)bits, at);
    }
    if (ones != NULL)
        *ones = bytes - longs;
    return 0;
}

// For a code that has been checked: it does not end with a long gap, so the bit after a long gap is still in the plane.
static void or_code(const uint8_t *code, size_t bytes, uint64_t *plane)
{
    uint64_t next = 0;
    for (size_t i = 0; i < bytes; i++) {
        const uint64_t one = code[i] != LONG_GAP;
        next += code[i];
        plane[next / WORD_BITS] |= one << next % WORD_BITS;
        next += one;
    }
}

int cltb_gap_decode_or(const uint8_t *code, size_t bytes, uint64_t *plane, uint64_t bits, uint64_t *ones)
{
    TRY(cltb_gap_check(code, bytes, bits, ones));
    or_code(code, bytes, plane);
    return 0;
}

int cltb_gap_decode(const uint8_t *code, size_t bytes, uint64_t *plane, uint64_t bits, uint64_t *ones)
{
    TRY(cltb_gap_check(code, bytes, bits, ones));
    const uint64_t whole = bits / WORD_BITS;
    if (whole > 0)
        memset(plane, 0, whole * sizeof *plane);
    if (bits % WORD_BITS != 0)
        plane[whole] &= ~(((uint64_t)1 << bits % WORD_BITS) - 1);
    or_code(code, bytes, plane);
    return 0;
}

// ---- two codes ----

struct reader {
    const uint8_t *at;
    const uint8_t *end;
    uint64_t one; // the next one; UINT64_MAX: no more
};

// `next`: the bit after the last one.
static void read_one(struct reader *reader, uint64_t next)
{
    if (reader->at == reader->end) {
        reader->one = UINT64_MAX;
        return;
    }
    while (*reader->at == LONG_GAP) { // this is never the last byte
        next += LONG_GAP;
        reader->at++;
    }
    reader->one = next + *reader->at++;
}

int cltb_gap_or(const uint8_t *a, size_t a_bytes, const uint8_t *b, size_t b_bytes, uint64_t bits, uint8_t *code,
                size_t space, size_t *bytes)
{
    *bytes = 0;
    TRY(cltb_gap_check(a, a_bytes, bits, NULL));
    TRY(cltb_gap_check(b, b_bytes, bits, NULL));
    struct reader reader[2] = {{a, a_bytes > 0 ? a + a_bytes : a, 0}, {b, b_bytes > 0 ? b + b_bytes : b, 0}};
    read_one(&reader[0], 0);
    read_one(&reader[1], 0);
    size_t at = 0;
    for (uint64_t next = 0; reader[0].one != UINT64_MAX || reader[1].one != UINT64_MAX;) {
        const uint64_t one = reader[0].one < reader[1].one ? reader[0].one : reader[1].one;
        uint64_t gap = one - next;
        if (space - at <= gap / LONG_GAP)
            return too_small(space);
        for (; gap >= LONG_GAP; gap -= LONG_GAP)
            code[at++] = LONG_GAP;
        code[at++] = (uint8_t)gap;
        next = one + 1;
        for (int i = 0; i < 2; i++)
            if (reader[i].one == one)
                read_one(&reader[i], next);
    }
    *bytes = at;
    return 0;
}
