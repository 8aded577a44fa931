// write_table.h - from a solution to a table file
#ifndef CLTB_TABLE_WRITE_WRITE_TABLE_H
#define CLTB_TABLE_WRITE_WRITE_TABLE_H

#include "solve/solver.h"
#include "solve/tile_source.h"
#include "table/write/slice_sections.h"
#include "util/threads.h"

struct write_options {
    bool both_sides; // distances for both sides to move, else for the one that takes fewer bytes
    bool best;       // larger blocks and the highest level
    // Called now and then with the share done; a non-zero result stops: CLTB_E_INTERRUPTED.
    int (*progress)(void *context, double share);
    void *context;
    // Bytes that the writer may take, write_memory_bytes() at least, which it takes even if this is less; 0: no limit.
    // The file is the same whatever this is.
    uint64_t memory;
    // A folder for temporary data, which a writer with a limit may need: less than a section of the finished table has.
    // NULL: the table's own.
    const char *scratch;
};

// What writing a table takes beside the planes of its solution: the least with which it works, and what it takes without a
// limit (an estimate). `slices`: of an endgame with pawns.
void write_memory_bytes(const struct material *material, uint64_t slices, const struct write_options *options,
                        int threads, uint64_t *least, uint64_t *most);

// Writes the table to `path`, whole or not at all. The solution must have kept its resolved planes and the distances of
// the sides that are to be written. `*bytes` is the size of the file.
int write_table(const struct solution *solution, const char *path, struct thread_pool *pool,
                const struct write_options *options, uint64_t *bytes);

// The same for a solution whose tiles lie anywhere.
int write_tiles_table(const struct tile_source *source, const char *path, struct thread_pool *pool,
                      const struct write_options *options, uint64_t *bytes);

// The same for a table with pawns.
int write_slices_table(const struct slices_source *source, const char *path, struct thread_pool *pool,
                       const struct write_options *options, uint64_t *bytes);

#endif
