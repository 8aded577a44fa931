// pawn_table.h - builds one table with pawns
//
// 1. The slices are solved in batches (solve/slices.h), and each batch goes to the work file (make/slice_store.h),
//    which lies beside the table or in the scratch folder as NAME.cltb.work. A run that was stopped at any moment
//    resumes from it.
// 2. The table is written from the work file, which is removed once the table is in place.
#ifndef CLTB_MAKE_PAWN_TABLE_H
#define CLTB_MAKE_PAWN_TABLE_H

#include "make/options.h"
#include "make/statistics.h"
#include "solve/solver.h"
#include "syzygy/write/write.h"
#include "util/threads.h"

struct pawn_table_job {
    const struct material *material; // with pawns, standard colours
    const char *path;                // of the table
    const char *work;                // of the work file
    const char *scratch;             // folder for arrays that do not fit in memory
    const char *search;              // folders with futurebases, separated by ':'
    const struct build_options *options;
    bool write;                   // the .cltb file
    bool reduced;                 // the file will be reduced to the distances of one side
    struct syzygy_target *syzygy; // NULL: no such files. Without either: solve only, no work file
    struct thread_pool *pool;
    struct statistics *statistics; // of options->statistics; NULL: nothing is counted
    uint64_t batch_bytes;          // of a plane of a batch; 0: the default of slices_solve()
    size_t kept;                   // bytes of the solver's arrays that the pool keeps while the file is written

    // Called with `context`; a nonzero result stops the work and is returned.
    int (*open)(void *context, const struct layout *layout, struct backend **backend); // opens what solves a batch
    int (*open_coder)(void *context, struct backend **backend); // of blocks, if a device is to code them; or NULL
    int (*ply)(void *context, const struct solver_ply *ply);    // after each ply of a batch, and after each batch
    int (*solved)(void *context);                               // called once, before the file is begun
    int (*written)(void *context, double share);                // of the file, 0..1
    int (*counted)(void *context, bool whole);                  // once, when the file exists (statistics.h: keep)
    void *context;

    // Results, valid from the first call of ply() on.
    char backend[256]; // what solves it, one line
    uint64_t slices_done;
    uint64_t slices_total;
    uint64_t resumed;    // slices that the work file had at the start
    uint64_t file_bytes; // at the end
};

// CLTB_E_INTERRUPTED leaves a work file from which the next run resumes.
int pawn_table_make(struct pawn_table_job *job);

#endif
