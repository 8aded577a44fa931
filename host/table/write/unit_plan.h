// unit_plan.h - what a unit of outcomes or distances is coded as
#ifndef CLTB_TABLE_WRITE_UNIT_PLAN_H
#define CLTB_TABLE_WRITE_UNIT_PLAN_H

#include "index/vacant.h"
#include "table/context_code.h"

// A symbol's slots, as in struct context_slots.
struct context_token {
    uint16_t start; // the first one
    uint16_t end;   // after the last one
};

// A symbol takes at most two tokens, a row one more.
enum { CONTEXT_TOKENS_MAX = 2 * CONTEXT_UNIT + CONTEXT_UNIT / CONTEXT_ROW };

struct context_unit {
    uint8_t space[2 * CONTEXT_UNIT]; // indices of symbols, after those that neighbours can reach
    uint8_t given[CONTEXT_UNIT];     // distances: the outcomes, or zeros; VACANT in coded rows of a stream with marks
    uint8_t allowed[CONTEXT_UNIT]; // outcomes: the indices that each symbol may have, as a set; distances: the symbols
    uint8_t kind[CONTEXT_UNIT / CONTEXT_ROW];
    struct context_token token[CONTEXT_TOKENS_MAX];
    size_t tokens;
    bool marks;              // Are rows marked when it turns out that they are coded?
    struct vacant_scan scan; // then: for the next marks,
    size_t scanned;          // which begin at this symbol
};

// Puts down the token whose slots are from start[0] to start[1]; returns where the next one goes.
static inline struct context_token *context_token_put(struct context_token *token, const uint16_t *start)
{
    memcpy(token, start, sizeof *token);
    return token + 1;
}

// Are all bytes zero?
static inline bool index_vector_zero(index_vector vector)
{
    uint64_t word[CONTEXT_VECTOR / sizeof(uint64_t)];
    memcpy(word, &vector, sizeof word);
    return (word[0] | word[1]) == 0;
}

// Prepares a model for the encoder: sorts the neighbours of outcomes, and finds the most frequent symbols of each
// context: of outcomes `likely[0]` of all symbols, `likely[1]` of those not better than a draw. Must be called after
// every change of neighbours or frequencies.
void context_model_prepare(struct context_model *model);

// Begins with the symbols of a unit, and what is given for it (else NULL), as in context_encode(); false if one of the
// symbols is not in the model. `marks`: the first entry of the unit, or NULL.
bool context_unit_load(const struct context_model *model, struct context_unit *unit, const uint8_t *symbols,
                       const uint8_t *given, const struct vacant_start *marks, size_t count);

// The index that all symbols of a unit can have, or -1.
int context_unit_common(const struct context_model *model, const struct context_unit *unit, size_t count);

// Gives every row its kind, every don't-care a symbol, and every symbol to be coded its tokens; false if the symbol of
// a vacant entry is not a don't-care.
bool context_unit_plan(const struct context_model *model, struct context_unit *unit, size_t count);

// After that: could the row at `at` be copied from `distance` places before it?
bool context_row_copies(const struct context_model *model, const struct context_unit *unit, size_t at,
                        unsigned distance);

#endif
