// statistics.h - counting a table while it is built, and keeping the counts in its file
//
// check/stats_gather.c implements it: this folder knows nothing of statistics.
#ifndef CLTB_MAKE_STATISTICS_H
#define CLTB_MAKE_STATISTICS_H

#include "make/longest.h"
#include "solve/disk/streamed.h"
#include "solve/slices.h"

struct container_writer;
struct statistics; // the statistics of one table

struct statistics_ops {
    // Opens the statistics of a table when it is begun. NULL: its file is to keep none. `kept`: a side whose distances
    // are kept; `layout`: without pawns, the flags of layout_init(). The material and the pool must outlive them.
    int (*open)(struct statistics **statistics, const struct material *material, int kept, unsigned layout,
                struct thread_pool *pool);
    void (*close)(struct statistics *statistics); // NULL is allowed
    // Called with the longest lines of the other side, and with quiet ones of both (longest.h).
    int (*longest)(struct statistics *statistics, struct backend *backend, const struct solver_longest *longest);
    // Counts a whole table without pawns in memory.
    int (*tiles)(struct statistics *statistics, const struct solution *solution);
    // The same with planes on disk, in parts: begin(), and then these are shown the table, with the statistics as their
    // context. If several processes have solved it, only the first one takes its weights, and join() sends it what the
    // others have found.
    void (*begin)(struct statistics *statistics, const struct solution *solution, bool weights);
    longest_visit *longest_tiles; // of the other side
    tile_pair_visit *pair;
    int (*join)(struct statistics *statistics, const struct peers *peers);
    // Counts a batch of slices. `*found` is what has been found in it (malloc()'s), which take() adds in the end.
    int (*slices)(struct statistics *statistics, const struct pawn_slices *slices, const struct solved_batch *batch,
                  struct peer_bytes *found);
    int (*take)(struct statistics *statistics, const void *bytes, size_t count);
    // Puts the statistics into the file, which can be read. Its futurebases are in `folders`. `whole`: all of the table
    // has been counted; otherwise the file is.
    int (*keep)(struct statistics *statistics, bool whole, struct container_writer *file, const char *folders);
};

#endif
