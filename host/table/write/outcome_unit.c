// outcome_unit.c - a unit of outcomes (outcome_unit.h)
#include "table/write/outcome_unit.h"

#include "table/write/word_symbols.h"
#include "util/cloned.h"

#include <string.h>

enum { DRAW = CLTB_DRAW + 2 };

// Lists the indices of symbols that each value of a byte may become.
static void set_allowed(struct context_model *model)
{
    uint8_t *allowed = model->allowed_by;
    memset(allowed, 0, sizeof model->allowed_by);
    for (unsigned i = 0; i < model->symbols; i++) {
        const uint8_t bit = (uint8_t)(1U << i);
        allowed[model->symbol[i]] = bit;
        allowed[ANY_OUTCOME] |= bit;
        allowed[DRAW_OR_WORSE] |= (uint8_t)(model->symbol[i] <= DRAW ? bit : 0);
    }
}

static unsigned most_frequent(const struct context_slots *slots, unsigned allowed)
{
    unsigned best = 0;
    unsigned most = 0;
    for (unsigned s = 0; allowed >> s != 0; s++) {
        const unsigned slot_count = (unsigned)(slots->start[s + 1] - slots->start[s]);
        if ((allowed >> s & 1) && slot_count > most) {
            best = s;
            most = slot_count;
        }
    }
    return best;
}

void outcome_model_prepare(struct context_model *model)
{
    const uint8_t *allowed = model->allowed_by;
    set_allowed(model);
    context_model_sort(model);
    for (unsigned c = 0; c < model->contexts; c++) {
        struct context_slots *slots = &model->slots[c];
        slots->likely[0] = (uint16_t)most_frequent(slots, allowed[ANY_OUTCOME]);
        slots->likely[1] = (uint16_t)most_frequent(slots, allowed[DRAW_OR_WORSE]);
    }
}

// ---- rows ----

// The symbols that all sets of `count` (a multiple of 64) places have in common.
static unsigned common_set(const uint8_t *allowed, size_t count)
{
    uint64_t common = UINT64_MAX;
    for (size_t i = 0; i < count; i += sizeof common) {
        uint64_t word;
        memcpy(&word, allowed + i, sizeof word);
        common &= word;
    }
    common &= common >> 32;
    common &= common >> 16;
    return (unsigned)(common & common >> 8) & 0xff;
}

// May the symbols of a row be the same as those at another place, `from`?
static bool row_allows(const uint8_t *allowed, const uint8_t *from)
{
    index_vector bad = {0};
    for (unsigned i = 0; i < CONTEXT_ROW; i += CONTEXT_VECTOR) {
        index_vector set;
        index_vector index;
        index_vector bit = {0};
        memcpy(&set, allowed + i, sizeof set);
        memcpy(&index, from + i, sizeof index);
        for (unsigned s = 0; s < CONTEXT_SYMBOLS_MAX; s++)
            bit |= (index_vector)(index == (uint8_t)s) & (uint8_t)(1U << s);
        bad |= (index_vector)((set & bit) == 0);
    }
    return index_vector_zero(bad);
}

CLONED bool outcome_row_copies(const struct context_unit *unit, size_t at, unsigned distance)
{
    return row_allows(unit->allowed + at, unit->space + CONTEXT_UNIT + at - distance);
}

// Sets the symbols of a row that have no choice; returns whether all are of this kind.
static bool set_fixed(const uint8_t *allowed, uint8_t *to)
{
    index_vector open = {0};
    for (unsigned i = 0; i < CONTEXT_ROW; i += CONTEXT_VECTOR) {
        index_vector set;
        memcpy(&set, allowed + i, sizeof set);
        open |= set & (set - 1);
        index_vector index = {0};
        for (unsigned s = 1; s < CONTEXT_SYMBOLS_MAX; s++)
            index -= (index_vector)(set >= (uint8_t)(1U << s));
        memcpy(to + i, &index, sizeof index);
    }
    return index_vector_zero(open);
}

CLONED unsigned outcome_choose_kind(const struct context_model *model, struct context_unit *unit, size_t at)
{
    uint8_t *to = unit->space + CONTEXT_UNIT + at;
    const uint8_t *allowed = unit->allowed + at;
    const unsigned row = (unsigned)(at / CONTEXT_ROW);
    const bool repeat = common_set(allowed, CONTEXT_ROW) >> to[-1] & 1;
    const bool first_copy = row > 0 && unit->kind[row - 1] == ROW_COPY;
    const bool copy = (!repeat || first_copy) && row_allows(allowed, to - model->copied);
    if (copy)
        memcpy(to, to - model->copied, CONTEXT_ROW);
    else if (repeat)
        memset(to, to[-1], CONTEXT_ROW);
    return copy ? ROW_COPY : repeat ? ROW_REPEAT : ROW_CODED;
}

// Each don't-care is a part of the next one's context.
CLONED void outcome_code_row(const struct context_model *model, struct context_unit *unit, size_t at, size_t count)
{
    uint8_t *to = unit->space + CONTEXT_UNIT + at;
    const uint8_t *allowed = unit->allowed + at;
    const unsigned all = (1U << model->symbols) - 1;
    uint16_t context[CONTEXT_ROW];
    context_far(model, to, context);
    if (set_fixed(allowed, to)) {
        const struct context_neighbour before = {1, (uint16_t)model->before};
        context_add(&before, 1, to, context);
        context_add(model->near, model->nears, to, context);
    } else {
        unsigned last = to[-1];
        for (size_t i = 0; i < count; i++) {
            unsigned sum = context[i] + model->before * last;
            for (unsigned n = 0; n < model->nears; n++)
                sum += model->near[n].weight * (unsigned)to[(ptrdiff_t)i - model->near[n].distance];
            context[i] = (uint16_t)sum;
            last = to[i];
            if ((allowed[i] & (allowed[i] - 1)) == 0)
                continue;
            last = model->slots[sum].likely[allowed[i] != all];
            to[i] = (uint8_t)last;
        }
    }
    struct context_token *token = unit->token + unit->tokens;
    for (size_t i = 0; i < count; i++)
        token = context_token_put(token, &model->slots[context[i]].start[to[i]]);
    unit->tokens += count;
}

CLONED bool outcome_unit_load(const struct context_model *model, struct context_unit *unit, const uint8_t *symbols,
                              size_t count)
{
    enum { VALUES = CONTEXT_SYMBOLS_MAX + 2 };
    const uint8_t *allowed_by = model->allowed_by;
    index_vector value[VALUES];
    index_vector sets[VALUES]; // in registers: a store could otherwise change allowed_by[]
    index_vector bad = {0};
    size_t at = 0;
    for (unsigned i = 0; i < VALUES; i++) {
        const uint8_t from = (uint8_t)(i < CONTEXT_SYMBOLS_MAX    ? i
                                       : i == CONTEXT_SYMBOLS_MAX ? ANY_OUTCOME
                                                                  : DRAW_OR_WORSE);
        value[i] = (index_vector){0} + from;
        sets[i] = (index_vector){0} + allowed_by[from];
    }
    memset(unit->space, 0, CONTEXT_UNIT);
    for (; at + CONTEXT_VECTOR <= count; at += CONTEXT_VECTOR) {
        index_vector from;
        index_vector set = {0};
        memcpy(&from, symbols + at, sizeof from);
        for (unsigned i = 0; i < VALUES; i++)
            set |= (index_vector)(from == value[i]) & sets[i];
        bad |= (index_vector)(set == 0);
        memcpy(unit->allowed + at, &set, sizeof set);
    }
    bool good = index_vector_zero(bad);
    for (; at < count; at++) {
        unit->allowed[at] = allowed_by[symbols[at]];
        good &= unit->allowed[at] != 0;
    }
    // The rest of the last row may have any symbols.
    memset(unit->allowed + count, 0xff, (CONTEXT_ROW - count % CONTEXT_ROW) % CONTEXT_ROW);
    return good;
}

int outcome_unit_common(const struct context_unit *unit, size_t count)
{
    const unsigned common = common_set(unit->allowed, count);
    return common != 0 ? __builtin_ctz(common) : -1;
}
