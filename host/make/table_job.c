// table_job.c - one table of a build: what is made, where, and what its makers have in common
#include "make/table_job.h"

#include "make/plan_material.h"
#include "make/statistics.h"
#include "solve/disk/streamed.h"
#include "solve/mates/mates.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what the solvers report ----

static struct peer_traffic traffic_of(const struct table_job *making)
{
    const struct peers *peers = making->job.options->peers;
    return peers != NULL && peers->traffic != NULL ? *peers->traffic : (struct peer_traffic){0};
}

void table_job_note_traffic(struct table_job *making)
{
    struct build_event *event = &making->job.event;
    if (making->streamed != NULL) {
        const struct scratch_traffic traffic = streamed_traffic(making->streamed);
        event->disk_read = traffic.read;
        event->disk_written = traffic.written;
        event->scratch_bytes = traffic.disk;
    }
    const struct peer_traffic traffic = traffic_of(making);
    event->sent = traffic.bytes - making->traffic.bytes;
    event->messages = traffic.messages - making->traffic.messages;
}

int table_job_ply(void *context, const struct solver_ply *ply)
{
    struct table_job *making = context;
    struct build_event *event = &making->job.event;
    event->attacker = ply->attacker;
    event->ply = ply->ply;
    event->won = ply->won;
    event->lost = ply->lost;
    // Slices differ in cost, but by how much is not known beforehand.
    event->share = event->slices_total > 0 ? (double)event->slices_done / (double)event->slices_total : ply->share;
    table_job_note_traffic(making);
    const int code = job_emit(&making->job, BUILD_PLY);
    // Processes that stream together stop together, between two passes.
    return making->streamed != NULL && making->job.options->peers != NULL ? 0 : code;
}

int table_job_solved(struct table_job *making)
{
    table_job_note_traffic(making);
    return job_solved(&making->job);
}

int table_job_done(struct table_job *making)
{
    struct build_event *event = &making->job.event;
    if (!table_job_writes(making))
        return 0;
    if (making->table->syzygy)
        event->file_bytes += making->syzygy.bytes;
    return job_done(&making->job);
}

// ---- statistics ----

// The side whose distances are kept in any case.
static int kept_side(const struct table_job *making)
{
    return plan_distances(&making->table->material, making->job.options, false).kept;
}

int table_job_longest_side(const struct table_job *making)
{
    return material_symmetric(&making->table->material) ? -1 : kept_side(making) ^ 1;
}

int table_job_open_statistics(struct table_job *making)
{
    const struct build_options *options = making->job.options;
    const struct material *material = &making->table->material;
    making->join_statistics = NULL; // that of the table before
    if (options->statistics == NULL || !making->table->write || options->temporary)
        return 0;
    return options->statistics->open(&making->statistics, material, kept_side(making), making->table->stream.layout,
                                     making->job.pool);
}

void table_job_close_statistics(struct table_job *making)
{
    if (making->statistics != NULL)
        making->job.options->statistics->close(making->statistics);
    making->statistics = NULL;
}

// Puts the statistics into the file, when all else is in it.
static int keep_statistics(void *context, struct container_writer *file)
{
    struct table_job *making = context;
    const struct build_options *options = making->job.options;
    bool whole = true;
    char *folders;
    if (making->join_statistics != NULL)
        TRY(making->join_statistics(making->join_context, &whole));
    const size_t size = strlen(options->dir) + strlen(job_search(options)) + 2;
    TRY(memory_new(&folders, size, 1, "names of folders"));
    snprintf(folders, size, "%s" OS_LIST "%s", options->dir, job_search(options));
    const int code = options->statistics->keep(making->statistics, whole, file, folders);
    free(folders);
    return code;
}

int table_job_longest(void *context, struct backend *backend, const struct solver_longest *longest)
{
    const struct table_job *making = context;
    return making->job.options->statistics->longest(making->statistics, backend, longest);
}

// ---- solving and writing ----

size_t table_job_kept(const struct table_job *making)
{
    enum { MOST = 512 << 20, MOST_MATES = 1024 << 20 };
    const size_t most = making->table->material.metric == METRIC_DTZ ? MOST : MOST_MATES;
    return making->kept < most ? making->kept : most;
}

bool table_job_writes(const struct table_job *making)
{
    return making->table->write || making->table->syzygy;
}

struct stored_tables table_job_futurebases(const struct table_job *making)
{
    const struct build_options *options = making->job.options;
    return (struct stored_tables){.folders = job_search(options), .pool = making->job.pool, .isa = options->isa};
}

struct solver_options table_job_solver_options(struct table_job *making)
{
    const struct material *material = &making->table->material;
    const struct plan_distances distances = plan_distances(material, making->job.options, making->table->syzygy);
    return (struct solver_options){.keep_distance = {distances.keep[WHITE], distances.keep[BLACK]},
                                   .last_attacker = distances.last_attacker,
                                   .keep_resolved = table_job_writes(making),
                                   .progress = table_job_ply,
                                   .metric = material->metric != METRIC_DTZ ? &mates_metric : NULL,
                                   .context = making};
}

struct write_options table_job_write_options(struct table_job *making, uint64_t memory)
{
    const struct build_options *options = making->job.options;
    return (struct write_options){.both_sides = options->both_sides || making->table->material.metric != METRIC_DTZ,
                                  .reduced = making->table->reduce,
                                  .outcomes = options->temporary,
                                  .best = options->best,
                                  .listed = options->listed,
                                  .progress = job_on_write,
                                  .context = &making->job,
                                  .memory = memory,
                                  .scratch = job_scratch(options)};
}

int table_job_write(struct table_job *making, struct content *content, struct write_options *options)
{
    const struct material *material = &making->table->material;
    if (making->table->syzygy)
        TRY(syzygy_write(content, &making->syzygy, making->job.pool));
    if (!making->table->write)
        return 0;
    const struct plan_distances distances = plan_distances(material, making->job.options, false);
    memcpy(content->kept, distances.keep, sizeof content->kept);
    if (material_has_pawns(material))
        TRY(device_open_coder(&options->coder, making->job.device.number));
    if (options->coder != NULL)
        options->coder->pool = making->job.pool;
    if (making->statistics != NULL) {
        options->complete = keep_statistics;
        options->complete_context = making;
    }
    const int code = write_content(content, making->job.path, making->job.pool, options, &making->job.event.file_bytes);
    if (options->coder != NULL)
        options->coder->ops->close(options->coder);
    return code;
}

// ---- the beginning ----

void table_job_begin(struct table_job *making, const struct plan_table *table)
{
    making->table = table;
    making->traffic = traffic_of(making);
    material_name(&table->material, making->name);
    job_begin(&making->job, making->name, table->entries, !table_job_writes(making));
    making->job.event.planned = table->seconds;
    making->job.event.planned_solve = table->solve_seconds;
    making->job.event.planned_before = making->planned_done;
    making->job.event.planned_total = making->planned;
}
