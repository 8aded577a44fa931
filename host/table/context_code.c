// context_code.c - decoding (context_code.h)
//
// The decoder of a unit has a state x, which holds a slot's number together with the symbols still to come:
//
//     1. The slot is x % 2^14; the symbol is the one that owns this slot.
//     2. x becomes slots of the symbol * (x / 2^14) + slot - first slot of the symbol.
//     3. If x is less than 2^16, the next 16 bits follow: x becomes 2^16 * x + these.
//
// In the end x is 2^16, where the encoder began, and all bytes have been read.
#include "table/context_code.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

// Reads frequencies of 2 bytes; none may be zero, and their sum must be right.
static bool read_slots(struct context_slots *slots, unsigned symbols, const uint8_t *at)
{
    unsigned sum = 0;
    for (unsigned s = 0; s < CONTEXT_SYMBOLS_MAX + 1; s++) {
        slots->start[s] = (uint16_t)sum;
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

bool context_model_read(struct context_model *model, const uint8_t *data, size_t bytes)
{
    const size_t most = CONTEXT_HEADER + 2 * (ROW_CONTEXTS * ROW_KINDS + (size_t)CONTEXTS_MAX * CONTEXT_SYMBOLS_MAX);
    uint8_t *raw = malloc(most);
    *model = (struct context_model){.slots = NULL};
    const size_t got = raw == NULL ? 0 : ZSTD_decompress(raw, most, data, bytes);
    bool good = raw != NULL && !ZSTD_isError(got) && got >= CONTEXT_HEADER && read_header(model, raw) &&
                got == CONTEXT_HEADER + 2 * (ROW_CONTEXTS * ROW_KINDS + (size_t)model->contexts * model->symbols);
    if (good)
        good = (model->slots = malloc(model->contexts * sizeof *model->slots)) != NULL;
    const uint8_t *at = good ? raw + CONTEXT_HEADER : NULL;
    for (unsigned i = 0; good && i < ROW_CONTEXTS; i++, at += 2 * ROW_KINDS)
        good = read_slots(&model->row[i], ROW_KINDS, at);
    for (unsigned i = 0; good && i < model->contexts; i++, at += 2 * model->symbols)
        good = read_slots(&model->slots[i], model->symbols, at);
    free(raw);
    if (!good)
        context_model_free(model);
    return good;
}

void context_model_free(struct context_model *model)
{
    free(model->slots);
    model->slots = NULL;
}

// ---- units ----

struct decoder {
    uint32_t state;
    const uint8_t *at;
    const uint8_t *end;
    bool overrun;
};

// Takes a symbol's slots out of the state, whose slot is `slot`.
static inline __attribute__((always_inline)) void decoder_take(struct decoder *decoder, uint32_t slot, uint32_t start,
                                                               uint32_t end)
{
    uint32_t state = (end - start) * (decoder->state >> CONTEXT_SCALE_BITS) + slot - start;
    if (state < CONTEXT_LEAST) {
        if (decoder->end - decoder->at < 2) {
            decoder->overrun = true;
            state = CONTEXT_LEAST;
        } else {
            state = state << 16 | decoder->at[0] | (uint32_t)decoder->at[1] << 8;
            decoder->at += 2;
        }
    }
    decoder->state = state;
}

static inline __attribute__((always_inline)) unsigned decode_one(struct decoder *decoder,
                                                                 const struct context_slots *slots)
{
    const uint32_t slot = decoder->state & ((1U << CONTEXT_SCALE_BITS) - 1);
    const uint16_t *start = slots->start;
    const unsigned symbol = (unsigned)(slot >= start[1]) + (slot >= start[2]) + (slot >= start[3]) + (slot >= start[4]);
    decoder_take(decoder, slot, start[symbol], start[symbol + 1]);
    return symbol;
}

// The same, with a guess of the symbol that is often right.
static inline __attribute__((always_inline)) unsigned decode_guess(struct decoder *decoder,
                                                                   const struct context_slots *slots, unsigned guess)
{
    const uint32_t slot = decoder->state & ((1U << CONTEXT_SCALE_BITS) - 1);
    const uint32_t start = slots->start[guess];
    const uint32_t end = slots->start[guess + 1];
    if (__builtin_expect(slot - start >= end - start, 0))
        return decode_one(decoder, slots);
    decoder_take(decoder, slot, start, end);
    return guess;
}

// Indices of symbols, after as many of index 0 as neighbours can reach.
struct unit {
    uint8_t space[2 * CONTEXT_UNIT];
    uint8_t kind[CONTEXT_UNIT / CONTEXT_ROW];
};

// Most symbols are like the one before. The processor guesses this by predicting the branch, so that the next symbol
// need not wait for the search of this one.
static inline __attribute__((always_inline)) void decode_row(const struct context_model *model, struct decoder *decoder,
                                                             uint8_t *to, size_t count, unsigned nears)
{
    struct decoder local = *decoder;
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

static void decode_any_row(const struct context_model *model, struct decoder *decoder, uint8_t *to, size_t count)
{
    if (model->nears == 0)
        decode_row(model, decoder, to, count, 0);
    else if (model->nears == 1)
        decode_row(model, decoder, to, count, 1);
    else
        decode_row(model, decoder, to, count, model->nears);
}

static bool decode_unit(const struct context_model *model, const uint8_t *data, size_t bytes, struct unit *unit,
                        size_t count)
{
    struct decoder decoder = {0, data, data + bytes, false};
    uint8_t *index = unit->space + CONTEXT_UNIT;
    if (bytes == 1 && data[0] < model->symbols) {
        memset(index, data[0], count);
        return true;
    }
    if (bytes < 4)
        return false;
    decoder.state = data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
    decoder.at += 4;
    if (decoder.state < CONTEXT_LEAST)
        return false;
    for (size_t at = 0; at < count; at += CONTEXT_ROW) {
        const unsigned row = (unsigned)(at / CONTEXT_ROW);
        const size_t length = count - at < CONTEXT_ROW ? count - at : CONTEXT_ROW;
        uint8_t *to = index + at;
        const unsigned kind = decode_one(&decoder, &model->row[context_of_row(unit->kind, row)]);
        unit->kind[row] = (uint8_t)kind;
        if (kind == ROW_REPEAT)
            memset(to, to[-1], CONTEXT_ROW);
        else if (kind == ROW_COPY)
            memcpy(to, to - model->copied, CONTEXT_ROW);
        else
            decode_any_row(model, &decoder, to, length);
    }
    return !decoder.overrun && decoder.state == CONTEXT_LEAST && decoder.at == decoder.end;
}

// Translates CONTEXT_VECTOR symbols at a time, without looking them up in a table.
static void symbols_of(const struct context_model *model, const uint8_t *index, size_t count, uint8_t *symbols)
{
    size_t at = 0;
    for (; at + CONTEXT_VECTOR <= count; at += CONTEXT_VECTOR) {
        index_vector from;
        memcpy(&from, index + at, sizeof from);
        index_vector to = (index_vector)(from == 0) & model->symbol[0];
        for (unsigned s = 1; s < CONTEXT_SYMBOLS_MAX; s++)
            to |= (index_vector)(from == (uint8_t)s) & model->symbol[s];
        memcpy(symbols + at, &to, sizeof to);
    }
    for (; at < count; at++)
        symbols[at] = model->symbol[index[at]];
}

bool context_decode(const struct context_model *model, const uint8_t *data, size_t bytes, size_t count, unsigned first,
                    unsigned last, uint8_t *symbols)
{
    const unsigned units = context_units(count);
    struct unit unit;
    memset(unit.space, 0, CONTEXT_UNIT);
    if (count == 0 || count > CONTEXT_BLOCK_MAX)
        return false;
    if (bytes == 1) { // all symbols are equal
        if (data[0] >= model->symbols)
            return false;
        memset(symbols, model->symbol[data[0]],
               (last == units ? count : (size_t)last * CONTEXT_UNIT) - (size_t)first * CONTEXT_UNIT);
        return true;
    }
    size_t at = 2 * (size_t)(units - 1); // offset of the first unit, after the lengths of all but the last one
    if (bytes < at)
        return false;
    for (unsigned u = 0; u < last; u++) {
        const size_t left = bytes - at;
        const size_t size = u == units - 1 ? left : data[2 * u] | (size_t)data[2 * u + 1] << 8;
        const size_t length = u == units - 1 ? count - (size_t)u * CONTEXT_UNIT : CONTEXT_UNIT;
        if (size > left)
            return false;
        if (u >= first) {
            uint8_t *to = symbols + (size_t)(u - first) * CONTEXT_UNIT;
            if (!decode_unit(model, data + at, size, &unit, length))
                return false;
            symbols_of(model, unit.space + CONTEXT_UNIT, length, to);
        }
        at += size;
    }
    return true;
}
