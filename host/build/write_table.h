// write_table.h - from a solution to a table file
#ifndef CLTB_BUILD_WRITE_TABLE_H
#define CLTB_BUILD_WRITE_TABLE_H

#include "build/slice_sections.h"
#include "solver/solver.h"
#include "util/threads.h"

struct write_options {
    bool both_sides; // distances for both sides to move, else for the one that takes fewer bytes
    bool best;       // larger blocks and the highest level
    // Called now and then with the share done; a non-zero result stops: CLTB_E_INTERRUPTED.
    int (*progress)(void *context, double share);
    void *context;
};

// Writes the table to `path`, whole or not at all. The solution must have kept its decided planes and the distances of
// the sides that are to be written. `*bytes` is the size of the file.
int write_table(const struct solution *solution, const char *path, struct thread_pool *pool,
                const struct write_options *options, uint64_t *bytes);

// The same for a table with pawns.
int write_slices_table(const struct slices_source *source, const char *path, struct thread_pool *pool,
                       const struct write_options *options, uint64_t *bytes);

#endif
