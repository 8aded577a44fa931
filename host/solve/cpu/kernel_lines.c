// kernel_lines.c - entries with the same code, line by line (code_lines.h)
//
// The entries of a line are found code by code: the code of the first entry that is left, then all entries that have
// it, by comparing each bit of all 512 codes at once. With AVX-512 four lines are done at a time, because the next code
// of a line is known only when the entries with the one before are. AVX2 gains nothing here.
#include "solve/code_lines.h"

#include "solve/cpu/wide_shuffles.h"
#include "solve/solution.h"

#include <string.h>

#if WIDE_SHUFFLES

enum { TOGETHER = 4 };

// Words of two rows, for each place of a row.
static inline __attribute__((always_inline)) void exchange_words(__m512i *a, __m512i *b, __m512i low, __m512i high)
{
    const __m512i first = *a;
    *a = _mm512_permutex2var_epi64(first, low, *b);
    *b = _mm512_permutex2var_epi64(first, high, *b);
}

// Exchanges word w of row b with word b of row w.
static inline __attribute__((always_inline)) void transpose_words(__m512i row[LINE_WORDS])
{
    const __m512i even = _mm512_set_epi64(14, 6, 12, 4, 10, 2, 8, 0);
    const __m512i odd = _mm512_set_epi64(15, 7, 13, 5, 11, 3, 9, 1);
    const __m512i even_pairs = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
    const __m512i odd_pairs = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
    const __m512i low_half = _mm512_set_epi64(11, 10, 9, 8, 3, 2, 1, 0);
    const __m512i high_half = _mm512_set_epi64(15, 14, 13, 12, 7, 6, 5, 4);
#pragma GCC unroll 4
    for (int i = 0; i < LINE_WORDS; i += 2)
        exchange_words(&row[i], &row[i + 1], even, odd);
#pragma GCC unroll 4
    for (int i = 0; i < LINE_WORDS / 2; i++)
        exchange_words(&row[i + (i & 2)], &row[i + (i & 2) + 2], even_pairs, odd_pairs);
#pragma GCC unroll 4
    for (int i = 0; i < LINE_WORDS / 2; i++)
        exchange_words(&row[i], &row[i + 4], low_half, high_half);
}

// Bit i of a number of four bits as a whole word.
// clang-format off
#define BIT_WORDS(n) {-(uint64_t)((n) & 1), -(uint64_t)((n) >> 1 & 1), -(uint64_t)((n) >> 2 & 1), -(uint64_t)((n) >> 3)}
// clang-format on
#define FOUR_OF(n) BIT_WORDS(n), BIT_WORDS((n) + 1), BIT_WORDS((n) + 2), BIT_WORDS((n) + 3)
static const uint64_t bit_words[16][4] = {FOUR_OF(0), FOUR_OF(4), FOUR_OF(8), FOUR_OF(12)};

// A line while its entries are taken.
struct line_work {
    __m512i plane[LINE_WORDS];                 // one for each bit
    uint64_t left[LINE_WORDS + 1];             // entries; and a zero
    uint64_t bits[LINE_WORDS + 1][LINE_WORDS]; // words of the planes, by word; and zeros
};

// Returns the entries with a code.
static inline __attribute__((always_inline)) __m512i begin_line(struct line_work *work, const uint64_t *planes,
                                                                const uint64_t *closed, size_t words, int bits)
{
    __m512i row[LINE_WORDS];
    __m512i left = _mm512_setzero_si512();
#pragma GCC unroll 8
    for (int bit = 0; bit < LINE_WORDS; bit++) {
        row[bit] = bit < bits ? _mm512_loadu_si512(planes + (size_t)bit * words) : _mm512_setzero_si512();
        work->plane[bit] = row[bit];
        left = _mm512_or_si512(left, row[bit]);
    }
    left = _mm512_andnot_si512(_mm512_loadu_si512(closed), left);
    if (_mm512_test_epi64_mask(left, left) != 0) {
        transpose_words(row);
#pragma GCC unroll 8
        for (int w = 0; w < LINE_WORDS; w++)
            _mm512_storeu_si512(work->bits[w], row[w]);
    }
    return left;
}

// Neighbouring lines often have the same codes, so they count in different places.
static inline __attribute__((always_inline)) size_t find_lines(const uint64_t *planes, const uint64_t *closed,
                                                               size_t words, int bits, struct code_line *lines,
                                                               uint64_t *masks, struct code_counts *counts)
{
    struct code_line *line = lines;
    struct line_work work[TOGETHER];
    struct code_counts count[TOGETHER][256];
    memset(work, 0, sizeof work);
    memset(count, 0, sizeof count);
    for (size_t first = 0; first < words; first += (size_t)TOGETHER * LINE_WORDS) {
        __m512i left[TOGETHER];
        unsigned any = 0;
#pragma GCC unroll 4
        for (size_t j = 0; j < TOGETHER; j++) {
            const size_t at = first + j * LINE_WORDS;
            left[j] = at < words ? begin_line(&work[j], planes + at, closed + at, words, bits) : _mm512_setzero_si512();
            any |= _mm512_test_epi64_mask(left[j], left[j]);
        }
        while (any != 0) {
            any = 0;
#pragma GCC unroll 4
            for (size_t j = 0; j < TOGETHER; j++) {
                const unsigned open = _mm512_test_epi64_mask(left[j], left[j]);
                _mm512_storeu_si512(work[j].left, left[j]);
                const int w = __builtin_ctz(open | 1U << LINE_WORDS);
                const uint64_t entry = work[j].left[w] & -work[j].left[w];
                const __m512i entries = _mm512_set1_epi64((long long)entry);
                const unsigned code = _mm512_test_epi64_mask(_mm512_loadu_si512(work[j].bits[w]), entries);
                __m512i mask = left[j];
#pragma GCC unroll 8
                for (int bit = 0; bit < bits; bit++) {
                    const uint64_t set = bit_words[bit < 4 ? code & 15 : code >> 4][bit & 3];
                    mask = _mm512_ternarylogic_epi64(mask, work[j].plane[bit], _mm512_set1_epi64((long long)set), 0x90);
                }
                left[j] = _mm512_andnot_si512(mask, left[j]);
                any |= _mm512_test_epi64_mask(left[j], left[j]);
                const __mmask8 some = _mm512_test_epi64_mask(mask, mask);
                const unsigned number = (unsigned)__builtin_popcount(some);
                _mm512_storeu_si512(masks, _mm512_maskz_compress_epi64(some, mask));
                masks += number;
                *line = (struct code_line){(uint16_t)(first / LINE_WORDS + j), (uint16_t)code, some, (uint8_t)number};
                line += some != 0;
                count[j][code].lines += some != 0;
                count[j][code].masks += number;
            }
        }
    }
    for (size_t i = 0; i < (size_t)TOGETHER << bits; i++) {
        counts[i / TOGETHER].lines += count[i % TOGETHER][i / TOGETHER].lines;
        counts[i / TOGETHER].masks += count[i % TOGETHER][i / TOGETHER].masks;
    }
    return (size_t)(line - lines);
}

#endif

typedef uint64_t line_t __attribute__((vector_size(8 * LINE_WORDS), may_alias));

static inline __attribute__((always_inline)) size_t find_each(const uint64_t *planes, const uint64_t *closed,
                                                              size_t words, int bits, struct code_line *lines,
                                                              uint64_t *masks, struct code_counts *counts)
{
    struct code_line *line = lines;
    for (size_t first = 0; first < words; first += LINE_WORDS) {
        line_t plane[MATE_CODE_BITS];
        line_t shut;
        line_t left = {0};
        memcpy(&shut, closed + first, sizeof shut);
        for (int bit = 0; bit < bits; bit++) {
            memcpy(&plane[bit], planes + (size_t)bit * words + first, sizeof left);
            left |= plane[bit];
        }
        left &= ~shut;
        for (size_t w = 0; w < LINE_WORDS; w++) {
            while (left[w] != 0) {
                const int lane = __builtin_ctzll(left[w]);
                line_t mask = left;
                unsigned code = 0;
                for (int bit = 0; bit < bits; bit++) {
                    const uint64_t set = planes[(size_t)bit * words + first + w] >> lane & 1;
                    code |= (unsigned)set << bit;
                    mask &= ~(plane[bit] ^ (0 - set));
                }
                left &= ~mask;
                *line = (struct code_line){.line = (uint16_t)(first / LINE_WORDS), .code = (uint16_t)code};
                for (int i = 0; i < LINE_WORDS; i++) {
                    masks[line->masks] = mask[i];
                    line->masks = (uint8_t)(line->masks + (mask[i] != 0));
                    line->words = (uint8_t)(line->words | (mask[i] != 0) << i);
                }
                masks += line->masks;
                counts[code].lines++;
                counts[code].masks += line->masks;
                line++;
            }
        }
    }
    return (size_t)(line - lines);
}

#if !WIDE_SHUFFLES
#define find_lines find_each
#endif

static size_t find(const uint64_t *planes, const uint64_t *closed, size_t words, int bits, struct code_line *lines,
                   uint64_t *masks, struct code_counts *counts)
{
    memset(counts, 0, sizeof *counts << bits);
    switch (bits) { // the usual numbers of bits are known to the compiler
    case 5:
        return find_lines(planes, closed, words, 5, lines, masks, counts);
    case 6:
        return find_lines(planes, closed, words, 6, lines, masks, counts);
    case 7:
        return find_lines(planes, closed, words, 7, lines, masks, counts);
    case 8:
        return find_lines(planes, closed, words, 8, lines, masks, counts);
    default:
        return find_each(planes, closed, words, bits, lines, masks, counts);
    }
}

static void place(const struct code_line *lines, size_t count, const uint64_t *masks, struct line_list *ends)
{
    for (size_t i = 0; i < count; i++) {
        const struct code_line *from = &lines[i];
        struct line_list *end = &ends[from->code];
#if WIDE_SHUFFLES
        _mm512_mask_storeu_epi64(end->mask, (__mmask8)((1U << from->masks) - 1), _mm512_loadu_si512(masks));
#else
        for (unsigned m = 0; m < from->masks; m++)
            end->mask[m] = masks[m];
#endif
        *end->line++ = from->line;
        *end->words++ = from->words;
        end->mask += from->masks;
        masks += from->masks;
    }
}

static void enter(const struct line_list *list, size_t count, uint64_t *plane)
{
    const uint64_t *mask = list->mask;
    for (size_t i = 0; i < count; i++) {
        uint64_t *to = plane + (size_t)LINE_WORDS * list->line[i];
#if WIDE_SHUFFLES
        const __mmask8 words = list->words[i];
        const unsigned masks = (unsigned)__builtin_popcount(words);
        const __m512i all = _mm512_maskz_loadu_epi64((__mmask8)((1U << masks) - 1), mask);
        _mm512_storeu_si512(to, _mm512_or_si512(_mm512_loadu_si512(to), _mm512_maskz_expand_epi64(words, all)));
        mask += masks;
#else
        for (unsigned left = list->words[i]; left != 0; left &= left - 1)
            to[__builtin_ctz(left)] |= *mask++;
#endif
    }
}

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

extern const struct code_kernels JOIN(code_kernels_, CLTB_ISA);
const struct code_kernels JOIN(code_kernels_, CLTB_ISA) = {find, place, enter};
