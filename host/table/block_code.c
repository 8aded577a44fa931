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

// A unit that is being decoded.
struct unit {
    struct context_decoder decoder;
    uint8_t *to;   // for its symbols
    size_t count;  // of symbols; 0: no unit
    size_t enough; // of them, unless all are wanted
    size_t at;     // the symbol after the last row
    const uint8_t *given;
    uint8_t kind[CONTEXT_UNIT / CONTEXT_ROW];
    uint8_t space[2 * CONTEXT_UNIT]; // indices of symbols, after as many of index 0 as neighbours can reach
};

static bool unit_start(const struct context_model *model, struct unit *unit, const uint8_t *data, size_t bytes)
{
    unit->decoder = (struct context_decoder){.at = data + bytes, .end = data + bytes, .state = CONTEXT_LEAST};
    unit->at = 0;
    if (bytes == 1 && data[0] < model->symbols) {
        memset(unit->space + CONTEXT_UNIT, data[0], unit->count);
        unit->at = unit->count;
        return true;
    }
    if (bytes < 4)
        return false;
    unit->decoder.state = data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
    unit->decoder.at = data + 4;
    return unit->decoder.state >= CONTEXT_LEAST;
}

// Decodes rows up to a row of patterns, which it leaves to the caller, or up to the end; false there.
static bool unit_next(const struct context_model *model, struct unit *unit, struct pattern_row *patterns)
{
    while (unit->at < unit->enough) {
        const unsigned row = (unsigned)(unit->at / CONTEXT_ROW);
        const size_t left = unit->count - unit->at;
        const size_t length = left < CONTEXT_ROW ? left : CONTEXT_ROW;
        uint8_t *to = unit->space + CONTEXT_UNIT + unit->at;
        const unsigned kind = context_decode_one(&unit->decoder, &model->row[context_of_row(unit->kind, row)]);
        unit->kind[row] = (uint8_t)kind;
        unit->at += length;
        if (kind == ROW_REPEAT) {
            memset(to, to[-1], CONTEXT_ROW);
        } else if (kind == ROW_COPY) {
            memcpy(to, to - model->copied, CONTEXT_ROW);
        } else if (model->patterns == NULL) {
            outcome_decode_row(model, &unit->decoder, to, length);
        } else {
            *patterns = (struct pattern_row){&unit->decoder, to, unit->given + unit->at - length, length};
            return true;
        }
    }
    return false;
}

// Translates CONTEXT_VECTOR symbols at a time, without looking them up in a table.
static void symbols_of(const struct context_model *model, const uint8_t *index, size_t count, uint8_t *symbols)
{
    index_vector symbol[CONTEXT_SYMBOLS_MAX]; // copies, which the loop does not write to
    size_t at = 0;
    if (model->patterns != NULL) {
        memcpy(symbols, index, count);
        return;
    }
    for (unsigned s = 0; s < CONTEXT_SYMBOLS_MAX; s++)
        symbol[s] = (index_vector){0} + model->symbol[s];
    for (; at + CONTEXT_VECTOR <= count; at += CONTEXT_VECTOR) {
        index_vector from;
        index_vector to = {0};
        memcpy(&from, index + at, sizeof from);
        for (unsigned s = 0; s < CONTEXT_SYMBOLS_MAX; s++)
            to |= (index_vector)(from == (uint8_t)s) & symbol[s];
        memcpy(symbols + at, &to, sizeof to);
    }
    for (; at < count; at++)
        symbols[at] = model->symbol[index[at]];
}

// ---- blocks ----

// The units of a block that are still to be decoded.
struct block {
    const struct context_model *model;
    const uint8_t *size; // of the next unit
    const uint8_t *data; // of the next unit
    const uint8_t *end;
    size_t left;          // symbols from the next unit on
    unsigned units;       // of the range, from the next one on
    const bool *wanted;   // of the next unit, or NULL
    const uint8_t *given; // of the next unit, or NULL
    uint8_t *to;          // for the symbols of the next unit
    size_t enough;        // symbols of each unit
    bool bad;
};

// Moves on to the unit after the next one; returns the bytes of that one, SIZE_MAX if they are not there.
static size_t block_step(struct block *block)
{
    const size_t rest = (size_t)(block->end - block->data);
    size_t size = rest;
    if (block->left > CONTEXT_UNIT) {
        size = block->size[0] | (size_t)block->size[1] << 8;
        block->size += 2;
    }
    if (size > rest) {
        block->bad = true;
        return SIZE_MAX;
    }
    block->data += size;
    block->left -= block->left < CONTEXT_UNIT ? block->left : CONTEXT_UNIT;
    return size;
}

static const uint8_t not_given[CONTEXT_UNIT];

// Begins with the next unit that is wanted, if there is one.
static bool start_next(struct block *block, struct unit *unit)
{
    while (block->units > 0 && !block->bad) {
        const bool wanted = block->wanted == NULL || *block->wanted++;
        const uint8_t *data = block->data;
        unit->count = block->left < CONTEXT_UNIT ? block->left : CONTEXT_UNIT;
        unit->enough = unit->count < block->enough ? unit->count : block->enough;
        unit->to = block->to;
        unit->given = block->given != NULL ? block->given : not_given;
        block->given += block->given != NULL ? unit->count : 0;
        block->to += unit->count;
        block->units--;
        const size_t size = block_step(block);
        if (!wanted)
            continue;
        block->bad = block->bad || !unit_start(block->model, unit, data, size);
        return !block->bad;
    }
    unit->count = 0;
    return false;
}

// Goes on with a unit, and with further ones after its end, up to a row of patterns; false if there is none.
static bool go_on(struct block *block, struct unit *unit, struct pattern_row *patterns)
{
    do {
        if (unit_next(block->model, unit, patterns))
            return true;
        if (unit->count == 0)
            continue;
        const struct context_decoder *decoder = &unit->decoder;
        symbols_of(block->model, unit->space + CONTEXT_UNIT, unit->at, unit->to);
        const bool all = unit->at == unit->count;
        unit->count = 0;
        block->bad |= decoder->overrun || (all && (decoder->state != CONTEXT_LEAST || decoder->at != decoder->end));
    } while (start_next(block, unit));
    return false;
}

// Rows of up to PATTERN_ROWS units are decoded together, because each symbol waits for the one before it in its unit:
// 12.3 ns for a symbol, with one unit at a time 15.7, with two 12.5, with eight 12.1.
static bool decode_units(struct block *block)
{
    struct unit unit[PATTERN_ROWS];
    struct unit *with_row[PATTERN_ROWS];
    struct pattern_row row[PATTERN_ROWS];
    unsigned rows = 0;
    for (unsigned u = 0; u < PATTERN_ROWS && block->units > 0; u++) {
        unit[u].count = unit[u].enough = unit[u].at = 0;
        memset(unit[u].space, 0, CONTEXT_UNIT);
        with_row[rows] = &unit[u];
        rows += go_on(block, &unit[u], &row[rows]);
    }
    while (rows > 0 && !block->bad) {
        const unsigned before = rows;
        pattern_decode_rows(block->model->patterns, row, rows);
        rows = 0;
        for (unsigned u = 0; u < before; u++) {
            with_row[rows] = with_row[u];
            rows += go_on(block, with_row[u], &row[rows]);
        }
    }
    return !block->bad;
}

bool context_decode(const struct context_model *model, const uint8_t *data, size_t bytes, size_t count,
                    struct context_range range, const uint8_t *given, uint8_t *symbols)
{
    const unsigned units = context_units(count);
    if (count == 0 || count > CONTEXT_BLOCK_MAX)
        return false;
    if (bytes == 1) { // all symbols are equal
        if (data[0] >= model->symbols)
            return false;
        memset(symbols, model->patterns != NULL ? data[0] : model->symbol[data[0]],
               (range.last == units ? count : (size_t)range.last * CONTEXT_UNIT) - (size_t)range.first * CONTEXT_UNIT);
        return true;
    }
    const size_t sizes = 2 * (size_t)(units - 1); // bytes of the sizes of all units but the last one
    if (bytes < sizes)
        return false;
    struct block block = {.model = model,
                          .size = data,
                          .data = data + sizes,
                          .end = data + bytes,
                          .left = count,
                          .units = range.last - range.first,
                          .wanted = range.wanted,
                          .given = given,
                          .to = symbols,
                          .enough = range.enough > 0 ? range.enough : CONTEXT_UNIT};
    for (unsigned u = 0; u < range.first && !block.bad; u++)
        block_step(&block);
    return !block.bad && decode_units(&block);
}
