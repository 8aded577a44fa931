// source.h - where the values of a material are stored: in a table, or in Syzygy files
//
// Both store an outcome for every position and distances for some sides to move, and both leave some of these values to
// a search of the moves (table/table.h, syzygy/file.h). Syzygy files leave out more: the distance of a win by a pawn
// move, and the difference between a mate and a loss in 1. Most of their distances are rounded.
#ifndef CLTB_PROBE_SOURCE_H
#define CLTB_PROBE_SOURCE_H

#include "table/table.h"

struct syzygy_file;

struct source {
    struct table *table; // NULL: Syzygy files,
    struct syzygy_file *outcomes;
    struct syzygy_file *distances; // NULL: the file is missing
    bool large;                    // a table whose outcomes do not stay in the processor's caches
};

// A distance to zeroing in plies. `rounded`: it may be one ply more.
struct distance {
    int ply;
    bool rounded;
};

// Is there a file for a material in standard colours? `path` receives the path of its table, or otherwise of its Syzygy
// file of outcomes, in the first folder that has it.
bool source_find(char *path, size_t size, const char *folders, const struct material *material);

// Opens the file that source_find() finds or, if both kinds exist, the kind that `syzygy_first` selects. CLTB_E_MISSING
// without a sentence if there is neither; other errors as for table_open() and syzygy_open().
int source_open(struct source *source, const char *folders, const struct material *material, bool syzygy_first,
                struct block_cache *cache);
void source_close(struct source *source); // a source without files is allowed

static inline bool source_is_open(const struct source *source)
{
    return source->table != NULL || source->outcomes != NULL;
}

static inline bool source_has_outcomes_only(const struct source *source)
{
    return source->outcomes != NULL && source->distances == NULL;
}

// Reads all files of the source and compares their checksums. CLTB_E_CORRUPT, CLTB_E_IO, CLTB_E_MEMORY.
int source_check(const struct source *source);

// Call it before reading all values: decodes Syzygy files into memory (syzygy_load()) if there is enough.
int source_load(const struct source *source, struct thread_pool *pool);

// As the functions of table/table.h.
int source_outcome(const struct source *source, const struct position *position, int *outcome);
bool source_has_distance(const struct source *source, const struct position *position);
int source_distance(const struct source *source, const struct position *position, int outcome,
                    struct distance *distance);

#endif
