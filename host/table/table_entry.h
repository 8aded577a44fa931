// table_entry.h - reading a table by its entries, for programs that go through all of it
#ifndef CLTB_TABLE_TABLE_ENTRY_H
#define CLTB_TABLE_TABLE_ENTRY_H

#include "index/entry.h"
#include "table/table.h"
#include "table/table_text.h"

// The order of a stream's entries. `side` is to move, colours as in the table; NULL if there is no such stream.
const struct entry_order *table_order(const struct table *table, enum table_kind kind, int side);

// What is stored there (docs/format.md): an outcome + 2, or a distance in plies. Thread-safe.
int table_symbol(struct table *table, enum table_kind kind, int side, uint64_t entry, unsigned *value);

#endif
