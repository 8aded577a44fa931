// block_symbols.c - the symbols of a block: taken from an array in another order, and filled in for don't-cares
#include "table/write/block_symbols.h"

#include "table/write/word_symbols.h"
#include "util/cloned.h"
#include "util/transpose.h"

#include <cltb/cltb.h>

#include <stdbool.h>
#include <string.h>

// ---- one order out of another ----

// Copies `count` consecutive symbols, beginning with entry `first` of a section, out of an array in the natural order.
static void gather_in_order(const struct entry_digits *digits, const uint8_t *symbols, unsigned width, uint64_t first,
                            size_t count, uint8_t *to)
{
    uint64_t digit[ENTRY_GROUPS_MAX + 1] = {0};
    uint64_t at = 0;
    for (int g = 0; g < digits->count; g++) {
        digit[g] = first / digits->stride[g] % digits->size[g];
        at += digit[g] * digits->natural[g];
    }
    const int last = digits->count - 1;
    const uint64_t stride = digits->natural[last];
    for (size_t i = 0; i < count;) {
        // A run of the innermost group.
        size_t run = (size_t)(digits->size[last] - digit[last]);
        run = run < count - i ? run : count - i;
        if (width == 1) {
            for (size_t j = 0; j < run; j++)
                to[i + j] = symbols[at + j * stride];
        } else {
            for (size_t j = 0; j < run; j++)
                memcpy(to + 2 * (i + j), symbols + 2 * (at + j * stride), 2);
        }
        i += run;
        at -= digit[last] * stride;
        digit[last] = 0;
        for (int g = last - 1; g >= 0; g--) {
            at += digits->natural[g];
            if (++digit[g] < digits->size[g])
                break;
            at -= digits->size[g] * digits->natural[g];
            digit[g] = 0;
        }
    }
}

// The part of a digit's values that are in a block.
struct span {
    uint64_t count;
    uint64_t from; // from one value to the next, symbols in the natural order
    uint64_t to;   // and in the block
};

// If a block is a box, in which each digit has a range of values independently of the others, finds these ranges, the
// digit with the smallest stride in the natural order first. Returns false if it is not a box.
static bool find_spans(const struct entry_digits *digits, uint64_t first, size_t count, struct span *span, int *spans)
{
    *spans = 0;
    for (int g = digits->count - 1; g >= 0 && digits->stride[g] < count; g--) {
        const uint64_t left = count / digits->stride[g];
        const uint64_t values = left < digits->size[g] ? left : digits->size[g];
        const uint64_t start = first / digits->stride[g] % digits->size[g];
        if (values * digits->stride[g] > count || count % (values * digits->stride[g]) != 0 ||
            start + values > digits->size[g] || (values < digits->size[g] && values * digits->stride[g] != count))
            return false;
        int place = (*spans)++;
        for (; place > 0 && span[place - 1].from > digits->natural[g]; place--)
            span[place] = span[place - 1];
        span[place] = (struct span){values, digits->natural[g], digits->stride[g]};
    }
    return *spans > 0;
}

// Copies a matrix: to[column * columns->to + row] = from[row * rows->from + column]. Does eight rows at a time, so that
// their cache lines are fetched at once.
static void gather_matrix(const struct span *rows, const struct span *columns, const uint8_t *from, uint8_t *to)
{
    for (uint64_t row = 0; row < rows->count; row += 8, from += 8 * rows->from, to += 8) {
        const uint64_t some = rows->count - row < 8 ? rows->count - row : 8;
        uint64_t column = 0;
        for (; some == 8 && column + 8 <= columns->count; column += 8) {
            uint64_t words[8];
            for (uint64_t i = 0; i < 8; i++)
                memcpy(&words[i], from + i * rows->from + column, sizeof words[i]);
            transpose_bytes(words, words);
            for (uint64_t i = 0; i < 8; i++)
                memcpy(to + (column + i) * columns->to, &words[i], sizeof words[i]);
        }
        for (; column < columns->count; column++) {
            for (uint64_t i = 0; i < some; i++)
                to[column * columns->to + i] = from[i * rows->from + column];
        }
    }
}

static void gather_line(const struct span *line, unsigned width, const uint8_t *from, uint8_t *to)
{
    if (line->from == 1 && line->to == 1) {
        memcpy(to, from, line->count * width);
    } else if (width == 1) {
        for (uint64_t i = 0; i < line->count; i++)
            to[i * line->to] = from[i * line->from];
    } else {
        for (uint64_t i = 0; i < line->count; i++)
            memcpy(to + 2 * i * line->to, from + 2 * i * line->from, 2);
    }
}

CLONED void gather_block(const struct entry_digits *digits, const uint8_t *symbols, unsigned width, uint64_t first,
                         size_t count, uint8_t *to)
{
    struct span span[ENTRY_GROUPS_MAX + 1];
    int spans;
    uint64_t at = 0;
    if (!find_spans(digits, first, count, span, &spans)) {
        gather_in_order(digits, symbols, width, first, count, to);
        return;
    }
    for (int g = 0; g < digits->count; g++)
        at += first / digits->stride[g] % digits->size[g] * digits->natural[g];
    // Every cache line that is read is used at once, whatever the order, because the block itself is small.
    symbols += at * width;
    const struct span inner = span[0];
    struct span rows = {0};
    if (width == 1 && inner.from == 1 && inner.to > 1) {
        int g = 1;
        while (span[g].to > 1)
            g++;
        rows = span[g];
        memmove(span + g, span + g + 1, (size_t)(--spans - g) * sizeof *span);
    }
    uint64_t value[ENTRY_GROUPS_MAX + 1] = {0};
    for (int g = 0; g < spans;) {
        if (rows.count > 0)
            gather_matrix(&rows, &inner, symbols, to);
        else
            gather_line(&inner, width, symbols, to);
        for (g = 1; g < spans; g++) {
            symbols += span[g].from * width;
            to += span[g].to * width;
            if (++value[g] < span[g].count)
                break;
            symbols -= span[g].count * span[g].from * width;
            to -= span[g].count * span[g].to * width;
            value[g] = 0;
        }
    }
}

// ---- don't-cares ----

// A don't-care gets the outcome before it; from the first DRAW_OR_WORSE of a run on, at most a draw.
static void fill_outcomes(uint8_t *symbols, size_t count)
{
    enum { DRAW = CLTB_DRAW + 2 };
    uint8_t last = DRAW;
    for (size_t i = 0; i < count; i++) {
        if (symbols[i] == DRAW_OR_WORSE && last > DRAW)
            last = DRAW;
        else if (symbols[i] < TABLE_OUTCOMES)
            last = symbols[i];
        symbols[i] = last;
    }
}

static void fill_distances(uint8_t *symbols, size_t count)
{
    uint8_t last = 0;
    for (size_t i = 0; i < count; i++)
        last = symbols[i] = symbols[i] == (uint8_t)ANY_DISTANCE ? last : symbols[i];
}

CLONED void dont_care_fill(enum table_kind kind, unsigned symbol_bytes, void *symbols, size_t count)
{
    if (kind == TABLE_OUTCOME) {
        fill_outcomes(symbols, count);
    } else if (symbol_bytes == 1) {
        fill_distances(symbols, count);
    } else {
        uint16_t *distances = symbols;
        uint16_t before = 0;
        for (size_t i = 0; i < count; i++)
            before = distances[i] = distances[i] == ANY_DISTANCE ? before : distances[i];
    }
}
