// dont_care.h - what a block stores for its don't-cares
#ifndef CLTB_TABLE_WRITE_DONT_CARE_H
#define CLTB_TABLE_WRITE_DONT_CARE_H

#include "table/table.h"

#include <stddef.h>

// Replaces the symbols ANY_OUTCOME, DRAW_OR_WORSE and ANY_DISTANCE (word_symbols.h) of a block by the value
// before them, or one that compresses as well.
void dont_care_fill(enum table_kind kind, unsigned symbol_bytes, void *symbols, size_t count);

#endif
