// context_encode.c - encoding of a block (context_encode.h)
//
// The coder is that of block_code.c backwards, so for each unit
//
//     1. the rows get their kinds, don't-cares their symbols, and symbols their slots, from the first row on
//        (unit_plan.h).
//     2. the slots are coded from the last one to the first, those of two units in turn.
#include "table/write/context_encode.h"

#include "table/write/unit_plan.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

size_t context_bound(size_t count)
{
    enum { TOKENS = 2 }; // of a symbol, at most
    return 6 * (size_t)context_units(count) + 2 * (TOKENS * count + count / CONTEXT_ROW + 1);
}

// A unit that is being coded: its tokens from the last one to the first, to bytes that end at the end of `coded`.
struct coder {
    struct context_unit unit;
    uint32_t state;
    size_t left; // tokens
    uint8_t *at; // the first byte written so far
    uint8_t coded[4 + 2 * CONTEXT_TOKENS_MAX];
};

// Begins with a unit of `left` symbols, or of as many as a unit has; false if one of them is not in the model.
// `*symbol`: the index that all of them can have, in which case there is nothing to code, or -1.
static bool coder_start(struct coder *coder, const struct context_model *model, const uint8_t *symbols,
                        const uint8_t *given, size_t left, int *symbol)
{
    struct context_unit *unit = &coder->unit;
    const size_t count = left < CONTEXT_UNIT ? left : CONTEXT_UNIT;
    if (!context_unit_load(model, unit, symbols, given, count))
        return false;
    *symbol = context_unit_common(model, unit, count);
    unit->tokens = 0;
    if (*symbol < 0)
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

// Notes the symbols of a unit that has been started. `symbol`: the index of all of them, or -1.
static void store(const struct context_model *model, const struct context_unit *unit, int symbol, size_t left,
                  uint8_t *stored)
{
    for (size_t i = 0; i < (left < CONTEXT_UNIT ? left : CONTEXT_UNIT); i++) {
        const unsigned index = symbol < 0 ? unit->space[CONTEXT_UNIT + i] : (unsigned)symbol;
        stored[i] = (uint8_t)(model->patterns != NULL ? index : model->symbol[index]);
    }
}

enum { TOGETHER = 2 }; // coders

static int encode(const struct context_model *model, const uint8_t *symbols, const uint8_t *given, size_t count,
                  struct coder coder[TOGETHER], uint8_t *stored, uint8_t *encoded, size_t *bytes)
{
    const unsigned units = context_units(count);
    uint8_t *to = encoded + 2 * (size_t)(units - 1);
    int first_symbol = -1; // of the first unit, if all its symbols are the same
    unsigned alike = 0;    // number of units with only this symbol
    for (unsigned first = 0; first < units; first += TOGETHER) {
        const unsigned some = units - first < TOGETHER ? units - first : TOGETHER;
        int symbol[TOGETHER];
        for (unsigned i = 0; i < some; i++) {
            const size_t at = (size_t)(first + i) * CONTEXT_UNIT;
            if (!coder_start(&coder[i], model, symbols + at, given != NULL ? given + at : NULL, count - at, &symbol[i]))
                return error_set(CLTB_E_CORRUPT,
                                 "the solved planes are damaged: a position has a value that the table cannot have");
            if (stored != NULL)
                store(model, &coder[i].unit, symbol[i], count - at, stored + at);
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
    *bytes = (size_t)(to - encoded);
    if (alike == units) {
        encoded[0] = (uint8_t)first_symbol;
        *bytes = 1;
    }
    return 0;
}

int context_encode(const struct context_model *model, const uint8_t *symbols, const uint8_t *given, size_t count,
                   uint8_t *stored, uint8_t *encoded, size_t *bytes)
{
    struct coder *coder; // too large for a small stack
    TRY(memory_new(&coder, TOGETHER, sizeof *coder, "a compressed block"));
    const int code = encode(model, symbols, given, count, coder, stored, encoded, bytes);
    free(coder);
    return code;
}
