// kernel_symbols.c - from planes to symbols of a byte and back, 64 at a time
//
// Eight words that each have one bit of 64 symbols form a bit matrix, which is transposed in registers: first whole
// bytes of the words, then the 8x8 bits of each eight bytes. With AVX-512 a word is a mask that adds its bit: one
// instruction for each bit of a row. Splitting symbols with pmovmskb, as SSE2 could, is 1.1 times as slow as shifts.
#include "solve/cpu/symbol_kernels.h"

#include "index/square.h"
#include "solve/cpu/wide_shuffles.h"
#include "util/transpose.h"

#include <string.h>

typedef uint64_t symbols_t __attribute__((vector_size(64), may_alias)); // 64 symbols

#if !WIDE_SHUFFLES && defined(__SSE2__)
#include <emmintrin.h>
#endif

#define OUTCOMES 5

// ---- exchanging the number of a byte in each quadword with that of the row, in 8 rows ----

static inline void exchange_step(symbols_t w[8], int step, int shift, uint64_t low)
{
    for (int i = 0; i < 8; i++) {
        if (i & step)
            continue;
        const symbols_t a = w[i];
        const symbols_t b = w[i + step];
        w[i] = (a & low) | (b & low) << shift;
        w[i + step] = (a >> shift & low) | (b & ~low);
    }
}

static inline void exchange_rows(symbols_t w[8])
{
    exchange_step(w, 1, 8, UINT64_C(0x00ff00ff00ff00ff));
    exchange_step(w, 2, 16, UINT64_C(0x0000ffff0000ffff));
    exchange_step(w, 4, 32, UINT64_C(0x00000000ffffffff));
}

#if WIDE_SHUFFLES

static inline symbols_t exchange_bytes(symbols_t value)
{
    return (symbols_t)swap_digits12((__m512i)value);
}

// Makes symbols: symbol i has bit i of each word.
static inline symbols_t expand(const uint64_t bits[8])
{
    __m512i symbols = _mm512_setzero_si512();
    for (int bit = 0; bit < 8; bit++)
        symbols = _mm512_mask_add_epi8(symbols, bits[bit], symbols, _mm512_set1_epi8((char)(1 << bit)));
    return (symbols_t)symbols;
}

// table[symbol] for each symbol.
static inline symbols_t look_up(symbols_t symbols, const uint8_t table[256])
{
    const __m512i which = (__m512i)symbols;
    const __m512i low = _mm512_permutex2var_epi8(_mm512_loadu_si512(table), which, _mm512_loadu_si512(table + 64));
    const __m512i high =
        _mm512_permutex2var_epi8(_mm512_loadu_si512(table + 128), which, _mm512_loadu_si512(table + 192));
    return (symbols_t)_mm512_mask_mov_epi8(low, _mm512_movepi8_mask(which), high);
}

// The highest bit of each symbol.
static inline uint64_t high_bits(symbols_t symbols)
{
    return _mm512_movepi8_mask((__m512i)symbols);
}

#else

static inline symbols_t exchange_bytes(symbols_t value)
{
    uint64_t w[8];
    memcpy(w, &value, sizeof w);
    transpose_bytes(w, w);
    memcpy(&value, w, sizeof w);
    return value;
}

static inline symbols_t expand(const uint64_t bits[8])
{
    uint64_t w[8];
    symbols_t x;
    memcpy(w, bits, sizeof w);
    transpose_bytes(w, w);
    memcpy(&x, w, sizeof x);
    // As in transpose8().
    symbols_t t = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ t ^ t << 28;
}

static inline symbols_t look_up(symbols_t symbols, const uint8_t table[256])
{
    uint8_t byte[64];
    memcpy(byte, &symbols, sizeof byte);
    for (int i = 0; i < 64; i++)
        byte[i] = table[byte[i]];
    memcpy(&symbols, byte, sizeof symbols);
    return symbols;
}

static inline uint64_t high_bits(symbols_t symbols)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= (symbols[i] >> 7 & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56 << 8 * i;
    return bits;
}

#endif

// ---- symbols ----

// The bits of won << 7 | code; zero outside of `kept`.
static inline symbols_t codes_of(const struct slice_side *planes, size_t w, uint64_t kept)
{
    uint64_t bits[8];
    for (int bit = 0; bit < NARROW_PLANES; bit++)
        bits[bit] = planes->distance[bit] != NULL ? planes->distance[bit][w] & kept : 0;
    bits[NARROW_PLANES] = planes->won[w] & kept;
    return expand(bits);
}

static void outcomes(const struct slice_side *planes, const struct symbol_codes *codes, const uint64_t *late,
                     size_t first, size_t words, uint8_t *symbols, uint64_t *counts)
{
    for (size_t w = first; w < first + words; w++, symbols += 64) {
        const uint64_t any = planes_any_code(planes, w);
        const uint64_t won = planes->won[w];
        const uint64_t resolved = planes->resolved != NULL ? planes->resolved[w] : 0;
        uint64_t cursed = 0;
        if (late != NULL)
            cursed = late[w - first];
        else if (codes->cursed && any != 0)
            cursed = high_bits(look_up(codes_of(planes, w, any), codes->late));
        const uint64_t win = won & any;
        const uint64_t loss = any & ~win;
        const uint64_t draw = ~won & ~any;
        const uint64_t with[OUTCOMES] = {loss & ~cursed, loss & cursed, draw, win & cursed, win & ~cursed};
        for (int i = 0; i < OUTCOMES; i++)
            counts[i] += (uint64_t)__builtin_popcountll(with[i]);
        // The bits of the symbols 0..4, DRAW_OR_WORSE and ANY_OUTCOME.
        const uint64_t free = (won & ~any) | (win & resolved);
        const uint64_t high = free | (draw & resolved);
        const uint64_t bits[8] = {
            cursed | free, draw | (win & cursed) | free, (win & ~cursed) | high, high, high, high, high, high};
        const symbols_t result = expand(bits);
        memcpy(symbols, &result, sizeof result);
    }
}

static void distances(const struct slice_side *planes, const struct symbol_codes *codes, size_t first, size_t words,
                      uint8_t *symbols)
{
    for (size_t w = first; w < first + words; w++, symbols += 64) {
        const uint64_t free = planes->resolved != NULL ? planes->won[w] & planes->resolved[w] : 0;
        const uint64_t kept = planes_any_code(planes, w) & ~free;
        if (kept == 0) {
            memset(symbols, 0xff, 64);
            continue;
        }
        const symbols_t result = look_up(codes_of(planes, w, kept), codes->distance);
        memcpy(symbols, &result, sizeof result);
    }
}

// ---- their order ----

static void exchange(uint8_t *symbols, size_t words, int digit)
{
    const size_t stride = (size_t)1 << 3 * (digit > 2 ? digit - 2 : 0); // words
    symbols_t w[8];
    for (size_t i = 0; digit == 1 && i < words; i++) {
        memcpy(w, symbols + 64 * i, sizeof w[0]);
        w[0] = exchange_bytes(w[0]);
        memcpy(symbols + 64 * i, w, sizeof w[0]);
    }
    for (size_t first = 0; digit > 1 && first < words; first += first % stride == stride - 1 ? 7 * stride + 1 : 1) {
        for (size_t i = 0; i < 8; i++)
            memcpy(&w[i], symbols + 64 * (first + i * stride), sizeof w[i]);
        exchange_rows(w);
        for (size_t i = 0; i < 8; i++)
            memcpy(symbols + 64 * (first + i * stride), &w[i], sizeof w[i]);
    }
}

static void put_rows(uint8_t *to, const uint8_t *from, const struct symbol_rows *rows)
{
    for (size_t r = 0; r < rows->rows; r++, from += 64) {
        uint8_t *row = to + (size_t)64 * rows->place[r];
        if (!(rows->kept >> r & 1)) {
            memset(row, 0xff, 64);
            continue;
        }
#if WIDE_SHUFFLES
        const __m512i symbols = _mm512_permutexvar_epi8(_mm512_loadu_si512(rows->code), _mm512_loadu_si512(from));
        _mm512_storeu_si512(row, _mm512_or_si512(symbols, _mm512_loadu_si512(rows->free)));
#else
        uint8_t symbols[64];
        memcpy(symbols, from, sizeof symbols);
        for (int i = 0; i < 64; i++)
            row[i] = symbols[rows->code[i]] | rows->free[i];
#endif
    }
}

// Rows first..first+7 of join_rows(), in the order of codes: the number of an array is exchanged with that of a row.
static inline void load_rows(symbols_t row[8], const uint8_t *from, size_t apart, size_t first)
{
    for (size_t u = 0; u < 8; u++)
        memcpy(&row[u], from + u * apart + 8 * first, sizeof row[u]);
#if WIDE_SHUFFLES
    const __m512i low[3] = {_mm512_set_epi64(14, 6, 12, 4, 10, 2, 8, 0), _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0),
                            _mm512_set_epi64(11, 10, 9, 8, 3, 2, 1, 0)};
    for (int bit = 0; bit < 3; bit++) {
        const __m512i high = _mm512_add_epi64(low[bit], _mm512_set1_epi64(1 << bit));
        for (int i = 0; i < 8; i++) {
            if (i >> bit & 1)
                continue;
            const __m512i a = (__m512i)row[i];
            const __m512i b = (__m512i)row[i + (1 << bit)];
            row[i] = (symbols_t)_mm512_permutex2var_epi64(a, low[bit], b);
            row[i + (1 << bit)] = (symbols_t)_mm512_permutex2var_epi64(a, high, b);
        }
    }
#else
    for (int i = 0; i < 8; i++) {
        for (int u = 0; u < i; u++) {
            const uint64_t word = row[i][u];
            row[i][u] = row[u][i];
            row[u][i] = word;
        }
    }
#endif
}

static inline symbols_t by_squares(symbols_t row)
{
#if WIDE_SHUFFLES
    return (symbols_t)_mm512_permutexvar_epi8(_mm512_loadu_si512(square_code), (__m512i)row);
#else
    uint8_t codes[64];
    uint8_t squares[64];
    memcpy(codes, &row, sizeof codes);
    for (int i = 0; i < 64; i++)
        squares[i] = codes[square_code[i]];
    memcpy(&row, squares, sizeof row);
    return row;
#endif
}

// A whole line past the cache: nothing is read first, and nothing is written back later. Eight bytes at a time, nearly
// each store did both, as the lines of a tile's symbols are powers of two apart: building KQRBvK takes 0.73 of the CPU
// time, KRBvKN 0.86, KQRvKR 0.92.
static inline void store_line(uint8_t *to, symbols_t line, bool past)
{
#if WIDE_SHUFFLES
    if (past) {
        _mm512_stream_si512((void *)to, (__m512i)line);
        return;
    }
#elif defined(__SSE2__)
    if (past) {
        __m128i part[4];
        memcpy(part, &line, sizeof part);
        for (int i = 0; i < 4; i++)
            _mm_stream_si128((__m128i *)(void *)to + i, part[i]);
        return;
    }
#else
    (void)past;
#endif
    memcpy(to, &line, sizeof line);
}

static void join_rows(uint8_t *to, const uint64_t *place, size_t rows, const uint8_t *from, size_t apart,
                      const uint8_t free[64])
{
    const bool past = (uintptr_t)to % sizeof(symbols_t) == 0;
    symbols_t dont_care;
    memcpy(&dont_care, free, sizeof dont_care);
    for (size_t first = 0; first < rows; first += 8) {
        symbols_t row[8];
        load_rows(row, from, apart, first);
        for (size_t i = 0; i < 8; i++) {
            if (place[first + i] != UINT64_MAX)
                store_line(to + place[first + i], by_squares(row[i]) | dont_care, past);
        }
    }
#ifdef __SSE2__
    _mm_sfence(); // before another thread reads them
#endif
}

// ---- from symbols to bits ----

#if WIDE_SHUFFLES

static inline __attribute__((always_inline)) void split_bits(const uint8_t *from, const uint64_t row[64],
                                                             const uint8_t order[64], int bits, enum symbol_split how,
                                                             uint64_t (*planes)[64])
{
    const __m512i which = _mm512_loadu_si512(order);
    for (int r = 0; r < 64; r++) {
        const __m512i symbols = _mm512_permutexvar_epi8(which, _mm512_loadu_si512(from + row[r]));
        for (int b = 0; b < bits; b++)
            planes[b][r] = _mm512_test_epi8_mask(symbols, _mm512_set1_epi8((char)(1 << b)));
    }
    for (int b = 0; b < bits; b++) {
        uint64_t column[64];
        for (int r = 0; r < 64; r += 8) {
            symbols_t words = exchange_bytes((symbols_t)_mm512_loadu_si512(planes[b] + r));
            if (how != SPLIT_BY_ROW)
                words = (symbols_t)swap_digits01((__m512i)words);
            memcpy(planes[b] + r, &words, sizeof words);
        }
        if (how != SPLIT_COLUMNS)
            continue;
        for (int i = 0; i < 64; i++)
            column[i] = planes[b][8 * (i % 8) + i / 8];
        for (int c = 0; c < 64; c += 8) {
            const symbols_t words = exchange_bytes((symbols_t)_mm512_loadu_si512(column + c));
            memcpy(planes[b] + c, &words, sizeof words);
        }
    }
}

#else

// Exchanges rows and columns; row i is word i, column j is bit j.
static inline void transpose_words(uint64_t matrix[64])
{
    uint64_t mask = UINT64_C(0x00000000ffffffff);
    for (unsigned step = 32; step > 0; step /= 2, mask ^= mask << step) {
        for (unsigned row = 0; row < 64; row += 2 * step) {
            for (unsigned i = row; i < row + step; i++) {
                const uint64_t change = (matrix[i] >> step ^ matrix[i + step]) & mask;
                matrix[i] ^= change << step;
                matrix[i + step] ^= change;
            }
        }
    }
}

// First a row has bit 8 * (s % 8) + s / 8 of its symbol s.
static inline __attribute__((always_inline)) void split_bits(const uint8_t *from, const uint64_t row[64],
                                                             const uint8_t order[64], int bits, enum symbol_split how,
                                                             uint64_t (*planes)[64])
{
    for (int r = 0; r < 64; r++) {
        uint64_t bit[8] = {0};
        for (int eighth = 7; eighth >= 0; eighth--) {
            uint64_t eight;
            memcpy(&eight, from + row[r] + 8 * eighth, sizeof eight);
            for (int b = 0; b < bits; b++)
                bit[b] = bit[b] << 1 | (eight >> b & UINT64_C(0x0101010101010101));
        }
        for (int b = 0; b < bits; b++)
            planes[b][r] = bit[b];
    }
    for (int b = 0; b < bits; b++) {
        uint64_t column[64];
        transpose_words(planes[b]);
        for (int c = 0; c < 64; c++)
            column[c] = planes[b][8 * (order[c] % 8) + order[c] / 8];
        for (int c = 0; how != SPLIT_COLUMNS && c < 64; c += 8) {
            transpose_bytes(column + c, column + c);
            for (int r = 0; r < 8; r++)
                planes[b][8 * r + c / 8] = how == SPLIT_BY_ROW ? transpose8(column[c + r]) : column[c + r];
        }
        if (how == SPLIT_COLUMNS)
            memcpy(planes[b], column, sizeof column);
    }
}

#endif

static void split(const uint8_t *from, const uint64_t row[64], const uint8_t order[64], int bits, enum symbol_split how,
                  uint64_t (*planes)[64])
{
    if (bits == 3)
        split_bits(from, row, order, 3, how, planes);
    else
        split_bits(from, row, order, 8, how, planes);
}

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define TEXT_(x)    #x
#define TEXT(x)     TEXT_(x)

extern const struct symbol_kernels JOIN(symbol_kernels_, CLTB_ISA);
const struct symbol_kernels JOIN(symbol_kernels_, CLTB_ISA) = {TEXT(CLTB_ISA), outcomes,  distances, exchange,
                                                               put_rows,       join_rows, split};
