// pawn_table.c - builds one table with pawns
#include "make/pawn_table.h"

#include "futurebase/stored_slabs.h"
#include "make/longest.h"
#include "make/pawn_memory.h"
#include "make/plan_material.h"
#include "make/slice_share.h"
#include "make/slice_store.h"
#include "solve/mates/mates.h"
#include "solve/slices.h"
#include "table/write/write_table.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdio.h>
#include <string.h>

struct making {
    struct pawn_table_job *job;
    struct pawn_slices *slices;
    struct slice_store *store; // NULL: nothing is kept
    struct stored_slabs stored;
    struct pawn_memory memory;
    struct longest_watch longest;
    struct slices_options options;
    struct slices_result result;
};

static int open_batch(void *context, const struct layout *layout, struct backend **backend)
{
    struct pawn_table_job *job = ((struct making *)context)->job;
    int code = job->open(job->context, layout, backend);
    if (code == 0)
        snprintf(job->backend, sizeof job->backend, "%s", (*backend)->ops->describe(*backend));
    return code;
}

static int on_ply(void *context, const struct solver_ply *ply)
{
    struct making *making = context;
    struct pawn_table_job *job = making->job;
    job->resumed = making->result.resumed;
    job->slices_done = making->result.done;
    return job->ply(job->context, ply);
}

static void share(void *context, size_t slices, size_t *first, size_t *count)
{
    const struct peers *peers = ((const struct making *)context)->job->options->peers;
    *first = slices * (size_t)peers->rank / (size_t)peers->ranks;
    *count = slices * (size_t)(peers->rank + 1) / (size_t)peers->ranks - *first;
}

static int meet(void *context)
{
    const struct making *making = context;
    return slice_share(making->store, making->slices->slices, making->job->options->peers);
}

static int on_longest(void *context, struct backend *backend, const struct solver_longest *longest)
{
    const struct pawn_table_job *job = ((const struct making *)context)->job;
    return job->options->statistics->longest(job->statistics, backend, longest);
}

static int on_batch(void *context, const struct solved_batch *batch)
{
    const struct making *making = context;
    const struct pawn_table_job *job = making->job;
    struct peer_bytes found = {NULL, 0};
    TRY(job->options->statistics->slices(job->statistics, making->slices, batch, &found));
    slice_store_attach(making->store, &found);
    return 0;
}

static int take_found(void *context, const void *bytes, size_t count)
{
    const struct pawn_table_job *job = context;
    return job->options->statistics->take(job->statistics, bytes, count);
}

static int solve(struct making *making)
{
    struct pawn_table_job *job = making->job;
    const struct slab_source source = stored_slabs_source(&making->stored);
    struct slice_sink sink;
    if (making->store != NULL)
        sink = slice_store_sink(making->store);
    TRY(slices_solve(job->material, making->slices, &source, making->store != NULL ? &sink : NULL, &making->options,
                     &making->result));
    stored_slabs_close(&making->stored);
    job->slices_done = making->result.done;
    job->resumed = making->result.resumed;
    return job->solved(job->context);
}

static bool writes(const struct pawn_table_job *job)
{
    return job->write || job->syzygy != NULL;
}

static int make(struct making *making)
{
    struct pawn_table_job *job = making->job;
    const struct material *material = job->material;
    TRY(pawn_slices_open(&making->slices, material->count[WHITE][PAWN], material->count[BLACK][PAWN]));
    making->job->slices_total = making->slices->slices;
    const struct peers *peers = job->options->peers;
    if (!writes(job) && peers == NULL)
        return solve(making);
    const struct slice_store_options options = {
        .path = job->work,
        .material = material,
        .slices = making->slices->slices,
        .keep_distance = {making->options.keep_distance[WHITE], making->options.keep_distance[BLACK]},
        .keep_resolved = making->options.keep_resolved,
        .found = job->statistics != NULL,
        .pool = job->pool};
    TRY(slice_store_open(&making->store, &options));
    TRY(slice_share_absorb(making->store, &options, job->scratch, peers));
    TRY(solve(making));
    if (!writes(job))
        return 0;
    struct memory_pool *memory = threads_memory(job->pool);
    const uint64_t limit = making->memory.limit;
    const uint64_t others = making->memory.fixed + pawn_memory_read_back(job->material);
    struct slab_shape shape;
    // The writer needs arrays of other sizes than those that the solver has left to the pool and to malloc().
    memory_pool_shrink(memory, limit == 0 ? job->kept : 0);
    memory_pool_limit(memory, limit > 0 ? making->memory.arrays / PAWN_KEPT_PART : 0, NULL, NULL);
    if (limit > 0)
        memory_trim();
    slices_shape(job->material, &shape);
    const struct slices_source source = {
        .material = *job->material,
        .slices = making->slices,
        .shape = &shape,
        .kept = {making->options.keep_distance[WHITE], making->options.keep_distance[BLACK]},
        .longest = (const int(*)[5])making->result.longest,
        .context = making->store,
        .load = slice_store_load};
    struct write_options writing = {.both_sides = job->options->both_sides || job->material->metric != METRIC_DTZ,
                                    .reduced = job->reduced,
                                    .outcomes = job->options->temporary,
                                    .best = job->options->best,
                                    .progress = job->written,
                                    .context = job->context,
                                    .memory = limit == 0       ? 0
                                              : limit > others ? limit - others
                                                               : 1,
                                    .scratch = job->options->scratch,
                                    .peers = peers};
    struct content content = slices_content(&source);
    if (job->syzygy != NULL)
        job->syzygy->memory = writing.memory;
    if (job->syzygy != NULL)
        TRY(syzygy_write(&content, job->syzygy, job->pool));
    const struct plan_distances distances = plan_table_distances(job->material, job->options);
    memcpy(content.kept, distances.keep, sizeof content.kept);
    if (!job->write)
        return 0;
    if (job->open_coder != NULL)
        TRY(job->open_coder(job->context, &writing.coder));
    const int code = write_content(&content, job->path, job->pool, &writing, &job->file_bytes);
    if (writing.coder != NULL)
        writing.coder->ops->close(writing.coder);
    TRY(code);
    bool whole = false;
    if (job->statistics == NULL || peers_rank(peers) > 0) // the first process writes the file
        return 0;
    TRY(slice_store_found(making->store, take_found, job, &whole));
    return job->counted(job->context, whole);
}

int pawn_table_make(struct pawn_table_job *job)
{
    const struct build_options own = plan_own_options(job->options, job->syzygy != NULL);
    const struct plan_distances distances = plan_distances(job->material, &own);
    enum { SECTIONS_BYTES = 64 << 20 };
    struct making making = {.job = job};
    pawn_memory(&making.memory, job->material, &own,
                (job->write ? PLAN_TABLE : 0U) | (job->syzygy != NULL ? PLAN_SYZYGY : 0U));
    const uint64_t sections = making.memory.arrays / PAWN_SECTIONS_PART;
    const bool mate = job->material->metric != METRIC_DTZ; // pawn moves need the distances of both sides
    making.stored = (struct stored_slabs){.folders = job->search,
                                          .pool = job->pool,
                                          .metric = (enum metric)job->material->metric,
                                          .cache_bytes = sections > 0 && sections < SECTIONS_BYTES ? (size_t)sections
                                                                                                   : SECTIONS_BYTES};
    making.options =
        (struct slices_options){.keep_distance = {mate || distances.keep[WHITE], mate || distances.keep[BLACK]},
                                .keep_resolved = writes(job) && !mate,
                                .last_attacker = distances.last_attacker,
                                .batch_bytes = job->batch_bytes,
                                .memory = making.memory.arrays,
                                .scratch = job->scratch,
                                .open = open_batch,
                                .progress = on_ply,
                                .metric = mate ? &mates_metric : NULL,
                                .context = &making,
                                .pool = job->pool,
                                .isa = job->options->isa,
                                .share = job->options->peers != NULL ? share : NULL,
                                .meet = job->options->peers != NULL ? meet : NULL};
    if (job->statistics != NULL) {
        longest_watch_open(&making.longest, longest_side(job->material, distances.last_attacker), on_longest, &making);
        making.options.guest = mate ? NULL : &making.longest.guest;
        making.options.apart = true;
        making.options.batch = on_batch;
    }
    int code = make(&making);
    stored_slabs_close(&making.stored);
    slice_store_close(making.store, code != 0);
    pawn_slices_close(making.slices);
    memory_pool_limit(threads_memory(job->pool), 0, NULL, NULL);
    return code;
}
