// pattern_unit.h - a unit of distances while it is encoded or counted: the functions of context_unit.h for one
#ifndef CLTB_TABLE_WRITE_PATTERN_UNIT_H
#define CLTB_TABLE_WRITE_PATTERN_UNIT_H

#include "table/pattern_code.h"
#include "table/write/context_unit.h"

void pattern_model_prepare(struct context_model *model);
bool pattern_unit_load(const struct context_model *model, struct context_unit *unit, const uint8_t *symbols,
                       size_t count);
int pattern_unit_common(const struct context_unit *unit, size_t count);

// May the symbols of the row at `at` be the same as those `distance` places before?
bool pattern_row_copies(const struct context_unit *unit, size_t at, unsigned distance);

// Gives the row at `at` its kind and, unless it must be coded, its symbols.
unsigned pattern_choose_kind(const struct context_model *model, struct context_unit *unit, size_t at);

// Gives the don't-cares of a row their symbols, and adds its tokens.
void pattern_code_row(const struct context_model *model, struct context_unit *unit, size_t at, size_t count);

#endif
