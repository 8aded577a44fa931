// listing.h - what the pages ask for first: the version, and all tables
#ifndef CLTB_SERVE_LISTING_H
#define CLTB_SERVE_LISTING_H

#include "make/inventory.h"
#include "serve/lila.h"

#include <stdio.h>

// Can the pages use this table? Not if it is hidden by another one or cannot be opened, or is none.
bool listing_has(const struct inventory_table *table);

// Writes the list of tables that /endgames gives. Returns whether nothing is missing in it; `fault` is told of tables
// that cannot be read.
bool listing_write(FILE *file, cltb_tables *tables, const struct inventory *inventory, lila_fault *fault,
                   void *context);

// Writes what /about gives.
void listing_about(FILE *file, bool watches);

#endif
