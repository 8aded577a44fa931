// word_symbols.c - what a table stores for the 64 entries of a word of planes
#include "table/write/word_symbols.h"

#include <string.h>

enum { NARROW_PLANES = 7 };

void code_book_make(struct code_book *book, const solver_value (*value)[DISTANCE_CODES])
{
    book->value = value;
    book->cursed = false;
    for (int won = 0; won < 2; won++) {
        for (int code = 0; code < DISTANCE_CODES; code++) {
            const bool used = code != 0 && value[won][code] != 0;
            const int ply = used ? solver_value_ply(value[won][code]) : ANY_DISTANCE;
            book->distance[won * DISTANCE_CODES + code] = (uint16_t)ply;
            book->cursed |= used && ply > PLY_LIMIT;
            if (code < 1 << NARROW_PLANES)
                book->narrow[won << NARROW_PLANES | code] = (uint16_t)ply;
        }
    }
}

static inline __attribute__((always_inline)) void set_symbol(void *symbols, unsigned bytes, unsigned lane,
                                                             unsigned symbol)
{
    if (bytes == 1)
        ((uint8_t *)symbols)[lane] = (uint8_t)symbol;
    else
        ((uint16_t *)symbols)[lane] = (uint16_t)symbol;
}

// ANY_DISTANCE outside `kept`. `bytes` is a constant where this is called.
static inline __attribute__((always_inline)) void distances_of(const struct slice_side *planes,
                                                               const struct code_book *book, size_t w, uint64_t kept,
                                                               unsigned bytes, void *symbols)
{
    const uint64_t won = planes->won[w] & kept;
    bool narrow = true;
    if (kept == 0) {
        memset(symbols, 0xff, (size_t)64 * bytes);
        return;
    }
    for (int bit = NARROW_PLANES; bit < DISTANCE_PLANES_MAX; bit++)
        narrow &= planes->distance[bit] == NULL;
    for (unsigned byte = 0; byte < 8; byte++) {
        uint64_t rows = 0;
        for (unsigned bit = 0; bit < 8; bit++) {
            if (planes->distance[bit] != NULL)
                rows |= ((planes->distance[bit][w] & kept) >> 8 * byte & 0xff) << 8 * bit;
        }
        if (narrow) {
            const uint64_t codes = transpose8(rows | (won >> 8 * byte & 0xff) << 56);
            for (unsigned i = 0; i < 8; i++)
                set_symbol(symbols, bytes, 8 * byte + i, book->narrow[codes >> 8 * i & 0xff]);
            continue;
        }
        const uint64_t low = transpose8(rows);
        for (unsigned i = 0; i < 8; i++) {
            const unsigned lane = 8 * byte + i;
            unsigned code = low >> 8 * i & 0xff;
            for (unsigned bit = 8; bit < DISTANCE_PLANES_MAX; bit++) {
                if (planes->distance[bit] != NULL)
                    code |= (unsigned)((planes->distance[bit][w] & kept) >> lane & 1) << bit;
            }
            set_symbol(symbols, bytes, lane, book->distance[(won >> lane & 1) * DISTANCE_CODES + code]);
        }
    }
}

// Which of these 64 entries are won or lost later than the 50-move rule allows.
static uint64_t cursed_in_word(const struct slice_side *planes, const struct code_book *book, size_t w, uint64_t any)
{
    uint16_t distance[64];
    uint64_t cursed = 0;
    if (!book->cursed || any == 0)
        return 0;
    distances_of(planes, book, w, any, 2, distance);
    for (unsigned i = 0; i < 64; i++)
        cursed |= (uint64_t)(distance[i] > PLY_LIMIT) << i;
    return cursed & any;
}

void word_outcomes(const struct slice_side *planes, const struct code_book *book, size_t w, uint64_t any,
                   uint8_t symbols[64], uint64_t counts[TABLE_OUTCOMES])
{
    const uint64_t win = planes->won[w] & any;
    const uint64_t draw = ~planes->won[w] & ~any;
    const uint64_t resolved = planes->resolved != NULL ? planes->resolved[w] : 0;
    const uint64_t cursed = cursed_in_word(planes, book, w, any);
    const uint64_t loss = any & ~win;
    const uint64_t with[TABLE_OUTCOMES] = {loss & ~cursed, loss & cursed, draw, win & cursed, win & ~cursed};
    for (int i = 0; i < TABLE_OUTCOMES; i++) {
        if (with[i] != 0)
            counts[i] += (uint64_t)__builtin_popcountll(with[i]);
    }
    // The bits of the symbols 0..4, DRAW_OR_WORSE and ANY_OUTCOME.
    const uint64_t free = (planes->won[w] & ~any) | (win & resolved);
    const uint64_t high = free | (draw & resolved);
    const uint64_t bit[3] = {cursed | free, draw | (win & cursed) | free, (win & ~cursed) | high};
    for (unsigned byte = 0; byte < 8; byte++) {
        const unsigned at = 8 * byte;
        const uint64_t rows = (bit[0] >> at & 0xff) | (bit[1] >> at & 0xff) << 8 | (bit[2] >> at & 0xff) << 16 |
                              (high >> at & 0xff) * UINT64_C(0x0101010101) << 24;
        const uint64_t eight = transpose8(rows);
        for (unsigned i = 0; i < 8; i++)
            symbols[at + i] = (uint8_t)(eight >> 8 * i);
    }
}

void word_distances(const struct slice_side *planes, const struct code_book *book, size_t w, uint64_t any,
                    unsigned bytes, void *symbols)
{
    const uint64_t free = planes->resolved != NULL ? planes->won[w] & planes->resolved[w] : 0;
    const uint64_t kept = any & ~free;
    if (bytes == 1)
        distances_of(planes, book, w, kept, 1, symbols);
    else
        distances_of(planes, book, w, kept, 2, symbols);
}
