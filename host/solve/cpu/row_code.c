// row_code.c - packing of bitsets that stay in memory (row_code.h)
#include "solve/cpu/row_code.h"

#include "util/cloned.h"

#include <string.h>

enum {
    REFERENCE_BITS = 3,
    REFERENCES = 1 << REFERENCE_BITS,
    ROW_MASKS = (1 << (8 - REFERENCE_BITS)) - 1, // in place of a number of bytes
    ROW_BYTES = 8 * ROW_WORDS,
    MASK_ROWS = 64
};

// Words before a row; 0 stands for a row of zeros. The number of a word has octal digits of the men's squares
// (index/layout.h): 1, 8, 64 and 512 words are one step of one of them, 16, 128 and 1024 are two.
static const unsigned reference[REFERENCES] = {0, 1, 8, 16, 64, 128, 512, ROW_BEFORE};

static size_t rows_of(size_t words)
{
    return (words + ROW_WORDS - 1) / ROW_WORDS;
}

static size_t masks_of(size_t words)
{
    return (rows_of(words) + MASK_ROWS - 1) / MASK_ROWS;
}

size_t row_code_bound(size_t words)
{
    return 8 * masks_of(words) + (2 + ROW_WORDS + ROW_BYTES) * rows_of(words) + ROW_SLACK;
}

// ---- packing ----

typedef uint8_t row_vector __attribute__((vector_size(16)));

// A bit for each byte that differs.
static inline uint64_t different(const uint64_t *row, const uint64_t *from)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < ROW_BYTES / sizeof(row_vector); i++) {
        row_vector a;
        row_vector b;
        memcpy(&a, row + 2 * i, sizeof a);
        memcpy(&b, from + 2 * i, sizeof b);
#ifdef __SSE2__
        typedef char chars __attribute__((vector_size(sizeof(row_vector))));
        const uint64_t equal = (unsigned)__builtin_ia32_pmovmskb128((chars)(a == b));
#else
        uint64_t equal = 0;
        for (unsigned j = 0; j < sizeof a; j++)
            equal |= (uint64_t)(a[j] == b[j]) << j;
#endif
        mask |= (equal ^ 0xffff) << 16 * i;
    }
    return mask;
}

// 1 in each byte that is not zero.
static inline uint64_t not_zero(uint64_t bytes)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    return ((((bytes & low) + low) | bytes) & ~low) >> 7;
}

// Puts the bytes of a word that a mask names next to each other, from the lowest on.
static inline uint64_t gather_bytes(uint64_t word, unsigned mask)
{
#ifdef __BMI2__
    return __builtin_ia32_pext_di(word, __builtin_ia32_pdep_di(mask, UINT64_C(0x0101010101010101)) * 0xff);
#else
    uint64_t bytes = 0;
    for (unsigned to = 0; mask != 0; mask &= mask - 1, to += 8)
        bytes |= (word >> 8 * (unsigned)__builtin_ctz(mask) & 0xff) << to;
    return bytes;
#endif
}

// The opposite.
static inline uint64_t scatter_bytes(uint64_t bytes, unsigned mask)
{
#ifdef __BMI2__
    return __builtin_ia32_pdep_di(bytes, __builtin_ia32_pdep_di(mask, UINT64_C(0x0101010101010101)) * 0xff);
#else
    uint64_t word = 0;
    for (; mask != 0; mask &= mask - 1, bytes >>= 8)
        word |= (bytes & 0xff) << 8 * (unsigned)__builtin_ctz(mask);
    return word;
#endif
}

static inline uint8_t *pack_row(const uint64_t *row, uint64_t bytes, uint8_t *at)
{
    static const uint64_t zeros[ROW_WORDS];
    unsigned best = 0;
    unsigned least = ROW_BYTES * 2;
    uint64_t difference = bytes;
    for (unsigned r = 0; r < REFERENCES && least > 1; r++) {
        const uint64_t mask = r == 0 ? bytes : different(row, row - reference[r]);
        const unsigned count = (unsigned)__builtin_popcountll(mask);
        const unsigned masked = 2 + (unsigned)__builtin_popcountll(not_zero(mask)) + count;
        const unsigned listed = 1 + 2 * count;
        const unsigned cost = listed < masked ? listed : masked;
        if (cost < least) {
            least = cost;
            best = r;
            difference = mask;
        }
    }
    const uint64_t *from = best == 0 ? zeros : row - reference[best];
    const unsigned count = (unsigned)__builtin_popcountll(difference);
    const unsigned words = (unsigned)(not_zero(difference) * UINT64_C(0x0102040810204080) >> 56); // a bit each
    if (1 + 2 * count == least) {
        *at++ = (uint8_t)(best | count << REFERENCE_BITS);
        for (uint64_t left = difference; left != 0; left &= left - 1) {
            const unsigned place = (unsigned)__builtin_ctzll(left);
            *at++ = (uint8_t)place;
            *at++ = (uint8_t)((row[place / 8] ^ from[place / 8]) >> place % 8 * 8);
        }
        return at;
    }
    *at++ = (uint8_t)(best | ROW_MASKS << REFERENCE_BITS);
    *at++ = (uint8_t)words;
    for (unsigned left = words; left != 0; left &= left - 1) {
        const unsigned w = (unsigned)__builtin_ctz(left);
        const unsigned mask = (uint8_t)(difference >> 8 * w);
        const uint64_t gathered = gather_bytes(row[w] ^ from[w], mask);
        *at++ = (uint8_t)mask;
        memcpy(at, &gathered, sizeof gathered);
        at += __builtin_popcount(mask);
    }
    return at;
}

CLONED size_t row_code_pack(const uint64_t *bits, size_t words, uint8_t *code)
{
    static const uint64_t zeros[ROW_WORDS];
    const size_t rows = rows_of(words);
    uint8_t *at = code + 8 * masks_of(words);
    uint8_t *first = at;
    for (size_t r = 0; r < rows; r += MASK_ROWS) {
        uint64_t mask = 0;
        for (size_t i = r; i < rows && i < r + MASK_ROWS; i++) {
            const uint64_t *row = bits + ROW_WORDS * i;
            const uint64_t bytes = different(row, zeros);
            if (bytes == 0)
                continue;
            mask |= UINT64_C(1) << (i - r);
            at = pack_row(row, bytes, at);
        }
        memcpy(code + 8 * (r / MASK_ROWS), &mask, sizeof mask);
    }
    return at == first ? 0 : (size_t)(at - code);
}

// ---- unpacking ----

static inline const uint8_t *unpack_row(const uint8_t *at, uint64_t *row)
{
    const unsigned distance = reference[*at % REFERENCES];
    const unsigned count = *at++ / REFERENCES;
    uint64_t difference[ROW_WORDS] = {0};
    if (count < ROW_MASKS) {
        for (unsigned i = 0; i < count; i++, at += 2)
            difference[at[0] / 8] |= (uint64_t)at[1] << at[0] % 8 * 8;
    } else {
        for (unsigned left = *at++; left != 0; left &= left - 1) {
            const unsigned mask = *at++;
            uint64_t bytes;
            memcpy(&bytes, at, sizeof bytes);
            difference[__builtin_ctz(left)] = scatter_bytes(bytes, mask);
            at += __builtin_popcount(mask);
        }
    }
    for (unsigned i = 0; i < ROW_WORDS; i++)
        row[i] = difference[i] ^ (distance > 0 ? row[(ptrdiff_t)i - (ptrdiff_t)distance] : 0);
    return at;
}

CLONED void row_code_or(const uint8_t *code, size_t words, uint64_t *space, size_t first, size_t count,
                        uint64_t *const *to, int planes)
{
    const size_t masks = masks_of(words);
    const size_t end = first + count;
    const uint8_t *at = code + 8 * masks;
    for (size_t m = 0; m < masks; m++) {
        uint64_t mask;
        memcpy(&mask, code + 8 * m, sizeof mask);
        for (; mask != 0; mask &= mask - 1) {
            const size_t row = ROW_WORDS * (MASK_ROWS * m + (unsigned)__builtin_ctzll(mask));
            const size_t from = row < first ? first : row;
            const size_t length = row + ROW_WORDS < end ? row + ROW_WORDS : end;
            at = unpack_row(at, space + row);
            for (int p = 0; p < planes; p++) {
                for (size_t i = from; i < length; i++)
                    to[p][i - first] |= space[i];
            }
        }
    }
    for (size_t m = 0; m < masks; m++) {
        uint64_t mask;
        memcpy(&mask, code + 8 * m, sizeof mask);
        for (; mask != 0; mask &= mask - 1)
            memset(space + ROW_WORDS * (MASK_ROWS * m + (unsigned)__builtin_ctzll(mask)), 0, ROW_WORDS * sizeof *space);
    }
}
