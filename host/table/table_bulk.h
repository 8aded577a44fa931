// table_bulk.h - reading whole streams of a table, for building on it
#ifndef CLTB_TABLE_TABLE_BULK_H
#define CLTB_TABLE_TABLE_BULK_H

#include "index/entry.h"
#include "table/table.h"

struct table_bulk;

// Opens a table for reading section by section; checks its material.
int table_bulk_open(struct table_bulk **bulk, const char *path, const struct material *material);
void table_bulk_close(struct table_bulk *bulk);
const struct table_info *table_bulk_info(const struct table_bulk *bulk);

// The order of the outcomes of one side to move (symmetric tables: White only).
const struct entry_order *table_bulk_order(const struct table_bulk *bulk, int side);

// The stored outcomes (enum cltb_outcome + 2) of one section (index/entry.h): symbols[order->per_section]. Thread-safe.
int table_bulk_outcomes(const struct table_bulk *bulk, int side, uint64_t section, uint8_t *symbols);

// Entries first..last of a section, at their places in symbols[order->per_section]; others may be written as well.
int table_bulk_outcomes_part(const struct table_bulk *bulk, int side, uint64_t section, uint64_t first, uint64_t last,
                             uint8_t *symbols);

// Checks the hash of every block, distances as well (table/container.h).
struct thread_pool;
int table_bulk_check_hashes(const struct table_bulk *bulk, struct thread_pool *pool);

#endif
