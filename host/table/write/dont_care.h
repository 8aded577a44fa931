// dont_care.h - what stands for entries that may have any value
#ifndef CLTB_TABLE_WRITE_DONT_CARE_H
#define CLTB_TABLE_WRITE_DONT_CARE_H

#include "table/table.h"

#include <stddef.h>

// Replaces the symbols ANY_OUTCOME, DRAW_OR_WORSE and ANY_DISTANCE (sections.h) of a block by the value before them, or one
// that compresses as well.
void dont_care_fill(enum table_kind kind, unsigned symbol_bytes, void *symbols, size_t count);

#endif
