// tables.h - a set of tables and Syzygy files, opened when first needed and found by material
//
// Lookup takes no lock: it reads a hash table of pointers with room for every possible material, each published once by
// an atomic store. Only opening a file takes the set's lock. Missing and broken tables are remembered, so a program
// that probes without them does not ask the file system again and again (but see tables_look_again()).
#ifndef CLTB_PROBE_TABLES_H
#define CLTB_PROBE_TABLES_H

#include <cltb/cltb.h>

#include "probe/source.h"

#include <pthread.h>

// What castling.c keeps with a set, and how the set frees it.
struct tables_kept {
    pthread_mutex_t lock;
    void *kept;
    void (*free)(void *kept);
};

struct tables_kept *tables_kept(cltb_tables *tables);

// The source for the men of this position, colours flipped or not. CLTB_E_MISSING with the file's name and the folders.
int tables_find(cltb_tables *tables, const struct position *position, const struct source **source);

// The same without a sentence, which takes longer than a probe.
int tables_find_silently(cltb_tables *tables, const struct position *position, const struct source **source);

// Returns CLTB_E_MISSING with a sentence: `files` ("KQvK.cltb, KRvK.cltb") are not in the folders, and building the
// table of `material` makes them.
int tables_missing(const char *folders, const char *files, const struct material *material);

// Makes lookups prefer Syzygy files to tables if both exist. Call it before the first lookup.
void tables_prefer_syzygy(cltb_tables *tables);

// Makes lookups ask the file system again, after a second at the earliest, for files that were missing or broken.
void tables_look_again(cltb_tables *tables);

// Makes this file the table of a material in standard colours, whatever is in the folders. Call it before the first
// lookup. Errors as for table_open().
int tables_add_file(cltb_tables *tables, const struct material *material, const char *path);

// The folders, as given to cltb_open().
const char *tables_folders(const cltb_tables *tables);

// As tables_find(), but for a material in standard colours.
int tables_find_material(cltb_tables *tables, const struct material *material, const struct source **source);

// As tables_find_material(), but only tables count: CLTB_E_MISSING also if there are only Syzygy files.
int tables_find_table(cltb_tables *tables, const struct material *material, struct table **table);

#endif
