// gather.c - a block of symbols in one order of the men, out of an array in another
#include "table/write/gather.h"

#include <stdbool.h>
#include <string.h>

// Copies `count` symbols from entry `first` of a section out of an array in the natural order, consecutively.
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

// The part of a digit's values that a block has.
struct span {
    uint64_t count;
    uint64_t from; // symbols from one value to the next, in the natural order
    uint64_t to;   // and in the block
};

// If a block is a box, in which each digit runs over a range of values independently, finds these ranges, the digit
// with the smallest stride in the natural order first. Returns false if it is not a box.
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

void gather_block(const struct entry_digits *digits, const uint8_t *symbols, unsigned width, uint64_t first,
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
    // Every line of memory that is read is used at once, whatever the order is, because the block itself is small.
    symbols += at * width;
    const struct span inner = span[0];
    uint64_t value[ENTRY_GROUPS_MAX + 1] = {0};
    for (int g = 0; g < spans;) {
        if (width == 1) {
            for (uint64_t i = 0; i < inner.count; i++)
                to[i * inner.to] = symbols[i * inner.from];
        } else {
            for (uint64_t i = 0; i < inner.count; i++)
                memcpy(to + 2 * i * inner.to, symbols + 2 * i * inner.from, 2);
        }
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
