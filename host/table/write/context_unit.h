// context_unit.h - a unit of a block while it is encoded or counted; shared by context_encode.c and context_train.c
#ifndef CLTB_TABLE_WRITE_CONTEXT_UNIT_H
#define CLTB_TABLE_WRITE_CONTEXT_UNIT_H

#include "table/context_code.h"

// A symbol's slots, as in struct context_slots.
struct context_token {
    uint16_t start; // the first one
    uint16_t end;   // after the last one
};

struct context_unit {
    uint8_t space[2 * CONTEXT_UNIT]; // indices of symbols, after those that neighbours can reach
    uint8_t allowed[CONTEXT_UNIT];   // the indices that each symbol may have, as a set
    uint8_t kind[CONTEXT_UNIT / CONTEXT_ROW];
    struct context_token token[CONTEXT_UNIT + CONTEXT_UNIT / CONTEXT_ROW];
    size_t tokens;
};

static inline unsigned context_of_symbol(const struct context_model *model, const uint8_t *at)
{
    unsigned context = 0;
    for (unsigned n = model->neighbours; n-- > 0;)
        context = context * model->symbols + at[-(ptrdiff_t)model->distance[n]];
    return context;
}

// The indices of symbols that each value of a byte may become, as sets.
void context_sets(const struct context_model *model, uint8_t allowed[256]);

// Sorts the neighbours, and finds the most frequent symbol of each context: `likely[0]` of all symbols, `likely[1]` of
// those not better than a draw. Must be called after every change of neighbours or frequencies.
void context_model_prepare(struct context_model *model);

// Begins with the symbols of a unit; false if one of them is not in the model.
bool context_unit_load(struct context_unit *unit, const uint8_t allowed_by[256], const uint8_t *symbols, size_t count);

// Gives every row its kind, every don't-care a symbol, and every symbol to be coded a token.
void context_unit_plan(const struct context_model *model, struct context_unit *unit, size_t count);

#endif
