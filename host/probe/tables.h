// tables.h - a set of tables and Syzygy files, opened when first needed and found by material
//
// Lookup takes no lock: a hash table of pointers with room for every material there can be, each published once by an
// atomic store. Only opening a file takes the set's lock. A table that is missing or broken is remembered as such, so a
// program that probes without it does not ask the file system again and again.
#ifndef CLTB_PROBE_TABLES_H
#define CLTB_PROBE_TABLES_H

#include <cltb/cltb.h>

#include "probe/source.h"

// The source for the men of this position, colours flipped or not. CLTB_E_MISSING with the file's name and the folders.
int tables_find(cltb_tables *tables, const struct position *position, const struct source **source);

// CLTB_E_MISSING and the sentence for it: that these files ("KQvK.cltb, KRvK.cltb") are not in the folders, and that
// building the table of `material` makes them.
int tables_missing(const char *folders, const char *files, const struct material *material);

// Where there is both, Syzygy files are read instead of a table. To be called before anything is looked up.
void tables_prefer_syzygy(cltb_tables *tables);

// The folders as given to cltb_open().
const char *tables_folders(const cltb_tables *tables);

// The same for a material in standard colours.
int tables_find_material(cltb_tables *tables, const struct material *material, const struct source **source);

// The same if it is a table; CLTB_E_MISSING, too, if there are only Syzygy files.
int tables_find_table(cltb_tables *tables, const struct material *material, struct table **table);

#endif
