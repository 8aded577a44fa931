// build.c - makes the full tables of a plan, each in one of three ways
//
//     make_pawnless_table()   all planes in memory (or on the device): solver_solve(), write_content()
//     make_streamed_table()   planes on disk, for lack of memory: streamed_table_make()
//     make_pawn_table()       slice by slice, with a work file: pawn_table_make()
//
// In the end tables of distances to mate are reduced to those of one side.
#include "make/build.h"

#include "futurebase/futurebases.h"
#include "make/job.h"
#include "make/longest.h"
#include "make/pawn_table.h"
#include "make/plan.h"
#include "make/plan_material.h"
#include "make/share.h"
#include "make/start.h"
#include "make/statistics.h"
#include "make/streamed_table.h"
#include "solve/mates/mates.h"
#include "solve/solver.h"
#include "syzygy/write/write.h"
#include "table/container.h"
#include "table/path.h"
#include "table/table.h"
#include "table/write/write_table.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Arrays are kept for the next tables in this part of the memory for tables in work, but in no more than solving takes.
enum { KEPT_PART = 8, KEPT_MOST = 512 << 20, KEPT_MOST_MATES = 1024 << 20 };

struct build {
    struct build_job job;
    struct device_list devices;
    const struct plan_table *table;            // the one in work
    const struct pawn_table_job *pawns;        // if it has pawns
    const struct streamed_table_job *streamed; // if its planes are on disk
    struct syzygy_target syzygy;
    struct statistics *statistics;     // NULL: none are kept
    char uncounted[PATH_MAX];          // the file before it has them
    struct os_identity uncounted_file; // once it is complete
    char name[MATERIAL_NAME_MAX];
    struct peer_traffic traffic; // until work on the present table began
    size_t kept;                 // bytes of arrays that are kept from one table to the next if several are in work
    double planned;              // seconds of all tables
    double planned_done;         // of those that have been made; share.c counts them if several are in work
};

// ---- what the solvers report; their context is the build ----

static struct peer_traffic traffic_of(const struct build *build)
{
    const struct peers *peers = build->job.options->peers;
    return peers != NULL && peers->traffic != NULL ? *peers->traffic : (struct peer_traffic){0};
}

// How far the table in work has got. Slices differ in cost, but by how much is not known beforehand.
static void note_progress(struct build *build)
{
    const struct pawn_table_job *pawns = build->pawns;
    struct build_event *event = &build->job.event;
    if (pawns != NULL) {
        event->backend = pawns->backend[0] != '\0' ? pawns->backend : NULL;
        event->slices_done = pawns->slices_done;
        event->slices_total = pawns->slices_total;
        event->slices_resumed = pawns->resumed;
        if (pawns->slices_total > 0)
            event->share = (double)pawns->slices_done / (double)pawns->slices_total;
    }
    if (build->streamed != NULL) {
        const struct scratch_traffic traffic = streamed_table_traffic(build->streamed);
        event->disk_read = traffic.read;
        event->disk_written = traffic.written;
        event->scratch_bytes = traffic.disk;
    }
    const struct peer_traffic traffic = traffic_of(build);
    event->sent = traffic.bytes - build->traffic.bytes;
    event->messages = traffic.messages - build->traffic.messages;
}

static int on_ply(void *context, const struct solver_ply *ply)
{
    struct build *build = context;
    struct build_event *event = &build->job.event;
    event->attacker = ply->attacker;
    event->ply = ply->ply;
    event->won = ply->won;
    event->lost = ply->lost;
    event->share = ply->share;
    note_progress(build);
    const int code = job_emit(&build->job, BUILD_PLY);
    // Processes that stream together stop together, between two passes.
    return build->streamed != NULL && build->job.options->peers != NULL ? 0 : code;
}

// Called in the middle of a ply, because a ply may take long.
static int on_window(void *context)
{
    return job_emit(context, BUILD_WINDOW);
}

static int on_begun(void *context, const char *backend, enum scratch_start start)
{
    struct build *build = context;
    struct build_event *event = &build->job.event;
    event->backend = backend;
    event->streamed = true;
    event->kept = build->table->stream.kept_memory > 0;
    event->goes_on = start == SCRATCH_RESUMED || start == SCRATCH_RESUMED_OLDER;
    event->restarted = start == SCRATCH_DAMAGED;
    event->goes_on_older = start == SCRATCH_RESUMED_OLDER;
    return job_emit(&build->job, BUILD_START);
}

static int on_solved(void *context)
{
    struct build *build = context;
    note_progress(build);
    return job_solved(&build->job);
}

// ---- backends ----

// With `tiles` 0 they take whole planes.
static int open_windows(void *context, const struct layout *layout, uint64_t tiles, struct backend **backend)
{
    return job_open_backend(context, layout, tiles, backend);
}

static int open_backend(void *context, const struct layout *layout, struct backend **backend)
{
    return open_windows(context, layout, 0, backend);
}

// ---- statistics ----

static int open_statistics(struct build *build)
{
    const struct build_options *options = build->job.options;
    const struct material *material = &build->table->material;
    build->uncounted_file = (struct os_identity){0};
    if (options->statistics == NULL || !build->table->write || options->temporary)
        return 0;
    TRY(folder_path(build->uncounted, sizeof build->uncounted, options->dir, "%s.cltb.uncounted", build->name));
    return options->statistics->open(&build->statistics, material,
                                     plan_table_distances(material, options).last_attacker, build->job.pool);
}

static void close_statistics(struct build *build)
{
    if (build->statistics != NULL)
        build->job.options->statistics->close(build->statistics);
    build->statistics = NULL;
    // Another process on another machine may have written this file again.
    struct os_identity now;
    const struct os_identity *own = &build->uncounted_file;
    if (own->number != 0 && os_identify(build->uncounted, &now) == 0 && now.volume == own->volume &&
        now.number == own->number)
        unlink(build->uncounted);
}

// Where the table is written. Only with its statistics does it get its name.
static const char *written_path(const struct build *build)
{
    return build->statistics != NULL ? build->uncounted : build->job.path;
}

static int on_longest(void *context, struct backend *backend, const struct solver_longest *longest)
{
    const struct build *build = context;
    return build->job.options->statistics->longest(build->statistics, backend, longest);
}

// Puts the statistics into the file.
static int keep_statistics(void *context, bool whole)
{
    struct build *build = context;
    const struct build_options *options = build->job.options;
    if (build->statistics == NULL || peers_rank(options->peers) > 0)
        return 0;
    (void)os_identify(build->uncounted, &build->uncounted_file);
    const size_t size = strlen(options->dir) + strlen(job_search(options)) + 2;
    char *folders = malloc(size);
    if (folders == NULL)
        return error_memory(size, "names of folders");
    snprintf(folders, size, "%s" OS_LIST "%s", options->dir, job_search(options));
    const int code = options->statistics->keep(build->statistics, whole, build->uncounted, build->job.path, folders);
    free(folders);
    return code;
}

// ---- one table ----

static struct stored_tables futurebases_of(const struct build_job *job)
{
    return (struct stored_tables){.folders = job_search(job->options), .pool = job->pool, .isa = job->options->isa};
}

// Syzygy's files to write, or NULL.
static struct syzygy_target *syzygy_of(struct build *build)
{
    return build->table->syzygy ? &build->syzygy : NULL;
}

static bool writes(struct build *build)
{
    return build->table->write || syzygy_of(build) != NULL;
}

static struct solver_options solver_options_of(struct build *build)
{
    const struct build_options own = plan_own_options(build->job.options, build->table->syzygy);
    const struct plan_distances distances = plan_distances(&build->table->material, &own);
    return (struct solver_options){.keep_distance = {distances.keep[WHITE], distances.keep[BLACK]},
                                   .last_attacker = distances.last_attacker,
                                   .keep_resolved = writes(build),
                                   .progress = on_ply,
                                   .metric = build->table->material.metric != METRIC_DTZ ? &mates_metric : NULL,
                                   .context = build};
}

static struct write_options write_options_of(struct build *build)
{
    return (struct write_options){.both_sides =
                                      build->job.options->both_sides || build->table->material.metric != METRIC_DTZ,
                                  .reduced = build->table->reduce,
                                  .outcomes = build->job.options->temporary,
                                  .best = build->job.options->best,
                                  .progress = job_on_write,
                                  .context = &build->job,
                                  .memory = build->table->stream.write_memory,
                                  .scratch = job_scratch(build->job.options)};
}

// All files of a table are in place.
static int done(struct build *build)
{
    if (build->statistics != NULL && peers_rank(build->job.options->peers) == 0)
        TRY(container_size(build->job.path, &build->job.event.file_bytes));
    if (syzygy_of(build) != NULL)
        build->job.event.file_bytes += build->syzygy.bytes;
    return job_done(&build->job);
}

static int make_pawnless_table(struct build *build)
{
    struct build_job *job = &build->job;
    struct stored_tables tables = futurebases_of(job);
    const struct futurebase_source source = stored_source(&tables);
    struct solver_options solving = solver_options_of(build);
    const struct write_options writing = write_options_of(build);
    struct longest_watch longest;
    struct layout layout;
    struct backend *backend = NULL;
    struct solution solution;
    bool solved = false;
    longest_watch_open(&longest, longest_side(&build->table->material, solving.last_attacker), on_longest, build);
    if (build->statistics != NULL && solving.metric == NULL)
        solving.guest = &longest.guest;
    TRY(layout_init(&layout, &build->table->material, LAYOUT_PAIR));
    if (build->table->stream.packed) {
        TRY(backend_cpu_open_packed(&backend, &layout, job->pool, job->options->isa));
        memory_pool_limit(threads_memory(job->pool), build->table->stream.memory, NULL, NULL);
    } else {
        TRY(open_backend(job, &layout, &backend));
    }
    job->event.backend = backend->ops->describe(backend);
    int code = job_emit(job, BUILD_START);
    if (code != 0)
        goto cleanup;
    code = solver_solve(&solution, backend, &source, &solving);
    solved = code == 0;
    if (!solved) {
        error_prefix(code, "%s", build->name);
        goto cleanup;
    }
    code = job_solved(job);
    if (code != 0 || !writes(build))
        goto cleanup;
    const struct tile_source tiles = solution_tiles(&solution);
    struct content content = tiles_content(&tiles);
    // The writer does not use the planes that the solver has returned to the pool.
    memory_pool_limit(threads_memory(job->pool), 0, NULL, NULL);
    memory_pool_shrink(threads_memory(job->pool), 0);
    if (syzygy_of(build) != NULL)
        code = syzygy_write(&content, syzygy_of(build), job->pool);
    if (code == 0 && build->statistics != NULL)
        code = job->options->statistics->tiles(build->statistics, &solution);
    const struct plan_distances distances = plan_table_distances(&build->table->material, job->options);
    memcpy(content.kept, distances.keep, sizeof content.kept);
    if (code == 0 && build->table->write)
        code = write_content(&content, written_path(build), job->pool, &writing, &job->event.file_bytes);
    if (code == 0)
        code = keep_statistics(build, true);
    if (code == 0)
        code = done(build);
cleanup:
    if (solved)
        solution_free(&solution);
    job->event.backend = NULL; // the text is the backend's own
    backend->ops->close(backend);
    memory_pool_limit(threads_memory(job->pool), 0, NULL, NULL);
    return code;
}

static int make_streamed_table(struct build *build)
{
    struct build_job *job = &build->job;
    struct stored_tables tables = futurebases_of(job);
    tables.peers = job->options->peers;
    const struct futurebase_source source = stored_source(&tables);
    const struct plan_distances distances = plan_table_distances(&build->table->material, job->options);
    struct streamed_table_job streamed = {.material = &build->table->material,
                                          .plan = &build->table->stream,
                                          .scratch = job_scratch(job->options),
                                          .path = written_path(build),
                                          .write = build->table->write,
                                          .statistics = build->statistics,
                                          .counts = job->options->statistics,
                                          .kept = {distances.keep[WHITE], distances.keep[BLACK]},
                                          .syzygy = syzygy_of(build),
                                          .peers = job->options->peers,
                                          .interval = job->options->checkpoint,
                                          .solver = solver_options_of(build),
                                          .writer = write_options_of(build),
                                          .source = &source,
                                          .pool = job->pool,
                                          .open = open_windows,
                                          .stop = on_window,
                                          .begun = on_begun,
                                          .solved = on_solved,
                                          .counted = keep_statistics,
                                          .context = build};
    build->streamed = &streamed;
    int code = streamed_table_make(&streamed);
    note_progress(build);
    build->streamed = NULL;
    job->event.backend = NULL; // the text is the backend's own
    if (code != 0)
        return error_prefix(code, "%s", build->name);
    job->event.file_bytes = streamed.file_bytes;
    return writes(build) ? done(build) : 0;
}

static int open_coder(void *context, struct backend **backend)
{
    const struct build *build = context;
    TRY(device_open_coder(backend, build->job.device.number));
    if (*backend != NULL)
        (*backend)->pool = build->job.pool;
    return 0;
}

static size_t kept_bytes(const struct build *build)
{
    const size_t most = build->table->material.metric == METRIC_DTZ ? KEPT_MOST : KEPT_MOST_MATES;
    return build->kept < most ? build->kept : most;
}

static int make_pawn_table(struct build *build)
{
    // A device wants many work-items at a time, the processor planes that stay in its caches.
    enum { DEVICE_BATCH_BYTES = 64 << 20 };
    struct build_job *job = &build->job;
    char work[PATH_MAX];
    TRY(table_rank_work_path(work, sizeof work, job_scratch(job->options), &build->table->material,
                             peers_rank(job->options->peers)));
    struct pawn_table_job pawns = {.material = &build->table->material,
                                   .batch_bytes = job->device.number >= 0 ? DEVICE_BATCH_BYTES : 0,
                                   .kept = kept_bytes(build),
                                   .path = written_path(build),
                                   .work = work,
                                   .scratch = job_scratch(job->options),
                                   .search = job_search(job->options),
                                   .options = job->options,
                                   .write = build->table->write,
                                   .reduced = build->table->reduce,
                                   .syzygy = syzygy_of(build),
                                   .statistics = build->statistics,
                                   .pool = job->pool,
                                   .open = open_backend,
                                   .open_coder = open_coder,
                                   .ply = on_ply,
                                   .solved = on_solved,
                                   .written = job_on_write,
                                   .counted = keep_statistics,
                                   .context = build};
    build->pawns = &pawns;
    int code = job_emit(job, BUILD_START);
    if (code == 0)
        code = pawn_table_make(&pawns);
    job->event.file_bytes = pawns.file_bytes;
    if (code == 0 && writes(build))
        code = done(build);
    build->pawns = NULL;
    return code;
}

// ---- the plan ----

static void begin(struct build *build, const struct plan_table *table)
{
    build->table = table;
    build->traffic = traffic_of(build);
    material_name(&table->material, build->name);
    job_begin(&build->job, build->name, table->entries, !writes(build));
    build->job.event.planned = table->seconds;
    build->job.event.planned_solve = table->solve_seconds;
    build->job.event.planned_before = build->planned_done;
    build->job.event.planned_total = build->planned;
}

// Removes the work files of a table that is present. A scratch folder may be shared with another folder of tables,
// where this one is still in work: there they are only reported.
static int clear_up(struct build *build, const struct plan_table *table)
{
    struct build_job *job = &build->job;
    const char *scratch = job_scratch(job->options);
    if (job->folder != NULL)
        folder_drop_work(job->options->dir, &table->material);
    struct os_identity left;
    struct os_identity right;
    const bool same = os_identify(job->options->dir, &left) == 0 && os_identify(scratch, &right) == 0 &&
                      left.volume == right.volume && left.number == right.number;
    const uint64_t bytes = same ? 0 : folder_work_bytes(scratch, &table->material);
    if (bytes == 0)
        return 0;
    const struct build_event counts = job->event;
    begin(build, table);
    job->event.left_dir = scratch;
    job->event.left_bytes = bytes;
    const int code = job_emit(job, BUILD_LEFT);
    job->event = counts;
    return code;
}

static int set_syzygy(struct build *build)
{
    const struct build_options *options = build->job.options;
    struct syzygy_target *target = &build->syzygy;
    *target = (struct syzygy_target){.exact = options->exact,
                                     .memory = options->memory > 0 ? build->table->stream.write_memory : 0,
                                     .progress = job_on_write,
                                     .context = &build->job};
    if (options->syzygy == NULL)
        return 0;
    TRY(folder_make_path(options->syzygy));
    TRY(folder_path(target->wdl, sizeof target->wdl, options->syzygy, "%s.rtbw", build->name));
    return options->wdl ? 0 : folder_path(target->dtz, sizeof target->dtz, options->syzygy, "%s.rtbz", build->name);
}

// Waits for all processes.
static int meet(const struct build_options *options)
{
    uint64_t nothing = 0;
    return options->peers == NULL ? 0 : options->peers->sum(options->peers->context, &nothing, 1);
}

static int make_table(struct build *build, const struct plan_table *table)
{
    struct build_job *job = &build->job;
    job->event.table++;
    begin(build, table);
    build->planned_done += table->seconds; // for the events of the next tables
    TRY(table_path(job->path, sizeof job->path, job->options->dir, &table->material));
    TRY(set_syzygy(build));
    if (table->state == PLAN_REPLACE) {
        job->event.reason = table->reason;
        TRY(job_emit(job, BUILD_REPLACE));
    }
    int code = open_statistics(build);
    if (code == 0 && table->stream.streamed)
        code = make_streamed_table(build);
    else if (code == 0 && material_has_pawns(&table->material))
        code = make_pawn_table(build);
    else if (code == 0 && peers_rank(job->options->peers) == 0) // this process writes the files for all
        code = make_pawnless_table(build);
    close_statistics(build);
    TRY(code);
    TRY(meet(job->options)); // the next table may need this one
    return peers_rank(job->options->peers) == 0 && table->write ? clear_up(build, table) : 0;
}

static int pass_over(struct build *build, const struct plan_table *table)
{
    struct build_job *job = &build->job;
    if (table->named) {
        const struct build_event counts = job->event;
        job->event.table = job->event.tables = 0;
        begin(build, table);
        job->event.file_bytes = table->file_bytes;
        TRY(job_emit(job, BUILD_PRESENT));
        job->event = counts;
    }
    return peers_rank(job->options->peers) == 0 ? clear_up(build, table) : 0;
}

static int make_turn(void *worker, const struct share_turn *turn)
{
    struct build *build = worker;
    build->job.event.table = turn->number - 1;
    const int code = make_table(build, turn->table);
    // What the pool keeps is not counted for any table.
    if (build->kept > 0)
        memory_pool_shrink(threads_memory(build->job.pool), kept_bytes(build));
    return code;
}

// Several workers make one table each at a time: on the devices of the list if there are several, otherwise on the
// processor.
static int share_out(const struct build *build, const struct plan *plan)
{
    const struct build_options *given = build->job.options;
    const int count = plan->at_once;
    struct build_options options = *given;
    struct processors processors = {given->threads > 0 ? given->threads : os_processors()};
    struct build *worker;
    void *workers[DEVICES_MAX];
    struct share *share;
    TRY(share_open(&share, plan, plan->at_once_memory, &processors, given->event, given->context));
    options.event = share_event;
    options.context = share;
    int code = memory_new(&worker, (size_t)count, sizeof *worker, "tables made at the same time");
    for (int i = 0; code == 0 && i < count; i++) {
        workers[i] = &worker[i];
        worker[i] = *build;
        worker[i].job.options = &options;
        worker[i].job.device = build->devices.device[build->devices.count > 1 ? i : 0];
        worker[i].kept = given->memory > 0 ? 1 : (size_t)(plan->at_once_memory / KEPT_PART) / (size_t)count;
        code = threads_open(&worker[i].job.pool, options.threads);
        if (code == 0)
            threads_share_processors(worker[i].job.pool, &processors);
    }
    if (code == 0)
        code = share_run(share, count, workers, make_turn);
    for (int i = 0; worker != NULL && i < count; i++)
        threads_close(worker[i].job.pool);
    free(worker);
    share_close(share);
    return code;
}

static int carry_out(struct build *build, const struct plan *plan)
{
    const bool alone = plan->at_once == 1;
    build->job.event.tables = plan->to_make;
    build->planned = plan->seconds;
    if (alone)
        TRY(threads_open(&build->job.pool, build->job.options->threads));
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        if (table->state == PLAN_PRESENT)
            TRY(pass_over(build, table));
        else if (alone)
            TRY(make_table(build, table));
    }
    return alone ? 0 : share_out(build, plan);
}

// Tables of distances to mate are made with those of both sides to move, because others are made from them, and one
// side's could be found only by making the table again. In the end each keeps the side that takes fewer bytes.
static int reduce_tables(struct build *build, const struct plan *plan)
{
    struct build_job *job = &build->job;
    size_t made = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        const bool present = table->state == PLAN_PRESENT;
        uint64_t before;
        made += !present;
        if (!table->reduce)
            continue;
        begin(build, table);
        job->event.table = present ? 0 : made;
        job->event.tables = present ? 0 : plan->to_make;
        TRY(table_path(job->path, sizeof job->path, job->options->dir, &table->material));
        TRY(container_size(job->path, &before));
        TRY(table_keep_one_side(job->path, &table->material, &job->event.file_bytes));
        job->event.saved_bytes = before - job->event.file_bytes;
        TRY(job_emit(job, BUILD_REDUCED));
    }
    return 0;
}

int build_tables(const struct material *materials, size_t count, const struct build_options *options)
{
    struct build build = {.job = {.options = options}};
    struct plan *plan = NULL;
    int code = start_build(&build.job, &build.devices, &plan, materials, count);
    if (code == 0)
        code = meet(options);
    if (code == 0)
        code = carry_out(&build, plan);
    if (code == 0)
        code = reduce_tables(&build, plan);
    if (code != 0 && job_check_lease(&build.job) != 0) // then the lost lease is the error to report
        code = CLTB_E_IO;
    threads_close(build.job.pool);
    lease_drop(build.job.lease);
    if (options->temporary && code == 0)
        folder_empty(build.job.folder, options->dir);
    folder_close(build.job.folder);
    if (options->temporary)
        (void)rmdir(options->dir); // unless there is work to resume from
    plan_free(plan);
    return code;
}

int build_table(const struct material *material, const struct build_options *options)
{
    return build_tables(material, 1, options);
}
