// free_entries.h - what stands for entries that may have any value
#ifndef CLTB_TABLE_WRITE_FREE_ENTRIES_H
#define CLTB_TABLE_WRITE_FREE_ENTRIES_H

#include "table/table.h"

#include <stddef.h>

// Replaces the symbols FREE_ANY, FREE_TO_DRAW and FREE_DISTANCE (sections.h) of a block by the value before them, or one
// that compresses as well.
void free_entries_fill(enum table_kind kind, unsigned symbol_bytes, void *symbols, size_t count);

#endif
