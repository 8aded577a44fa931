// block_code.c - decoding a block of outcomes or distances (block_code.h)
//
// The decoder of a unit has a state x, which holds a slot's number together with the symbols still to come:
//
//     1. The slot is x % 2^14; the symbol is the one that owns this slot.
//     2. x becomes slots of the symbol * (x / 2^14) + slot - first slot of the symbol.
//     3. If x is less than 2^16, the next 16 bits follow: x becomes 2^16 * x + these.
//
// In the end x is 2^16, where the encoder began, and all bytes have been read.
#include "table/block_code.h"

#include "table/pattern_code.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

bool context_model_read(struct context_model *model, bool distances, const uint8_t *data, size_t bytes)
{
    const size_t most =
        distances ? PATTERN_MODEL_MAX
                  : CONTEXT_HEADER + 2 * (ROW_CONTEXTS * ROW_KINDS + (size_t)CONTEXTS_MAX * CONTEXT_SYMBOLS_MAX);
    uint8_t *raw = malloc(most);
    *model = (struct context_model){.slots = NULL};
    const size_t got = raw == NULL ? 0 : ZSTD_decompress(raw, most, data, bytes);
    const bool good = raw != NULL && !ZSTD_isError(got) &&
                      (distances ? pattern_model_read(model, raw, got) : outcome_model_read(model, raw, got));
    free(raw);
    if (!good)
        context_model_free(model);
    return good;
}

void context_model_free(struct context_model *model)
{
    free(model->slots);
    model->slots = NULL;
    pattern_model_free(model->patterns);
    model->patterns = NULL;
}

// ---- units ----

// Indices of symbols, after as many of index 0 as neighbours can reach.
struct unit {
    uint8_t space[2 * CONTEXT_UNIT];
    uint8_t kind[CONTEXT_UNIT / CONTEXT_ROW];
};

static bool decode_unit(const struct context_model *model, const uint8_t *data, size_t bytes, struct unit *unit,
                        size_t count)
{
    struct context_decoder decoder = {0, data, data + bytes, false};
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
        const unsigned kind = context_decode_one(&decoder, &model->row[context_of_row(unit->kind, row)]);
        unit->kind[row] = (uint8_t)kind;
        if (kind == ROW_REPEAT)
            memset(to, to[-1], CONTEXT_ROW);
        else if (kind == ROW_COPY)
            memcpy(to, to - model->copied, CONTEXT_ROW);
        else if (model->patterns != NULL)
            pattern_decode_row(model->patterns, &decoder, to, length);
        else
            outcome_decode_row(model, &decoder, to, length);
    }
    return !decoder.overrun && decoder.state == CONTEXT_LEAST && decoder.at == decoder.end;
}

// Translates CONTEXT_VECTOR symbols at a time, without looking them up in a table.
static void symbols_of(const struct context_model *model, const uint8_t *index, size_t count, uint8_t *symbols)
{
    size_t at = 0;
    if (model->patterns != NULL) {
        memcpy(symbols, index, count);
        return;
    }
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
        memset(symbols, model->patterns != NULL ? data[0] : model->symbol[data[0]],
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
