// block_symbols.h - the symbols of a block: taken from an array in another order, and filled in for don't-cares
#ifndef CLTB_TABLE_WRITE_BLOCK_SYMBOLS_H
#define CLTB_TABLE_WRITE_BLOCK_SYMBOLS_H

#include "table/table.h"

#include <stddef.h>

// The digits of a section's entries, outermost first: the number of the slice in the section, then the groups.
struct entry_digits {
    int count;
    uint64_t size[ENTRY_GROUPS_MAX + 1];
    uint64_t stride[ENTRY_GROUPS_MAX + 1];  // entries
    uint64_t natural[ENTRY_GROUPS_MAX + 1]; // the same in the natural order
};

// Copies `count` symbols of `width` bytes, 1 or 2, beginning with entry `first` of a section, out of an array in the
// natural order.
void gather_block(const struct entry_digits *digits, const uint8_t *symbols, unsigned width, uint64_t first,
                  size_t count, uint8_t *to);

// Replaces the symbols ANY_OUTCOME, DRAW_OR_WORSE and ANY_DISTANCE (word_symbols.h) of a block by the value before
// them, or by one that compresses equally well.
void dont_care_fill(enum table_kind kind, unsigned symbol_bytes, void *symbols, size_t count);

#endif
