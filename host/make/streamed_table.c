// streamed_table.c - builds a pawnless table whose planes do not fit in memory
#include "make/longest.h"
#include "make/statistics.h"
#include "make/table_job.h"
#include "solve/disk/streamed.h"
#include "util/error.h"

#include <stdio.h>

static int open_windows(void *context, const struct layout *layout, uint64_t tiles, struct backend **inner)
{
    return job_open_backend(context, layout, tiles, inner);
}

static int begin(struct table_job *making, enum scratch_start start)
{
    struct build_event *event = &making->job.event;
    event->backend = making->streamed->ops->describe(making->streamed);
    event->streamed = true;
    event->kept = making->table->stream.kept_memory > 0;
    event->goes_on = start == SCRATCH_RESUMED || start == SCRATCH_RESUMED_OLDER;
    event->restarted = start == SCRATCH_DAMAGED;
    event->goes_on_older = start == SCRATCH_RESUMED_OLDER;
    return job_emit(&making->job, BUILD_START);
}

// Prepares the solution to be written, and counts it.
static int settle_and_count(const struct table_job *making, const struct solution *solution, int other)
{
    struct thread_pool *pool = making->job.pool;
    const struct peers *peers = making->job.options->peers;
    const struct statistics_ops *counts = making->job.options->statistics;
    struct statistics *statistics = making->statistics;
    if (statistics == NULL)
        return streamed_settle(solution, pool, NULL, NULL);
    counts->begin(statistics, solution, peers_rank(peers) == 0);
    if (other >= 0)
        TRY(streamed_longest(solution, other, pool, counts->longest_tiles, statistics));
    TRY(streamed_settle(solution, pool, counts->pair, statistics));
    return peers == NULL ? 0 : counts->join(statistics, peers);
}

static int write_files(struct table_job *making, const struct solution *solution, int other)
{
    uint64_t memory;
    const struct tile_source source = streamed_tiles(solution, &memory);
    struct content content = tiles_content(&source);
    struct write_options writing = table_job_write_options(making, making->table->stream.write_memory);
    writing.peers = making->job.options->peers;
    TRY(settle_and_count(making, solution, other));
    return table_job_write(making, &content, &writing);
}

static int solve_and_write(struct table_job *making, const struct solver_options *solving, enum scratch_start start)
{
    const struct peers *peers = making->job.options->peers;
    struct stored_tables tables = table_job_futurebases(making);
    tables.peers = peers;
    const struct futurebase_source source = stored_source(&tables);
    struct solution solution;
    TRY(begin(making, start));
    TRY(solver_solve(&solution, making->streamed, &source, solving));
    int code = streamed_flush(making->streamed);
    if (code == 0 && peers != NULL && peers->drop != NULL) // futurebases
        code = peers->drop(peers->context);
    THEN(code, table_job_solved(making));
    if (code == 0 && table_job_writes(making))
        code = write_files(making, &solution, table_job_longest_side(making));
    solution_free(&solution);
    return code;
}

static int make(struct table_job *making)
{
    const struct build_job *job = &making->job;
    const struct material *material = &making->table->material;
    const struct plan_stream *plan = &making->table->stream;
    const struct peers *peers = job->options->peers;
    const char *scratch = job_scratch(job->options);
    const struct solver_options solving = table_job_solver_options(making);
    char identity[SCRATCH_IDENTITY_MAX];
    struct layout layout;
    enum scratch_start start;
    TRY(layout_init(&layout, material, plan->layout));
    TRY(plan_scratch_room(scratch, material, plan->scratch_bytes, peers));
    // What earlier work must have in common with this run. Memory may differ, and so may the device, unless processors
    // sort more identical pieces than devices do.
    snprintf(identity, sizeof identity, "%s dtz 2 distances %d%d last %d resolved %d%s%s", making->name,
             solving.keep_distance[WHITE], solving.keep_distance[BLACK], solving.last_attacker, solving.keep_resolved,
             layout.groups > 0 && !layout.pair ? " alike" : "", peers != NULL ? " together" : "");
    const struct streamed_options options = {.path = making->work,
                                             .folder = scratch,
                                             .identity = identity,
                                             .shape = plan->shape,
                                             .memory = plan->window_memory,
                                             .kept = plan->kept_memory,
                                             .beside = plan->base_memory,
                                             .block = plan->block_least,
                                             .interval = job->options->checkpoint,
                                             .peers = peers,
                                             .stop = job_window,
                                             .context = making,
                                             .open = open_windows};
    TRY(backend_streamed_open(&making->streamed, &layout, &options, &start));
    int code = solve_and_write(making, &solving, start);
    uint64_t nothing = 0;
    if (code == 0 && peers != NULL) // all processes keep their work until the table is in place
        code = peers->sum(peers->context, &nothing, 1);
    table_job_note_traffic(making);
    making->job.event.backend = NULL; // the text is the backend's own
    if (code == 0)
        streamed_finished(making->streamed);
    making->streamed->ops->close(making->streamed);
    making->streamed = NULL;
    if (code == 0) // and those left by an earlier job with more processes
        folder_drop_work(scratch, material);
    return code;
}

int streamed_table_make(struct table_job *making)
{
    const int code = make(making);
    return code != 0 ? error_prefix(code, "%s", making->name) : table_job_done(making);
}
