// context_code.c - decoding outcomes (context_code.h)
#include "table/context_code.h"

#include "util/cloned.h"

#include <stdlib.h>
#include <string.h>

bool context_read_slots(uint16_t *start, unsigned size, unsigned symbols, const uint8_t *at)
{
    unsigned sum = 0;
    for (unsigned s = 0; s < size; s++) {
        start[s] = (uint16_t)sum;
        if (s >= symbols)
            continue;
        const unsigned count = at[2 * s] | (unsigned)at[2 * s + 1] << 8;
        if (count == 0 || count > (1U << CONTEXT_SCALE_BITS) - sum)
            return false;
        sum += count;
    }
    return sum == 1U << CONTEXT_SCALE_BITS;
}

bool context_model_sort(struct context_model *model)
{
    model->contexts = 1;
    model->fars = model->nears = model->before = 0;
    for (unsigned i = 0; i < model->neighbours; i++) {
        const struct context_neighbour neighbour = {model->distance[i], (uint16_t)model->contexts};
        if (neighbour.distance == 1)
            model->before = (uint16_t)(model->before + neighbour.weight);
        else if (neighbour.distance < CONTEXT_ROW)
            model->near[model->nears++] = neighbour;
        else
            model->far[model->fars++] = neighbour;
        model->contexts *= model->symbols;
        if (neighbour.distance == 0 || neighbour.distance > CONTEXT_UNIT || model->contexts > CONTEXTS_MAX)
            return false;
    }
    return true;
}

static bool read_header(struct context_model *model, const uint8_t *at)
{
    model->symbols = at[0];
    model->neighbours = at[1];
    if (model->symbols < 1 || model->symbols > CONTEXT_SYMBOLS_MAX || model->neighbours > CONTEXT_NEIGHBOURS_MAX)
        return false;
    for (unsigned i = 0; i < model->symbols; i++) {
        model->symbol[i] = at[2 + i];
        if (model->symbol[i] >= CONTEXT_SYMBOLS_MAX || memchr(model->symbol, at[2 + i], i) != NULL)
            return false;
    }
    at += 2 + CONTEXT_SYMBOLS_MAX;
    model->copied = (uint16_t)(at[0] | at[1] << 8);
    for (unsigned i = 0; i < model->neighbours; i++)
        model->distance[i] = (uint16_t)(at[2 + 2 * i] | at[3 + 2 * i] << 8);
    return context_model_sort(model) && model->copied >= CONTEXT_ROW && model->copied <= CONTEXT_UNIT;
}

bool outcome_model_read(struct context_model *model, const uint8_t *at, size_t bytes)
{
    if (bytes < CONTEXT_HEADER || !read_header(model, at) ||
        bytes != CONTEXT_HEADER + 2 * (ROW_CONTEXTS * ROW_KINDS + (size_t)model->contexts * model->symbols) ||
        (model->slots = malloc(model->contexts * sizeof *model->slots)) == NULL)
        return false;
    bool good = true;
    at += CONTEXT_HEADER;
    for (unsigned i = 0; good && i < ROW_CONTEXTS; i++, at += 2 * ROW_KINDS)
        good = context_read_slots(model->row[i].start, CONTEXT_SYMBOLS_MAX + 1, ROW_KINDS, at);
    for (unsigned i = 0; good && i < model->contexts; i++, at += 2 * model->symbols)
        good = context_read_slots(model->slots[i].start, CONTEXT_SYMBOLS_MAX + 1, model->symbols, at);
    return good;
}

// As context_decode_one(), with a guess of the symbol that is often right.
static inline __attribute__((always_inline)) unsigned decode_guess(struct context_decoder *decoder,
                                                                   const struct context_slots *slots, unsigned guess)
{
    const uint32_t slot = context_slot(decoder);
    const uint32_t start = slots->start[guess];
    const uint32_t end = slots->start[guess + 1];
    if (__builtin_expect(slot - start >= end - start, 0))
        return context_decode_one(decoder, slots);
    context_take(decoder, slot, start, end);
    return guess;
}

// Most symbols are like the one before. The processor guesses this by predicting the branch, so that the next symbol
// need not wait for the search of this one.
static inline __attribute__((always_inline)) void decode_row(const struct context_model *model,
                                                             struct context_decoder *decoder, uint8_t *to, size_t count,
                                                             unsigned nears)
{
    struct context_decoder local = *decoder;
    uint16_t far[CONTEXT_ROW];
    unsigned last = to[-1];
    context_far(model, to, far);
    for (size_t i = 0; i < count; i++) {
        unsigned context = far[i] + model->before * last;
        for (unsigned n = 0; n < nears; n++)
            context += model->near[n].weight * (unsigned)to[(ptrdiff_t)i - model->near[n].distance];
        last = decode_guess(&local, &model->slots[context], last);
        to[i] = (uint8_t)last;
    }
    *decoder = local;
}

CLONED void outcome_decode_row(const struct context_model *model, struct context_decoder *decoder, uint8_t *to,
                               size_t count)
{
    if (model->nears == 0)
        decode_row(model, decoder, to, count, 0);
    else if (model->nears == 1)
        decode_row(model, decoder, to, count, 1);
    else
        decode_row(model, decoder, to, count, model->nears);
}
