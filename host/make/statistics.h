// statistics.h - counting a table while it is built, and keeping the counts in its file
//
// check/stats_gather.c implements it: this folder knows nothing of statistics.
#ifndef CLTB_MAKE_STATISTICS_H
#define CLTB_MAKE_STATISTICS_H

#include "solve/slices.h"

struct statistics; // the statistics of one table

typedef const uint64_t (*solver_weights)[COLOURS][SOLVER_PLY_MAX + 1]; // as in struct solution, or in slices_result

struct statistics_ops {
    // Can the file of a table be counted only by probing every position? Then --statistics is an error if the table is
    // not solved as a whole by one run of one process in memory.
    bool (*probes)(const struct material *material);
    // Opens the statistics of a table when it is begun. NULL: its file is to keep none. `kept`: a side whose distances
    // are kept. The material and the pool must outlive them.
    int (*open)(struct statistics **statistics, const struct material *material, int kept, struct thread_pool *pool);
    void (*close)(struct statistics *statistics); // NULL is allowed
    // The solver calls this with the longest lines of the other side.
    int (*longest)(struct statistics *statistics, struct backend *backend, const struct solver_longest *longest);
    // Counts what is solved: a whole table without pawns, or a batch of slices.
    int (*tiles)(struct statistics *statistics, const struct solution *solution);
    int (*slices)(struct statistics *statistics, const struct pawn_slices *slices, const struct slice_values *values,
                  const struct slice_record *records, size_t count);
    // Puts the statistics into the file, which is in the first of `folders`. Its futurebases are in these folders, too.
    // `weight` is that of the whole table; NULL: it was not solved as a whole by one run of one process, so the file
    // has to be counted.
    int (*keep)(struct statistics *statistics, solver_weights weight, const char *path, const char *folders);
};

#endif
