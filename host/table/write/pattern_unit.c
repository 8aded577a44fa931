// pattern_unit.c - a unit of distances (pattern_unit.h)
#include "table/write/pattern_unit.h"

#include "table/write/word_symbols.h"
#include "util/cloned.h"

#include <string.h>

enum { ANY = (uint8_t)ANY_DISTANCE };

// Notes the most frequent choice of a distinct value.
static void find_likely(struct pattern_slots *slots, unsigned distinct)
{
    unsigned most = 0;
    for (unsigned choice = 0; choice < distinct; choice++) {
        const unsigned count = (unsigned)(slots->start[choice + 1] - slots->start[choice]);
        if (count > most) {
            most = count;
            slots->likely = (uint8_t)choice;
        }
    }
}

void pattern_model_prepare(struct context_model *model)
{
    struct pattern_model *patterns = model->patterns;
    for (unsigned g = 0; g < patterns->given; g++) {
        for (unsigned p = 0; p < patterns->patterns; p++)
            find_likely(&patterns->slots[g][p], patterns->distinct[p]);
        for (unsigned o = 0; o < OTHER_PATTERNS_MAX; o++) {
            const struct other_pattern *other = &patterns->other[o];
            for (unsigned found = 0; found <= patterns->others; found++) {
                const unsigned choice = patterns->slots[g][other->number[found]].likely;
                patterns->likely[g][o][found] = other->shift[choice];
            }
        }
    }
}

bool pattern_unit_load(const struct context_model *model, struct context_unit *unit, const uint8_t *symbols,
                       size_t count)
{
    const uint8_t last = (uint8_t)(model->symbols - 1);
    index_vector bad = {0};
    size_t at = 0;
    for (; at + CONTEXT_VECTOR <= count; at += CONTEXT_VECTOR) {
        index_vector symbol;
        memcpy(&symbol, symbols + at, sizeof symbol);
        bad |= (index_vector)(symbol > last) & (index_vector)(symbol != ANY);
    }
    bool good = index_vector_zero(bad);
    for (; at < count; at++)
        good &= symbols[at] <= last || symbols[at] == ANY;
    memset(unit->space, 0, CONTEXT_UNIT);
    memcpy(unit->allowed, symbols, count);
    memset(unit->allowed + count, ANY, (CONTEXT_ROW - count % CONTEXT_ROW) % CONTEXT_ROW); // the rest of the last row
    return good;
}

// May all symbols of a row be `symbol`?
static bool row_repeats(const uint8_t *wanted, uint8_t symbol)
{
    index_vector bad = {0};
    for (unsigned i = 0; i < CONTEXT_ROW; i += CONTEXT_VECTOR) {
        index_vector row;
        memcpy(&row, wanted + i, sizeof row);
        bad |= (index_vector)(row != symbol) & (index_vector)(row != ANY);
    }
    return index_vector_zero(bad);
}

int pattern_unit_common(const struct context_unit *unit, size_t count)
{
    const uint8_t *wanted = unit->allowed;
    size_t row = 0;
    while (row < count && row_repeats(wanted + row, ANY))
        row += CONTEXT_ROW;
    if (row == count)
        return 0;
    size_t first = row;
    while (wanted[first] == ANY)
        first++;
    for (; row < count; row += CONTEXT_ROW) {
        if (!row_repeats(wanted + row, wanted[first]))
            return -1;
    }
    return wanted[first];
}

// May the symbols of a row be the same as those at another place, `from`?
static bool row_copies(const uint8_t *wanted, const uint8_t *from)
{
    index_vector bad = {0};
    for (unsigned i = 0; i < CONTEXT_ROW; i += CONTEXT_VECTOR) {
        index_vector row;
        index_vector other;
        memcpy(&row, wanted + i, sizeof row);
        memcpy(&other, from + i, sizeof other);
        bad |= (index_vector)(row != other) & (index_vector)(row != ANY);
    }
    return index_vector_zero(bad);
}

bool pattern_row_copies(const struct context_unit *unit, size_t at, unsigned distance)
{
    return row_copies(unit->allowed + at, unit->space + CONTEXT_UNIT + at - distance);
}

unsigned pattern_choose_kind(const struct context_model *model, struct context_unit *unit, size_t at)
{
    uint8_t *to = unit->space + CONTEXT_UNIT + at;
    const uint8_t *wanted = unit->allowed + at;
    const unsigned row = (unsigned)(at / CONTEXT_ROW);
    const bool repeat = row_repeats(wanted, to[-1]);
    const bool first_copy = row > 0 && unit->kind[row - 1] == ROW_COPY;
    const bool copy = (!repeat || first_copy) && row_copies(wanted, to - model->copied);
    if (copy)
        memcpy(to, to - model->copied, CONTEXT_ROW);
    else if (repeat)
        memset(to, to[-1], CONTEXT_ROW);
    return copy ? ROW_COPY : repeat ? ROW_REPEAT : ROW_CODED;
}

// `paired` is known to the compiler.
static inline __attribute__((always_inline)) void
code_row(const struct pattern_model *patterns, struct context_unit *unit, size_t at, size_t count, const bool paired)
{
    const uint8_t *wanted = unit->allowed + at;
    const uint8_t *marks = unit->given + at;
    uint8_t *to = unit->space + CONTEXT_UNIT + at;
    struct context_token *token = unit->token + unit->tokens; // in a register
    struct pattern_group group = {.bytes = {0}};
    for (size_t i = 0; i < count; i++) {
        if (i % PATTERN_GROUP == 0 && !pattern_group_vacant(marks + i))
            pattern_group_make(patterns, to + i, &group);
        const uint8_t last = to[(ptrdiff_t)i - (ptrdiff_t)patterns->last];
        if (marks[i] == VACANT) {
            to[i] = last;
            continue;
        }
        const unsigned given = paired ? marks[i] : 0;
        const struct pattern pattern = pattern_of(patterns, &group, i % PATTERN_GROUP, last);
        const struct pattern_slots *slots = &patterns->slots[given][pattern.number];
        const bool any = wanted[i] == ANY;
        const unsigned likely = patterns->likely[given][group.other[i % PATTERN_GROUP]][pattern.found];
        to[i] = (uint8_t)(any ? pattern.bytes >> likely : wanted[i]); // the next symbol waits for this
        const unsigned choice = any ? slots->likely : pattern_choice(patterns, pattern, wanted[i]);
        token = context_token_put(token, &slots->start[choice]);
        if (choice == slots->distinct)
            token = context_token_put(token, &patterns->start[patterns->class_of[given][last]][to[i]]);
    }
    unit->tokens = (size_t)(token - unit->token);
}

CLONED void pattern_code_row(const struct context_model *model, struct context_unit *unit, size_t at, size_t count)
{
    if (model->patterns->paired)
        code_row(model->patterns, unit, at, count, true);
    else
        code_row(model->patterns, unit, at, count, false);
}
