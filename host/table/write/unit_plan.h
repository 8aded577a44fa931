// unit_plan.h - what a unit of outcomes or distances is coded as
#ifndef CLTB_TABLE_WRITE_UNIT_PLAN_H
#define CLTB_TABLE_WRITE_UNIT_PLAN_H

#include "table/write/context_unit.h"

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
