// unit_plan.c - the rows of a unit, and the symbols of its don't-cares (unit_plan.h)
//
// A row is repeated or copied if its symbols allow that; the kind of the row before it is tried first. In a row that is
// coded, a don't-care becomes the most frequent symbol of its context.
#include "table/write/unit_plan.h"

#include "table/write/outcome_unit.h"
#include "table/write/pattern_unit.h"
#include "table/write/word_symbols.h"

#include <string.h>

void context_model_prepare(struct context_model *model)
{
    if (model->patterns != NULL)
        pattern_model_prepare(model);
    else
        outcome_model_prepare(model);
}

// Are the symbols of all vacant entries don't-cares?
static bool vacant_free(const uint8_t *symbols, const uint8_t *given, size_t count)
{
    enum { FREE = (uint8_t)ANY_DISTANCE };
    index_vector bad = {0};
    size_t at = 0;
    for (; at + CONTEXT_VECTOR <= count; at += CONTEXT_VECTOR) {
        index_vector symbol;
        index_vector mark;
        memcpy(&symbol, symbols + at, sizeof symbol);
        memcpy(&mark, given + at, sizeof mark);
        bad |= (index_vector)(mark == VACANT) & (index_vector)(symbol != FREE);
    }
    bool good = index_vector_zero(bad);
    for (; at < count; at++)
        good &= given[at] != VACANT || symbols[at] == FREE;
    return good;
}

bool context_unit_load(const struct context_model *model, struct context_unit *unit, const uint8_t *symbols,
                       const uint8_t *given, const struct vacant_start *marks, size_t count)
{
    unit->marks = marks != NULL;
    unit->scanned = 0;
    if (marks != NULL)
        vacant_scan_begin(&unit->scan, marks);
    if (given != NULL && !vacant_free(symbols, given, count))
        return false;
    if (given != NULL)
        memcpy(unit->given, given, count);
    else if (model->patterns != NULL)
        memset(unit->given, 0, sizeof unit->given);
    return model->patterns != NULL ? pattern_unit_load(model, unit, symbols, count)
                                   : outcome_unit_load(model, unit, symbols, count);
}

int context_unit_common(const struct context_model *model, const struct context_unit *unit, size_t count)
{
    const size_t whole = (count + CONTEXT_ROW - 1) / CONTEXT_ROW * CONTEXT_ROW;
    return model->patterns != NULL ? pattern_unit_common(unit, whole) : outcome_unit_common(unit, whole);
}

// Marks the entries of a row; false as below.
static bool mark_row(struct context_unit *unit, size_t at, size_t length)
{
    vacant_scan_next(&unit->scan, at - unit->scanned, VACANT, NULL);
    vacant_scan_next(&unit->scan, length, VACANT, unit->given + at);
    unit->scanned = at + length;
    return vacant_free(unit->allowed + at, unit->given + at, length);
}

bool context_unit_plan(const struct context_model *model, struct context_unit *unit, size_t count)
{
    unit->tokens = 0;
    for (size_t at = 0; at < count; at += CONTEXT_ROW) {
        const unsigned row = (unsigned)(at / CONTEXT_ROW);
        const unsigned kind =
            model->patterns != NULL ? pattern_choose_kind(model, unit, at) : outcome_choose_kind(model, unit, at);
        context_token_put(&unit->token[unit->tokens++], &model->row[context_of_row(unit->kind, row)].start[kind]);
        unit->kind[row] = (uint8_t)kind;
        if (kind != ROW_CODED)
            continue;
        const size_t length = count - at < CONTEXT_ROW ? count - at : CONTEXT_ROW;
        if (unit->marks && !mark_row(unit, at, length))
            return false;
        if (model->patterns != NULL)
            pattern_code_row(model, unit, at, length);
        else
            outcome_code_row(model, unit, at, length);
    }
    return true;
}

bool context_row_copies(const struct context_model *model, const struct context_unit *unit, size_t at,
                        unsigned distance)
{
    return model->patterns != NULL ? pattern_row_copies(unit, at, distance) : outcome_row_copies(unit, at, distance);
}
