// unit_plan.c - the rows of a unit, and the symbols of its don't-cares (unit_plan.h)
//
// A row is repeated or copied if its symbols allow that; the kind of the row before it is tried first. In a row that is
// coded, a don't-care becomes the most frequent symbol of its context.
#include "table/write/unit_plan.h"

#include "table/pattern_code.h"
#include "table/write/word_symbols.h"
#include "util/cloned.h"

#include <string.h>

// ---- outcomes ----

enum { DRAW = CLTB_DRAW + 2 };

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

static void prepare_outcomes(struct context_model *model)
{
    uint8_t *allowed = model->allowed_by; // the indices of symbols that each value of a byte may become
    memset(allowed, 0, sizeof model->allowed_by);
    for (unsigned i = 0; i < model->symbols; i++) {
        const uint8_t bit = (uint8_t)(1U << i);
        allowed[model->symbol[i]] = bit;
        allowed[ANY_OUTCOME] |= bit;
        allowed[DRAW_OR_WORSE] |= (uint8_t)(model->symbol[i] <= DRAW ? bit : 0);
    }
    context_model_sort(model);
    for (unsigned c = 0; c < model->contexts; c++) {
        struct context_slots *slots = &model->slots[c];
        slots->likely[0] = (uint16_t)most_frequent(slots, allowed[ANY_OUTCOME]);
        slots->likely[1] = (uint16_t)most_frequent(slots, allowed[DRAW_OR_WORSE]);
    }
}

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

// Each don't-care is a part of the next one's context.
static CLONED void code_outcomes(const struct context_model *model, struct context_unit *unit, size_t at, size_t count)
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

static CLONED bool load_outcomes(const struct context_model *model, struct context_unit *unit, const uint8_t *symbols,
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

// ---- distances ----

enum { ANY = (uint8_t)ANY_DISTANCE };

static void prepare_distances(struct context_model *model)
{
    struct pattern_model *patterns = model->patterns;
    for (unsigned g = 0; g < patterns->given; g++) {
        for (unsigned p = 0; p < patterns->patterns; p++) {
            struct pattern_slots *slots = &patterns->slots[g][p];
            unsigned most = 0;
            for (unsigned choice = 0; choice < patterns->distinct[p]; choice++) {
                const unsigned count = (unsigned)(slots->start[choice + 1] - slots->start[choice]);
                if (count > most) {
                    most = count;
                    slots->likely = (uint8_t)choice;
                }
            }
        }
        for (unsigned o = 0; o < OTHER_PATTERNS_MAX; o++) {
            const struct other_pattern *other = &patterns->other[o];
            for (unsigned found = 0; found <= patterns->others; found++) {
                const unsigned choice = patterns->slots[g][other->number[found]].likely;
                patterns->likely[g][o][found] = other->shift[choice];
            }
        }
    }
}

static CLONED bool load_distances(const struct context_model *model, struct context_unit *unit, const uint8_t *symbols,
                                  size_t count)
{
    const uint8_t last = (uint8_t)(model->symbols - 1);
    uint8_t bad = 0;
    for (size_t at = 0; at < count; at++)
        bad |= (uint8_t)(symbols[at] > last) & (uint8_t)(symbols[at] != ANY);
    memset(unit->space, 0, CONTEXT_UNIT);
    memcpy(unit->allowed, symbols, count);
    memset(unit->allowed + count, ANY, (CONTEXT_ROW - count % CONTEXT_ROW) % CONTEXT_ROW); // the rest of the last row
    return bad == 0;
}

// May all symbols of a row be `symbol`?
static inline bool row_repeats(const uint8_t *wanted, uint8_t symbol)
{
    uint8_t bad = 0;
    for (unsigned i = 0; i < CONTEXT_ROW; i++)
        bad |= (uint8_t)(wanted[i] != symbol) & (uint8_t)(wanted[i] != ANY);
    return bad == 0;
}

// The symbol that all of `count` (a multiple of 64) places can have, or -1.
static CLONED int common_distance(const struct context_unit *unit, size_t count)
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
static inline bool row_equals(const uint8_t *wanted, const uint8_t *from)
{
    uint8_t bad = 0;
    for (unsigned i = 0; i < CONTEXT_ROW; i++)
        bad |= (uint8_t)(wanted[i] != from[i]) & (uint8_t)(wanted[i] != ANY);
    return bad == 0;
}

// `paired` is known to the compiler: with a copy of the loop for streams without outcomes, and the next token in a
// register, planning KQRvKR takes 0.88 to 0.90 of the time.
static inline __attribute__((always_inline)) void
code_row_of(const struct pattern_model *patterns, struct context_unit *unit, size_t at, size_t count, const bool paired)
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

static CLONED void code_distances(const struct context_model *model, struct context_unit *unit, size_t at, size_t count)
{
    if (model->patterns->paired)
        code_row_of(model->patterns, unit, at, count, true);
    else
        code_row_of(model->patterns, unit, at, count, false);
}

// ---- both ----

void context_model_prepare(struct context_model *model)
{
    if (model->patterns != NULL)
        prepare_distances(model);
    else
        prepare_outcomes(model);
}

// Are the symbols of all vacant entries don't-cares?
static CLONED bool vacant_free(const uint8_t *symbols, const uint8_t *given, size_t count)
{
    uint8_t bad = 0;
    for (size_t at = 0; at < count; at++)
        bad |= (uint8_t)(given[at] == VACANT) & (uint8_t)(symbols[at] != ANY);
    return bad == 0;
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
    return model->patterns != NULL ? load_distances(model, unit, symbols, count)
                                   : load_outcomes(model, unit, symbols, count);
}

int context_unit_common(const struct context_model *model, const struct context_unit *unit, size_t count)
{
    const size_t whole = (count + CONTEXT_ROW - 1) / CONTEXT_ROW * CONTEXT_ROW;
    if (model->patterns != NULL)
        return common_distance(unit, whole);
    const unsigned common = common_set(unit->allowed, whole);
    return common != 0 ? __builtin_ctz(common) : -1;
}

// Gives a row its kind and, unless it must be coded, its symbols.
static CLONED unsigned choose_kind(const struct context_model *model, struct context_unit *unit, size_t at)
{
    uint8_t *to = unit->space + CONTEXT_UNIT + at;
    const uint8_t *allowed = unit->allowed + at;
    const bool distances = model->patterns != NULL;
    const bool repeat = distances ? row_repeats(allowed, to[-1]) : common_set(allowed, CONTEXT_ROW) >> to[-1] & 1;
    const bool first_copy = at > 0 && unit->kind[at / CONTEXT_ROW - 1] == ROW_COPY;
    const bool copy = (!repeat || first_copy) &&
                      (distances ? row_equals(allowed, to - model->copied) : row_allows(allowed, to - model->copied));
    if (copy)
        memcpy(to, to - model->copied, CONTEXT_ROW);
    else if (repeat)
        memset(to, to[-1], CONTEXT_ROW);
    return copy ? ROW_COPY : repeat ? ROW_REPEAT : ROW_CODED;
}

bool context_unit_plan(const struct context_model *model, struct context_unit *unit, size_t count)
{
    unit->tokens = 0;
    for (size_t at = 0; at < count; at += CONTEXT_ROW) {
        const unsigned row = (unsigned)(at / CONTEXT_ROW);
        const unsigned kind = choose_kind(model, unit, at);
        context_token_put(&unit->token[unit->tokens++], &model->row[context_of_row(unit->kind, row)].start[kind]);
        unit->kind[row] = (uint8_t)kind;
        if (kind != ROW_CODED)
            continue;
        const size_t length = count - at < CONTEXT_ROW ? count - at : CONTEXT_ROW;
        if (unit->marks) { // only in coded rows: 0.87 of the time of coding distances
            vacant_scan_next(&unit->scan, at - unit->scanned, VACANT, NULL);
            vacant_scan_next(&unit->scan, length, VACANT, unit->given + at);
            unit->scanned = at + length;
            if (!vacant_free(unit->allowed + at, unit->given + at, length))
                return false;
        }
        if (model->patterns != NULL)
            code_distances(model, unit, at, length);
        else
            code_outcomes(model, unit, at, length);
    }
    return true;
}

CLONED bool context_row_copies(const struct context_model *model, const struct context_unit *unit, size_t at,
                               unsigned distance)
{
    const uint8_t *from = unit->space + CONTEXT_UNIT + at - distance;
    return model->patterns != NULL ? row_equals(unit->allowed + at, from) : row_allows(unit->allowed + at, from);
}
