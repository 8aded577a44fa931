// outcome_unit.h - a unit of outcomes while it is encoded or counted: the functions of unit_plan.h for one
#ifndef CLTB_TABLE_WRITE_OUTCOME_UNIT_H
#define CLTB_TABLE_WRITE_OUTCOME_UNIT_H

#include "table/write/context_unit.h"

void outcome_model_prepare(struct context_model *model);
bool outcome_unit_load(const struct context_model *model, struct context_unit *unit, const uint8_t *symbols,
                       size_t count);
int outcome_unit_common(const struct context_unit *unit, size_t count);

// May the symbols of the row at `at` be the same as those `distance` places before?
bool outcome_row_copies(const struct context_unit *unit, size_t at, unsigned distance);

// Gives the row at `at` its kind and, unless it must be coded, its symbols.
unsigned outcome_choose_kind(const struct context_model *model, struct context_unit *unit, size_t at);

// Gives the don't-cares of a row their symbols, and adds its tokens.
void outcome_code_row(const struct context_model *model, struct context_unit *unit, size_t at, size_t count);

#endif
