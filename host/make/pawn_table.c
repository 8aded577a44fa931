// pawn_table.c - builds one table with pawns
//
// 1. The slices are solved in batches (solve/slices.h), and each batch goes to the work file (make/slice_store.h),
//    which lies beside the table or in the scratch folder as NAME.cltb.work. A run that was stopped at any moment
//    resumes from it.
// 2. The table is written from the work file, which is removed once the table is in place.
#include "futurebase/stored_slabs.h"
#include "make/pawn_memory.h"
#include "make/slice_store.h"
#include "make/statistics.h"
#include "make/table_job.h"
#include "solve/slices.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdio.h>

// The solver and the store of one table with pawns.
struct pawn_making {
    struct table_job *making;
    const struct material *material;
    struct pawn_slices *slices;
    struct slice_store *store; // NULL: nothing is kept
    struct stored_slabs stored;
    struct pawn_memory memory;
    struct slices_options options;
    struct longest_watch longest;
    struct slices_result result;
    char backend[256]; // what solves it, one line
};

static int open_batch(void *context, const struct layout *layout, struct backend **backend)
{
    struct pawn_making *pawns = context;
    struct build_job *job = &pawns->making->job;
    TRY(job_open_backend(job, layout, 0, backend));
    snprintf(pawns->backend, sizeof pawns->backend, "%s", (*backend)->ops->describe(*backend));
    job->event.backend = pawns->backend;
    return 0;
}

static void note_slices(struct pawn_making *pawns)
{
    struct build_event *event = &pawns->making->job.event;
    event->slices_total = pawns->slices->slices;
    event->slices_done = pawns->result.done;
    event->slices_resumed = pawns->result.resumed;
    event->share = (double)pawns->result.done / (double)pawns->slices->slices;
}

static int on_ply(void *context, const struct solver_ply *ply)
{
    struct pawn_making *pawns = context;
    note_slices(pawns);
    return table_job_ply(pawns->making, ply);
}

static void share(void *context, size_t slices, size_t *first, size_t *count)
{
    const struct peers *peers = ((const struct pawn_making *)context)->making->job.options->peers;
    *first = slices * (size_t)peers->rank / (size_t)peers->ranks;
    *count = slices * (size_t)(peers->rank + 1) / (size_t)peers->ranks - *first;
}

static int meet(void *context)
{
    const struct pawn_making *pawns = context;
    return slice_share(pawns->store, pawns->slices->slices, pawns->making->job.options->peers);
}

static int on_batch(void *context, const struct solved_batch *batch)
{
    const struct pawn_making *pawns = context;
    const struct table_job *making = pawns->making;
    struct peer_bytes found = {NULL, 0};
    TRY(making->job.options->statistics->slices(making->statistics, pawns->slices, batch, &found));
    slice_store_attach(pawns->store, &found);
    return 0;
}

static int take_one(void *context, const void *bytes, size_t count)
{
    const struct table_job *making = context;
    return making->job.options->statistics->take(making->statistics, bytes, count);
}

static int take_found(void *context, bool *whole)
{
    const struct pawn_making *pawns = context;
    return slice_store_found(pawns->store, take_one, pawns->making, whole);
}

static int solve(struct pawn_making *pawns)
{
    const struct slab_source source = stored_slabs_source(&pawns->stored);
    struct slice_sink sink;
    if (pawns->store != NULL)
        sink = slice_store_sink(pawns->store);
    struct build_job *job = &pawns->making->job;
    threads_watch(job->pool, job_window, job); // while futurebases are loaded, too
    const int code = slices_solve(pawns->material, pawns->slices, &source, pawns->store != NULL ? &sink : NULL,
                                  &pawns->options, &pawns->result);
    threads_watch(job->pool, NULL, NULL);
    TRY(code);
    stored_slabs_close(&pawns->stored);
    note_slices(pawns);
    return table_job_solved(pawns->making);
}

static int write_files(struct pawn_making *pawns)
{
    struct table_job *making = pawns->making;
    struct memory_pool *memory = threads_memory(making->job.pool);
    const struct pawn_memory *plan = &pawns->memory;
    const uint64_t others = plan->fixed + pawn_memory_read_back(pawns->material);
    struct slab_shape shape;
    // The writer needs arrays of other sizes than those that the solver has left to the pool and to malloc().
    memory_pool_shrink(memory, plan->limit == 0 ? table_job_kept(making) : 0);
    memory_pool_limit(memory, plan->limit > 0 ? plan->arrays / PAWN_KEPT_PART : 0, NULL, NULL);
    if (plan->limit > 0)
        memory_trim();
    slices_shape(pawns->material, &shape);
    const struct slices_source source = {
        .material = *pawns->material,
        .slices = pawns->slices,
        .shape = &shape,
        .kept = {pawns->options.keep_distance[WHITE], pawns->options.keep_distance[BLACK]},
        .longest = (const int(*)[5])pawns->result.longest,
        .context = pawns->store,
        .load = slice_store_load};
    struct write_options writing = table_job_write_options(making, plan->limit == 0       ? 0
                                                                   : plan->limit > others ? plan->limit - others
                                                                                          : 1);
    writing.peers = making->job.options->peers;
    making->syzygy.memory = writing.memory;
    struct content content = slices_content(&source);
    making->join_statistics = take_found;
    making->join_context = pawns;
    return table_job_write(making, &content, &writing);
}

static int make(struct pawn_making *pawns)
{
    struct build_job *job = &pawns->making->job;
    const struct material *material = pawns->material;
    const struct peers *peers = job->options->peers;
    TRY(job_emit(job, BUILD_START));
    TRY(pawn_slices_open(&pawns->slices, material->count[WHITE][PAWN], material->count[BLACK][PAWN]));
    if (!table_job_writes(pawns->making) && peers == NULL)
        return solve(pawns);
    const struct slice_store_options options = {
        .path = pawns->making->work,
        .material = material,
        .slices = pawns->slices->slices,
        .keep_distance = {pawns->options.keep_distance[WHITE], pawns->options.keep_distance[BLACK]},
        .keep_resolved = pawns->options.keep_resolved,
        .found = pawns->making->statistics != NULL,
        .pool = job->pool};
    TRY(slice_store_open(&pawns->store, &options));
    TRY(slice_share_absorb(pawns->store, &options, job_scratch(job->options), peers));
    TRY(solve(pawns));
    return table_job_writes(pawns->making) ? write_files(pawns) : 0;
}

int pawn_table_make(struct table_job *making)
{
    // A device wants many work-items at a time, the processor planes that stay in its caches.
    enum { DEVICE_BATCH_BYTES = 64 << 20, SECTIONS_BYTES = 64 << 20 };
    const struct build_job *job = &making->job;
    const struct plan_table *table = making->table;
    const struct solver_options solving = table_job_solver_options(making);
    const bool mate = table->material.metric != METRIC_DTZ; // pawn moves need the distances of both sides
    struct pawn_making pawns = {.making = making, .material = &table->material};
    pawn_memory(&pawns.memory, pawns.material, job->options,
                (table->write ? PLAN_TABLE : 0U) | (table->syzygy ? PLAN_SYZYGY : 0U));
    const uint64_t sections = pawns.memory.arrays / PAWN_SECTIONS_PART;
    pawns.stored = (struct stored_slabs){.folders = job_search(job->options),
                                         .pool = job->pool,
                                         .metric = (enum metric)pawns.material->metric,
                                         .cache_bytes = sections > 0 && sections < SECTIONS_BYTES ? (size_t)sections
                                                                                                  : SECTIONS_BYTES};
    uint64_t batch_bytes = making->batch_bytes;
    if (batch_bytes == 0 && job->device.number >= 0)
        batch_bytes = DEVICE_BATCH_BYTES;
    pawns.options = (struct slices_options){
        .keep_distance = {mate || solving.keep_distance[WHITE], mate || solving.keep_distance[BLACK]},
        .keep_resolved = solving.keep_resolved && !mate,
        .last_attacker = solving.last_attacker,
        .batch_bytes = batch_bytes,
        .memory = pawns.memory.arrays,
        .scratch = job_scratch(job->options),
        .open = open_batch,
        .progress = on_ply,
        .metric = solving.metric,
        .batch = making->statistics != NULL ? on_batch : NULL,
        .apart = making->statistics != NULL,
        .context = &pawns,
        .pool = job->pool,
        .isa = job->options->isa,
        .share = job->options->peers != NULL ? share : NULL,
        .meet = job->options->peers != NULL ? meet : NULL};
    longest_watch_open(&pawns.longest, table_job_longest_side(making), table_job_longest, making);
    if (making->statistics != NULL && !mate)
        pawns.options.guest = &pawns.longest.guest;
    int code = make(&pawns);
    stored_slabs_close(&pawns.stored);
    slice_store_close(pawns.store, code != 0);
    pawn_slices_close(pawns.slices);
    memory_pool_limit(threads_memory(job->pool), 0, NULL, NULL);
    THEN(code, table_job_done(making));
    making->job.event.backend = NULL;
    return code;
}
