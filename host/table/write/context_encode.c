// context_encode.c - encoding of a block: what don't-cares become, and the coder
//
// The coder is that of context_code.c backwards, so for each unit
//
//     1. the rows get their kinds, don't-cares their symbols and contexts their slots, from the first row on. A row is
//        repeated or copied if its symbols allow that; the kind of the row before it is tried first. In a row that is
//        coded, a don't-care becomes the most frequent symbol of its context.
//     2. the slots are coded from the last one to the first.
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

static bool row_allows(const uint8_t *allowed, const uint8_t *to, ptrdiff_t step, size_t count)
{
    unsigned bad = 0;
    for (size_t i = 0; i < count; i++)
        bad |= !(allowed[i] >> to[step == 0 ? 0 : (ptrdiff_t)i] & 1);
    return bad == 0;
}

// Gives a row its kind, and unless it is coded its symbols.
static unsigned choose_kind(const struct context_model *model, struct context_unit *unit, size_t at, size_t count)
{
    uint8_t *to = unit->space + CONTEXT_UNIT + at;
    const uint8_t *allowed = unit->allowed + at;
    const unsigned row = (unsigned)(at / CONTEXT_ROW);
    const bool repeat = row_allows(allowed, to - 1, 0, count);
    const bool first_copy = row > 0 && unit->kind[row - 1] == ROW_COPY;
    const bool copy = (!repeat || first_copy) && row_allows(allowed, to - model->copied, 1, count);
    if (copy)
        memcpy(to, to - model->copied, CONTEXT_ROW);
    else if (repeat)
        memset(to, to[-1], CONTEXT_ROW);
    return copy ? ROW_COPY : repeat ? ROW_REPEAT : ROW_CODED;
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

static void add_token(struct context_unit *unit, const struct context_slots *slots, unsigned symbol)
{
    unit->token[unit->tokens++] =
        (struct context_token){slots->start[symbol], (uint16_t)(slots->start[symbol + 1] - slots->start[symbol])};
}

void context_unit_plan(const struct context_model *model, struct context_unit *unit, size_t count)
{
    uint8_t *index = unit->space + CONTEXT_UNIT;
    unit->tokens = 0;
    for (size_t at = 0; at < count; at += CONTEXT_ROW) {
        const unsigned row = (unsigned)(at / CONTEXT_ROW);
        const size_t end = count - at < CONTEXT_ROW ? count : at + CONTEXT_ROW;
        const unsigned kind = choose_kind(model, unit, at, end - at);
        add_token(unit, &model->row[context_of_row(unit->kind, row)], kind);
        unit->kind[row] = (uint8_t)kind;
        for (size_t i = at; kind == ROW_CODED && i < end; i++) {
            const unsigned context = context_of_symbol(model, index + i);
            const unsigned allowed = unit->allowed[i];
            unsigned symbol = (unsigned)__builtin_ctz(allowed);
            if ((allowed & (allowed - 1)) != 0)
                symbol = most_frequent(&model->slots[context], allowed);
            index[i] = (uint8_t)symbol;
            add_token(unit, &model->slots[context], symbol);
        }
    }
}

// Writes a unit's tokens so that they end at `end`; returns where they begin.
static uint8_t *code_tokens(const struct context_unit *unit, uint8_t *end)
{
    uint32_t state = CONTEXT_LEAST;
    for (size_t i = unit->tokens; i-- > 0;) {
        const struct context_token token = unit->token[i];
        if (state >= (uint64_t)token.slots << (32 - CONTEXT_SCALE_BITS)) {
            *--end = (uint8_t)(state >> 8);
            *--end = (uint8_t)state;
            state >>= 16;
        }
        state = ((state / token.slots) << CONTEXT_SCALE_BITS) + state % token.slots + token.start;
    }
    for (int shift = 24; shift >= 0; shift -= 8)
        *--end = (uint8_t)(state >> shift);
    return end;
}

size_t context_bound(size_t count)
{
    return 6 * (size_t)context_units(count) + 2 * (count + count / CONTEXT_ROW + 1);
}

bool context_unit_load(struct context_unit *unit, const uint8_t allowed_by[256], const uint8_t *symbols, size_t count)
{
    unsigned bad = 0;
    memset(unit->space, 0, CONTEXT_UNIT);
    for (size_t i = 0; i < count; i++) {
        unit->allowed[i] = allowed_by[symbols[i]];
        bad |= unit->allowed[i] == 0;
    }
    return bad == 0;
}

// Can all symbols be equal? Then which one.
static bool all_equal(const struct context_unit *unit, size_t count, unsigned *symbol)
{
    unsigned common = ~0U;
    for (size_t i = 0; i < count; i++)
        common &= unit->allowed[i];
    *symbol = common != 0 ? (unsigned)__builtin_ctz(common) : 0;
    return common != 0;
}

size_t context_encode(const struct context_model *model, uint8_t *symbols, size_t count, uint8_t *encoded)
{
    const unsigned units = context_units(count);
    struct context_unit unit;
    uint8_t allowed_by[256];
    uint8_t *to = encoded + 2 * (size_t)(units - 1);
    unsigned alike = 0; // units of one symbol, the same as the first
    unsigned first_symbol = 0;
    context_sets(model, allowed_by);
    for (unsigned u = 0; u < units; u++) {
        uint8_t *from = symbols + (size_t)u * CONTEXT_UNIT;
        const size_t length = u == units - 1 ? count - (size_t)u * CONTEXT_UNIT : CONTEXT_UNIT;
        uint8_t coded[4 + 2 * (CONTEXT_UNIT + CONTEXT_UNIT / CONTEXT_ROW)];
        size_t size = 1;
        unsigned symbol;
        if (!context_unit_load(&unit, allowed_by, from, length))
            return 0;
        if (all_equal(&unit, length, &symbol)) {
            memset(unit.space + CONTEXT_UNIT, (int)symbol, length);
            *to = (uint8_t)symbol;
            first_symbol = u == 0 ? symbol : first_symbol;
            alike += symbol == first_symbol;
        } else {
            context_unit_plan(model, &unit, length);
            const uint8_t *start = code_tokens(&unit, coded + sizeof coded);
            size = (size_t)(coded + sizeof coded - start);
            memcpy(to, start, size);
        }
        for (size_t i = 0; i < length; i++)
            from[i] = model->symbol[unit.space[CONTEXT_UNIT + i]];
        if (u < units - 1) {
            encoded[2 * u] = (uint8_t)size;
            encoded[2 * u + 1] = (uint8_t)(size >> 8);
        }
        to += size;
    }
    if (alike < units)
        return (size_t)(to - encoded);
    encoded[0] = (uint8_t)first_symbol;
    return 1;
}
