// kernel_rows.c - packing of bitsets while a table is solved (row_kernels.h)
//
// With AVX-512 the bytes of a row are compared, and put next to each other, by one instruction each; with BMI2 eight at
// a time.
#include "solve/cpu/row_kernels.h"

#include "solve/cpu/wide_shuffles.h"

#include <string.h>

enum {
    REFERENCE_BITS = 3,
    REFERENCES = 1 << REFERENCE_BITS,
    ROW_MASKS = (1 << (8 - REFERENCE_BITS)) - 1 // in place of a number of bytes
};

// Words before a row; 0 stands for a row of zeros. The number of a word has octal digits of the men's squares
// (index/layout.h): 1, 8, 64 and 512 words are one step of one of them, 16, 128 and 1024 are two.
static const unsigned reference[REFERENCES] = {0, 1, 8, 16, 64, 128, 512, ROW_BEFORE};

static const uint64_t zeros[ROW_WORDS];

static inline const uint64_t *reference_of(const uint64_t *row, unsigned number)
{
    return number == 0 ? zeros : row - reference[number];
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

static inline uint64_t eight_of(const uint8_t *bytes)
{
    uint64_t eight;
    memcpy(&eight, bytes, sizeof eight);
    return eight;
}

// A bit for each byte that differs.
static inline uint64_t different(const uint64_t *row, const uint64_t *from)
{
#if WIDE_SHUFFLES
    return _mm512_cmpneq_epi8_mask(_mm512_loadu_si512(row), _mm512_loadu_si512(from));
#else
    typedef uint8_t row_vector __attribute__((vector_size(16)));
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
#endif
}

// Writes the differences of the bytes that a mask names.
static inline void put_bytes(uint8_t *to, const uint64_t *row, const uint64_t *from, uint64_t mask)
{
#if WIDE_SHUFFLES
    const __m512i difference = _mm512_xor_si512(_mm512_loadu_si512(row), _mm512_loadu_si512(from));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi8(mask, difference));
#else
    for (unsigned w = 0; w < ROW_WORDS; w++, mask >>= 8) {
        const uint64_t bytes = gather_bytes(row[w] ^ from[w], (uint8_t)mask);
        memcpy(to, &bytes, sizeof bytes);
        to += __builtin_popcount((uint8_t)mask);
    }
#endif
}

// The opposite. The row is zero before; `from` may be the word before it, so that each word differs from the last one.
static inline void take_bytes(const uint8_t *bytes, uint64_t *row, const uint64_t *from, uint64_t mask)
{
#if WIDE_SHUFFLES
    const __m512i zero = _mm512_setzero_si512();
    const __mmask8 within = row - from == 1 ? 0xff : 0;
    __m512i sum = _mm512_maskz_expand_epi8(mask, _mm512_loadu_si512(bytes));
    sum = _mm512_xor_si512(sum, _mm512_loadu_si512(from));
    sum = _mm512_xor_si512(sum, _mm512_maskz_alignr_epi64(within, sum, zero, 7));
    sum = _mm512_xor_si512(sum, _mm512_maskz_alignr_epi64(within, sum, zero, 6));
    sum = _mm512_xor_si512(sum, _mm512_maskz_alignr_epi64(within, sum, zero, 4));
    _mm512_storeu_si512(row, sum);
#else
    for (unsigned w = 0; w < ROW_WORDS; w++, mask >>= 8) {
        row[w] = scatter_bytes(eight_of(bytes), (uint8_t)mask) ^ from[w];
        bytes += __builtin_popcount((uint8_t)mask);
    }
#endif
}

// ---- packing ----

// What the row differs from in the shortest code.
struct choice {
    unsigned reference;
    unsigned cost;
    uint64_t mask; // of the bytes that differ
};

// Of the references, the first one with the least cost. `bytes`: a bit for each byte that is not zero.
static inline struct choice choose(const uint64_t *row, uint64_t bytes)
{
#if WIDE_SHUFFLES // after the two most frequent ones all at once, as further branches could not be guessed
    uint64_t masks[REFERENCES] = {bytes};
    for (unsigned r = 1; r < REFERENCES; r++) {
        masks[r] = different(row, row - reference[r]);
        if (r <= 2 && masks[r] == 0)
            return (struct choice){r, 1, 0};
    }
    const __m512i all = _mm512_loadu_si512(masks);
    const __m512i count = _mm512_popcnt_epi64(all);
    const __m512i words = _mm512_popcnt_epi64(_mm512_maskz_set1_epi8(_mm512_test_epi8_mask(all, all), 1));
    const __m512i listed = _mm512_add_epi64(_mm512_add_epi64(count, count), _mm512_set1_epi64(1));
    const __m512i masked = _mm512_add_epi64(_mm512_add_epi64(count, words), _mm512_set1_epi64(2));
    const __m512i cost = _mm512_slli_epi64(_mm512_min_epu64(listed, masked), REFERENCE_BITS);
    const unsigned best =
        (unsigned)_mm512_reduce_min_epu64(_mm512_or_si512(cost, _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0)));
    return (struct choice){best % REFERENCES, best / REFERENCES, masks[best % REFERENCES]};
#else
    struct choice best = {.cost = ROW_BYTES * 2};
    for (unsigned r = 0; r < REFERENCES && best.cost > 1; r++) {
        const uint64_t mask = r == 0 ? bytes : different(row, row - reference[r]);
        const unsigned count = (unsigned)__builtin_popcountll(mask);
        const unsigned masked = 2 + (unsigned)__builtin_popcountll(not_zero(mask)) + count;
        const unsigned listed = 1 + 2 * count;
        const unsigned cost = listed < masked ? listed : masked;
        if (cost < best.cost)
            best = (struct choice){r, cost, mask};
    }
    return best;
#endif
}

// Writes the places of the bytes that a mask names.
static inline uint8_t *put_places(uint8_t *at, uint64_t mask)
{
#if WIDE_SHUFFLES
    static const uint8_t places[ROW_BYTES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                              32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                              48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    _mm512_storeu_si512(at, _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(places)));
    return at + __builtin_popcountll(mask);
#else
    for (uint64_t left = mask; left != 0; left &= left - 1)
        *at++ = (uint8_t)__builtin_ctzll(left);
    return at;
#endif
}

static inline uint8_t *pack_row(const uint64_t *row, uint64_t bytes, uint8_t *at)
{
    const struct choice best = choose(row, bytes);
    const uint64_t mask = best.mask;
    const unsigned count = (unsigned)__builtin_popcountll(mask);
    if (1 + 2 * count == best.cost) {
        *at++ = (uint8_t)(best.reference | count << REFERENCE_BITS);
        at = put_places(at, mask);
    } else {
        const unsigned words = (unsigned)(not_zero(mask) * UINT64_C(0x0102040810204080) >> 56); // a bit each
        const uint64_t masks = gather_bytes(mask, words);
        *at++ = (uint8_t)(best.reference | ROW_MASKS << REFERENCE_BITS);
        *at++ = (uint8_t)words;
        memcpy(at, &masks, sizeof masks);
        at += __builtin_popcount(words);
    }
    put_bytes(at, row, reference_of(row, best.reference), mask);
    return at + count;
}

static size_t pack(const uint64_t *bits, size_t words, uint8_t *code)
{
    const size_t rows = rows_of(words);
    uint8_t *at = code + 8 * row_masks_of(words);
    uint8_t *first = at;
    for (size_t r = 0; r < rows; r += ROWS_OF_MASK) {
        uint64_t mask = 0;
        for (size_t i = r; i < rows && i < r + ROWS_OF_MASK; i++) {
            const uint64_t *row = bits + ROW_WORDS * i;
            const uint64_t bytes = different(row, zeros);
            if (bytes == 0)
                continue;
            mask |= UINT64_C(1) << (i - r);
            at = pack_row(row, bytes, at);
        }
        memcpy(code + 8 * (r / ROWS_OF_MASK), &mask, sizeof mask);
    }
    return at == first ? 0 : (size_t)(at - code);
}

// ---- unpacking ----

static inline const uint8_t *unpack_row(const uint8_t *at, uint64_t *row)
{
    const uint64_t *from = reference_of(row, *at % REFERENCES);
    const unsigned listed = *at++ / REFERENCES;
    uint64_t mask = 0;
    if (listed < ROW_MASKS) {
        for (unsigned i = 0; i < listed; i++)
            mask |= UINT64_C(1) << *at++;
    } else {
        const unsigned words = *at++;
        mask = scatter_bytes(eight_of(at), words);
        at += __builtin_popcount(words);
    }
    take_bytes(at, row, from, mask);
    return at + __builtin_popcountll(mask);
}

// One explicit vector: left to itself, gcc makes eight scalar words of it and keeps their addresses in vector
// registers. With this, unpacking in KQRvKRB takes 5.9 CPU seconds instead of 10.2.
static inline void add_row(uint64_t *to, const uint64_t *from)
{
    typedef uint64_t row_vector __attribute__((vector_size(ROW_BYTES)));
    row_vector a;
    row_vector b;
    memcpy(&a, to, sizeof a);
    memcpy(&b, from, sizeof b);
    a |= b;
    memcpy(to, &a, sizeof a);
}

static void add(const uint8_t *code, size_t words, uint64_t *space, size_t first, size_t count, uint64_t *const *to,
                int planes)
{
    const size_t masks = row_masks_of(words);
    const size_t end = first + count;
    const uint8_t *at = code + 8 * masks;
    for (size_t m = 0; m < masks; m++) {
        for (uint64_t mask = eight_of(code + 8 * m); mask != 0; mask &= mask - 1) {
            const size_t row = ROW_WORDS * (ROWS_OF_MASK * m + (unsigned)__builtin_ctzll(mask));
            const size_t from = row < first ? first : row;
            const size_t past = row + ROW_WORDS < end ? row + ROW_WORDS : end;
            const size_t wanted = past > from ? past - from : 0;
            at = unpack_row(at, space + row);
            for (int p = 0; p < planes && wanted == ROW_WORDS; p++)
                add_row(to[p] + (row - first), space + row);
            for (int p = 0; p < planes && wanted < ROW_WORDS; p++) {
                for (size_t w = from; w < from + wanted; w++)
                    to[p][w - first] |= space[w];
            }
        }
    }
    for (size_t m = 0; m < masks; m++) {
        for (uint64_t mask = eight_of(code + 8 * m); mask != 0; mask &= mask - 1)
            memset(space + ROW_WORDS * (ROWS_OF_MASK * m + (unsigned)__builtin_ctzll(mask)), 0, ROW_BYTES);
    }
}

static void unpack(const uint8_t *code, size_t words, uint64_t *bits)
{
    const size_t rows = rows_of(words);
    const uint8_t *at = code + 8 * row_masks_of(words);
    for (size_t r = 0; r < rows; r += ROWS_OF_MASK) {
        memset(bits + ROW_WORDS * r, 0, ROW_BYTES * (rows - r < ROWS_OF_MASK ? rows - r : ROWS_OF_MASK));
        for (uint64_t mask = eight_of(code + 8 * (r / ROWS_OF_MASK)); mask != 0; mask &= mask - 1)
            at = unpack_row(at, bits + ROW_WORDS * (r + (unsigned)__builtin_ctzll(mask)));
    }
}

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

extern const struct row_kernels JOIN(row_kernels_, CLTB_ISA);
const struct row_kernels JOIN(row_kernels_, CLTB_ISA) = {pack, add, unpack};
