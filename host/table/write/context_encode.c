// context_encode.c - encoding of a block: the symbols of don't-cares, and the coder
//
// The coder is that of context_code.c backwards, so for each unit
//
//     1. the rows get their kinds, don't-cares their symbols and contexts their slots, from the first row on. A row is
//        repeated or copied if its symbols allow that; the kind of the row before it is tried first. In a row that is
//        coded, a don't-care becomes the most frequent symbol of its context.
//     2. the slots are coded from the last one to the first, those of two units in turn.
#include "table/write/context_encode.h"

#include "table/write/context_unit.h"
#include "table/write/word_symbols.h"

#include <stdlib.h>
#include <string.h>

enum { DRAW = CLTB_DRAW + 2 };

void context_sets(const struct context_model *model, uint8_t allowed[256])
{
    memset(allowed, 0, 256);
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

void context_model_prepare(struct context_model *model)
{
    uint8_t allowed[256];
    context_sets(model, allowed);
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

// Are all bytes zero?
static bool is_zero(index_vector vector)
{
    uint64_t word[CONTEXT_VECTOR / sizeof(uint64_t)];
    memcpy(word, &vector, sizeof word);
    return (word[0] | word[1]) == 0;
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
    return is_zero(bad);
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
    return is_zero(open);
}

// Gives a row its kind and, unless it must be coded, its symbols.
static unsigned choose_kind(const struct context_model *model, struct context_unit *unit, size_t at)
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

static void add_token(struct context_unit *unit, const struct context_slots *slots, unsigned symbol)
{
    memcpy(&unit->token[unit->tokens++], &slots->start[symbol], sizeof(struct context_token));
}

// Codes a row: its don't-cares one after another, because each is a part of the next one's context, and tokens.
static void code_row(const struct context_model *model, struct context_unit *unit, size_t at, size_t count)
{
    uint8_t *to = unit->space + CONTEXT_UNIT + at;
    const uint8_t *allowed = unit->allowed + at;
    const unsigned all = (1U << model->symbols) - 1;
    uint16_t context[CONTEXT_ROW];
    context_far(model, to, context);
    if (set_fixed(allowed, to)) {
        const struct context_neighbour before = {1, (uint16_t)model->before};
        context_add(&before, to, context);
        for (unsigned n = 0; n < model->nears; n++)
            context_add(&model->near[n], to, context);
    } else {
        for (size_t i = 0; i < count; i++) {
            unsigned sum = context[i] + model->before * to[(ptrdiff_t)i - 1];
            for (unsigned n = 0; n < model->nears; n++)
                sum += model->near[n].weight * (unsigned)to[(ptrdiff_t)i - model->near[n].distance];
            context[i] = (uint16_t)sum;
            if ((allowed[i] & (allowed[i] - 1)) != 0)
                to[i] = (uint8_t)model->slots[sum].likely[allowed[i] != all];
        }
    }
    for (size_t i = 0; i < count; i++)
        add_token(unit, &model->slots[context[i]], to[i]);
}

bool context_unit_load(struct context_unit *unit, const uint8_t allowed_by[256], const uint8_t *symbols, size_t count)
{
    static const uint8_t others[] = {ANY_OUTCOME, DRAW_OR_WORSE};
    index_vector bad = {0};
    size_t at = 0;
    memset(unit->space, 0, CONTEXT_UNIT);
    for (; at + CONTEXT_VECTOR <= count; at += CONTEXT_VECTOR) {
        index_vector from;
        index_vector set = {0};
        memcpy(&from, symbols + at, sizeof from);
        for (unsigned s = 0; s < CONTEXT_SYMBOLS_MAX; s++)
            set |= (index_vector)(from == (uint8_t)s) & allowed_by[s];
        for (unsigned i = 0; i < sizeof others; i++)
            set |= (index_vector)(from == others[i]) & allowed_by[others[i]];
        bad |= (index_vector)(set == 0);
        memcpy(unit->allowed + at, &set, sizeof set);
    }
    bool good = is_zero(bad);
    for (; at < count; at++) {
        unit->allowed[at] = allowed_by[symbols[at]];
        good &= unit->allowed[at] != 0;
    }
    // The rest of the last row may have any symbols.
    memset(unit->allowed + count, 0xff, (CONTEXT_ROW - count % CONTEXT_ROW) % CONTEXT_ROW);
    return good;
}

void context_unit_plan(const struct context_model *model, struct context_unit *unit, size_t count)
{
    unit->tokens = 0;
    for (size_t at = 0; at < count; at += CONTEXT_ROW) {
        const unsigned row = (unsigned)(at / CONTEXT_ROW);
        const unsigned kind = choose_kind(model, unit, at);
        add_token(unit, &model->row[context_of_row(unit->kind, row)], kind);
        unit->kind[row] = (uint8_t)kind;
        if (kind == ROW_CODED)
            code_row(model, unit, at, count - at < CONTEXT_ROW ? count - at : CONTEXT_ROW);
    }
}

// ---- coding ----

size_t context_bound(size_t count)
{
    return 6 * (size_t)context_units(count) + 2 * (count + count / CONTEXT_ROW + 1);
}

// A unit that is being coded: its tokens from the last one to the first, to bytes that end at the end of `coded`.
struct coder {
    struct context_unit unit;
    uint32_t state;
    size_t left; // tokens
    uint8_t *at; // the first byte written so far
    uint8_t coded[4 + 2 * (CONTEXT_UNIT + CONTEXT_UNIT / CONTEXT_ROW)];
};

// Begins with a unit of `left` symbols, or of as many as a unit has; false if one of them is not in the model.
// `*symbol`: the index that all of them can have, in which case there is nothing to code, or -1.
static bool coder_start(struct coder *coder, const struct context_model *model, const uint8_t allowed_by[256],
                        const uint8_t *symbols, size_t left, int *symbol)
{
    struct context_unit *unit = &coder->unit;
    const size_t count = left < CONTEXT_UNIT ? left : CONTEXT_UNIT;
    if (!context_unit_load(unit, allowed_by, symbols, count))
        return false;
    const unsigned common = common_set(unit->allowed, (count + CONTEXT_ROW - 1) / CONTEXT_ROW * CONTEXT_ROW);
    *symbol = common != 0 ? __builtin_ctz(common) : -1;
    unit->tokens = 0;
    if (common == 0)
        context_unit_plan(model, unit, count);
    coder->state = CONTEXT_LEAST;
    coder->left = unit->tokens;
    coder->at = coder->coded + sizeof coder->coded;
    return true;
}

// Has no branch: two bytes are always stored, but stay only if the state would become too large.
static inline __attribute__((always_inline)) uint32_t code_token(struct context_token token, uint32_t state,
                                                                 uint8_t **at)
{
    const uint32_t slots = (uint32_t)token.end - token.start;
    const bool full = state >= (uint64_t)slots << (32 - CONTEXT_SCALE_BITS);
    (*at)[-2] = (uint8_t)state;
    (*at)[-1] = (uint8_t)(state >> 8);
    *at -= full ? 2 : 0;
    state = full ? state >> 16 : state;
    return state + token.start + state / slots * ((1U << CONTEXT_SCALE_BITS) - slots);
}

// Codes so many tokens.
static void code_tokens(struct coder *coder, size_t count)
{
    const struct context_token *token = coder->unit.token + coder->left;
    for (size_t i = 0; i < count; i++)
        coder->state = code_token(*--token, coder->state, &coder->at);
    coder->left -= count;
}

// The same for two units at a time, so that neither waits for the other's divisions.
static void code_both(struct coder *a, struct coder *b, size_t count)
{
    const struct context_token *token_a = a->unit.token + a->left;
    const struct context_token *token_b = b->unit.token + b->left;
    uint8_t *at_a = a->at;
    uint8_t *at_b = b->at;
    uint32_t state_a = a->state;
    uint32_t state_b = b->state;
    for (size_t i = 0; i < count; i++) {
        state_a = code_token(*--token_a, state_a, &at_a);
        state_b = code_token(*--token_b, state_b, &at_b);
    }
    a->state = state_a;
    b->state = state_b;
    a->at = at_a;
    b->at = at_b;
    a->left -= count;
    b->left -= count;
}

static size_t coder_finish(struct coder *coder, uint8_t *to)
{
    code_tokens(coder, coder->left);
    for (int shift = 24; shift >= 0; shift -= 8)
        *--coder->at = (uint8_t)(coder->state >> shift);
    const size_t size = (size_t)(coder->coded + sizeof coder->coded - coder->at);
    memcpy(to, coder->at, size);
    return size;
}

size_t context_encode(const struct context_model *model, const uint8_t *symbols, size_t count, uint8_t *encoded)
{
    enum { TOGETHER = 2 };
    const unsigned units = context_units(count);
    struct coder coder[TOGETHER];
    uint8_t allowed_by[256];
    uint8_t *to = encoded + 2 * (size_t)(units - 1);
    int first_symbol = -1; // of the first unit, if all its symbols are the same
    unsigned alike = 0;    // number of units with only this symbol
    context_sets(model, allowed_by);
    for (unsigned first = 0; first < units; first += TOGETHER) {
        const unsigned some = units - first < TOGETHER ? units - first : TOGETHER;
        int symbol[TOGETHER];
        for (unsigned i = 0; i < some; i++) {
            const size_t at = (size_t)(first + i) * CONTEXT_UNIT;
            if (!coder_start(&coder[i], model, allowed_by, symbols + at, count - at, &symbol[i]))
                return 0;
        }
        if (some == TOGETHER)
            code_both(&coder[0], &coder[1], coder[0].left < coder[1].left ? coder[0].left : coder[1].left);
        for (unsigned i = 0; i < some; i++) {
            const unsigned u = first + i;
            size_t size = 1;
            *to = (uint8_t)symbol[i];
            if (symbol[i] < 0)
                size = coder_finish(&coder[i], to);
            first_symbol = u == 0 ? symbol[i] : first_symbol;
            alike += symbol[i] >= 0 && symbol[i] == first_symbol;
            if (u < units - 1) {
                encoded[2 * u] = (uint8_t)size;
                encoded[2 * u + 1] = (uint8_t)(size >> 8);
            }
            to += size;
        }
    }
    if (alike < units)
        return (size_t)(to - encoded);
    encoded[0] = (uint8_t)first_symbol;
    return 1;
}
