// word_symbols.c - the symbols that a table stores for the 64 entries of a word of planes
//
// The symbol kernels do nearly everything. The functions here do the rest: codes of more than seven bits and distances
// of two bytes.
#include "table/write/word_symbols.h"

#include "table/pattern_code.h"

#include <string.h>

void code_book_make(struct code_book *book, const solver_value (*value)[DISTANCE_CODES], bool first_free,
                    enum metric metric, const struct ply_lists *lists)
{
    const int limit = metric != METRIC_DTZ ? TABLE_PLY_MAX : PLY_LIMIT;
    first_free &= metric == METRIC_DTZ;
    *book = (struct code_book){.value = value};
    for (int won = 0; won < 2; won++) {
        for (int code = 0; code < DISTANCE_CODES; code++) {
            const bool used = code != 0 && value[won][code] != 0;
            const int ply = used ? solver_value_ply(value[won][code]) : 0;
            const bool free = !used || (first_free && won && ply == 1);
            const bool late = ply > limit;
            const int outcome = (won ? CLTB_WIN : CLTB_LOSS) / (late ? 2 : 1);
            const int place = lists == NULL || free ? ply : (int)ply_place(lists, outcome, ply);
            const int stored = free ? ANY_DISTANCE : place;
            book->distance[won * DISTANCE_CODES + code] = (uint16_t)stored;
            book->late[won * DISTANCE_CODES + code] = late;
            book->narrow.cursed |= late;
            if (code < 1 << NARROW_PLANES) {
                book->narrow.distance[won << NARROW_PLANES | code] = (uint8_t)stored;
                book->narrow.late[won << NARROW_PLANES | code] = late ? 0xff : 0;
            }
        }
    }
}

// The codes of 64 entries, as a book has them; 0 outside of `kept`.
static void wide_codes(const struct slice_side *planes, size_t w, uint64_t kept, uint16_t code[64])
{
    const uint64_t won = planes->won[w] & kept;
    for (unsigned lane = 0; lane < 64; lane++)
        code[lane] = (uint16_t)((won >> lane & 1) * DISTANCE_CODES);
    for (int bit = 0; bit < DISTANCE_PLANES_MAX && kept != 0; bit++) {
        const uint64_t word = planes->distance[bit] != NULL ? planes->distance[bit][w] & kept : 0;
        for (unsigned lane = 0; word != 0 && lane < 64; lane++)
            code[lane] |= (uint16_t)((word >> lane & 1) << bit);
    }
}

// Which of these 64 entries are won or lost later than the 50-move rule allows?
static uint64_t wide_late(const struct slice_side *planes, const struct code_book *book, size_t w)
{
    uint16_t code[64];
    uint64_t late = 0;
    const uint64_t any = book->narrow.cursed ? planes_any_code(planes, w) : 0;
    if (any == 0)
        return 0;
    wide_codes(planes, w, any, code);
    for (unsigned lane = 0; lane < 64; lane++)
        late |= (uint64_t)book->late[code[lane]] << lane;
    return late & any;
}

void word_outcomes(const struct symbol_kernels *kernels, const struct slice_side *planes, const struct code_book *book,
                   size_t first, size_t words, uint8_t *symbols, uint64_t counts[TABLE_OUTCOMES])
{
    if (planes_narrow(planes)) {
        kernels->outcomes(planes, &book->narrow, NULL, first, words, symbols, counts);
        return;
    }
    for (size_t i = 0; i < words; i++) {
        const uint64_t late = wide_late(planes, book, first + i);
        kernels->outcomes(planes, &book->narrow, &late, first + i, 1, symbols + 64 * i, counts);
    }
}

void word_distances(const struct symbol_kernels *kernels, const struct slice_side *planes, const struct code_book *book,
                    size_t first, size_t words, unsigned bytes, void *symbols)
{
    if (bytes == 1 && planes_narrow(planes)) {
        kernels->distances(planes, &book->narrow, first, words, symbols);
        return;
    }
    for (size_t i = 0; i < words; i++) {
        const size_t w = first + i;
        const uint64_t free = planes->resolved != NULL ? planes->won[w] & planes->resolved[w] : 0;
        uint16_t code[64];
        wide_codes(planes, w, planes_any_code(planes, w) & ~free, code);
        for (unsigned lane = 0; bytes == 1 && lane < 64; lane++)
            ((uint8_t *)symbols)[64 * i + lane] = (uint8_t)book->distance[code[lane]];
        for (unsigned lane = 0; bytes == 2 && lane < 64; lane++)
            ((uint16_t *)symbols)[64 * i + lane] = book->distance[code[lane]];
    }
}
