// streamed_table.h - builds a pawnless table whose planes do not fit in memory
#ifndef CLTB_MAKE_STREAMED_TABLE_H
#define CLTB_MAKE_STREAMED_TABLE_H

#include "make/plan_stream.h"
#include "make/statistics.h"
#include "solve/disk/streamed.h"
#include "solve/futurebase.h"
#include "solve/solver.h"
#include "syzygy/write/write.h"
#include "table/write/write_table.h"

struct streamed_table_job {
    const struct material *material;
    const struct plan_stream *plan;
    const char *scratch;       // folder
    const char *path;          // of the table
    bool write;                // the .cltb file
    bool kept[COLOURS];        // distances that the file may have; only with `syzygy`
    const struct peers *peers; // which solve it together; NULL: none
    double interval;           // seconds between checkpoints
    struct solver_options solver;
    struct statistics *statistics;       // NULL: the table is not counted
    const struct statistics_ops *counts; // if it is
    struct syzygy_target *syzygy;        // NULL: no such files
    struct write_options writer;         // `memory` and `scratch` are set by this module
    const struct futurebase_source *source;
    struct thread_pool *pool;
    // Opens a backend for windows of `tiles` tiles.
    int (*open)(void *context, const struct layout *layout, uint64_t tiles, struct backend **inner);
    int (*stop)(void *context);
    // Called when the backend has been opened, where `start` tells whether an earlier run's work is resumed; and when
    // the endgame is solved.
    int (*begun)(void *context, const char *backend, enum scratch_start start);
    int (*solved)(void *context);
    int (*counted)(void *context, bool whole); // once, when the file exists (statistics.h: keep)
    void *context;                             // for all of these
    // Results. `backend` is NULL before and after the work; `traffic` is set at the end.
    struct backend *backend;
    uint64_t file_bytes;
    struct scratch_traffic traffic;
};

// The traffic so far: bytes read and written.
struct scratch_traffic streamed_table_traffic(const struct streamed_table_job *job);

int streamed_table_make(struct streamed_table_job *job);

// CLTB_E_IO, with the figures, if the disk has too little space for a table's scratch files, or for those of one of
// several processes. The folder need not exist.
int streamed_table_room(const char *dir, const struct material *material, uint64_t needed, const struct peers *peers);

#endif
