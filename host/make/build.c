// build.c - makes the full tables of a plan
//
// In the end tables of distances to mate are reduced to those of one side.
#include "make/build.h"

#include "make/room.h"
#include "make/share.h"
#include "make/start.h"
#include "make/table_job.h"
#include "table/container.h"
#include "table/path.h"
#include "table/table.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/peers.h"

#include <stdlib.h>

// Arrays are kept for the next tables in this part of the memory for tables in work.
enum { KEPT_PART = 8 };

// Removes the work files of a table that is present. A scratch folder may be shared with another folder of tables,
// where this one is still in work: there they are only reported.
static int clear_up(struct table_job *making, const struct plan_table *table)
{
    struct build_job *job = &making->job;
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
    table_job_begin(making, table);
    job->event.left_dir = scratch;
    job->event.left_bytes = bytes;
    const int code = job_emit(job, BUILD_LEFT);
    job->event = counts;
    return code;
}

static int set_syzygy(struct table_job *making)
{
    const struct build_options *options = making->job.options;
    struct syzygy_target *target = &making->syzygy;
    *target = (struct syzygy_target){.exact = options->exact,
                                     .memory = options->memory > 0 ? making->table->stream.write_memory : 0,
                                     .progress = job_on_write,
                                     .context = &making->job};
    if (options->syzygy == NULL)
        return 0;
    TRY(folder_make_path(options->syzygy));
    TRY(folder_path(target->wdl, sizeof target->wdl, options->syzygy, "%s.rtbw", making->name));
    return options->wdl ? 0 : folder_path(target->dtz, sizeof target->dtz, options->syzygy, "%s.rtbz", making->name);
}

// Waits for all processes.
static int meet(const struct build_options *options)
{
    uint64_t nothing = 0;
    return options->peers == NULL ? 0 : options->peers->sum(options->peers->context, &nothing, 1);
}

static int make_table(struct table_job *making, const struct plan_table *table)
{
    struct build_job *job = &making->job;
    const bool first = peers_rank(job->options->peers) == 0; // this process writes the files for all
    job->event.table++;
    table_job_begin(making, table);
    making->planned_done += table->seconds; // for the events of the next tables
    TRY(table_path(job->path, sizeof job->path, job->options->dir, &table->material));
    TRY(table_rank_work_path(making->work, sizeof making->work, job_scratch(job->options), &table->material,
                             peers_rank(job->options->peers)));
    TRY(set_syzygy(making));
    if (table->state == PLAN_REPLACE) {
        job->event.reason = table->reason;
        TRY(job_emit(job, BUILD_REPLACE));
    }
    int code = table_job_open_statistics(making);
    if (code == 0 && table->stream.streamed)
        code = streamed_table_make(making);
    else if (code == 0 && material_has_pawns(&table->material))
        code = pawn_table_make(making);
    else if (code == 0 && first)
        code = memory_table_make(making);
    table_job_close_statistics(making);
    TRY(code);
    TRY(meet(job->options)); // the next table may need this one
    return first && table->write ? clear_up(making, table) : 0;
}

static int pass_over(struct table_job *making, const struct plan_table *table)
{
    struct build_job *job = &making->job;
    if (table->named) {
        const struct build_event counts = job->event;
        job->event.table = job->event.tables = 0;
        table_job_begin(making, table);
        job->event.file_bytes = table->file_bytes;
        job->event.gone = table->gone;
        job->event.reason = table->gone ? ledger_name(job->options) : NULL;
        TRY(job_emit(job, BUILD_PRESENT));
        job->event = counts;
    }
    return peers_rank(job->options->peers) == 0 && !table->gone ? clear_up(making, table) : 0;
}

static int make_turn(void *worker, const struct share_turn *turn)
{
    struct table_job *making = worker;
    struct room *room = making->room;
    making->job.event.table = turn->number - 1;
    if (room != NULL && room_stands(room, turn->table))
        return 0;
    int code = room != NULL ? room_begin(room, turn->table, &making->job) : 0;
    THEN(code, make_table(making, turn->table));
    if (room != NULL)
        code = room_made(room, turn->table, &making->job, code);
    // What the pool keeps is not counted for any table.
    if (making->kept > 0)
        memory_pool_shrink(threads_memory(making->job.pool), table_job_kept(making));
    return code;
}

// Several workers make one table each at a time: on the devices of the list if there are several, otherwise on the
// processor.
static int share_out(const struct table_job *making, const struct plan *plan, const struct device_list *devices)
{
    const struct build_options *given = making->job.options;
    const int count = plan->at_once;
    struct build_options options = *given;
    struct processors processors = {given->threads > 0 ? given->threads : os_processors()};
    struct table_job *worker;
    void *workers[DEVICES_MAX];
    struct share *share;
    TRY(share_open(&share, plan, plan->at_once_memory, &processors, given->event, given->context));
    if (making->room != NULL)
        share_in_order(share, room_for, making->room);
    options.event = share_event;
    options.context = share;
    int code = memory_new(&worker, (size_t)count, sizeof *worker, "tables made at the same time");
    for (int i = 0; code == 0 && i < count; i++) {
        workers[i] = &worker[i];
        worker[i] = *making;
        worker[i].job.options = &options;
        worker[i].job.device = devices->device[devices->count > 1 ? i : 0];
        worker[i].kept = count == 1          ? 0
                         : given->memory > 0 ? 1
                                             : (size_t)(plan->at_once_memory / KEPT_PART) / (size_t)count;
        code = threads_open(&worker[i].job.pool, options.threads);
        if (code == 0)
            threads_share_processors(worker[i].job.pool, &processors);
    }
    THEN(code, share_run(share, count, workers, make_turn));
    for (int i = 0; worker != NULL && i < count; i++)
        threads_close(worker[i].job.pool);
    free(worker);
    share_close(share);
    return code;
}

static int carry_out(struct table_job *making, const struct plan *plan, const struct device_list *devices)
{
    const bool alone = plan->at_once == 1 && making->room == NULL;
    const bool first = making->planned <= 0; // and not the plan after another one
    making->job.event.tables = plan->to_make;
    making->planned = plan->seconds;
    if (alone)
        TRY(threads_open(&making->job.pool, making->job.options->threads));
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        if (table->state == PLAN_PRESENT && first)
            TRY(pass_over(making, table));
        else if (table->state != PLAN_PRESENT && alone)
            TRY(make_table(making, table));
    }
    return alone ? 0 : share_out(making, plan, devices);
}

// Tables of distances to mate are made with those of both sides to move, because others are made from them, and one
// side's could be found only by making the table again. In the end each keeps the side that takes fewer bytes.
static int reduce_tables(struct table_job *making, const struct plan *plan)
{
    struct build_job *job = &making->job;
    size_t made = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        const bool present = table->state == PLAN_PRESENT;
        uint64_t before;
        made += !present;
        if (!table->reduce)
            continue;
        table_job_begin(making, table);
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

// With a limit of disk, and tables that are larger than forecast, a new plan knows their sizes.
static int make_within(struct table_job *making, struct plan **plan, const struct device_list *devices,
                       const struct material *materials, size_t count)
{
    for (bool alone = false;; alone = true) {
        int code = room_open(&making->room, *plan, &making->job, alone);
        making->planned_done = 0;
        making->job.event.table = 0;
        THEN(code, carry_out(making, *plan, devices));
        THEN(code, room_end(making->room, &making->job));
        const bool again = code != 0 && making->room != NULL && room_was_short(making->room);
        room_close(making->room);
        making->room = NULL;
        if (!again)
            return code;
        struct plan *before = *plan;
        code = plan_make(plan, materials, count, making->job.options, before);
        plan_free(before);
        TRY(code);
        TRY(plan_check(*plan, making->job.options));
    }
}

int build_tables(const struct material *materials, size_t count, const struct build_options *options)
{
    struct table_job making = {.job = {.options = options}};
    struct build_job *job = &making.job;
    struct device_list devices = {.count = 0};
    struct plan *plan = NULL;
    int code = start_build(job, &devices, &plan, materials, count);
    THEN(code, meet(options));
    THEN(code, options->disk > 0 ? make_within(&making, &plan, &devices, materials, count)
                                 : carry_out(&making, plan, &devices));
    THEN(code, reduce_tables(&making, plan));
    if (code != 0 && job_check_lease(job) != 0) // then the lost lease is the error to report
        code = CLTB_E_IO;
    threads_close(job->pool);
    lease_drop(job->lease);
    if (options->temporary && code == 0)
        folder_empty(job->folder, options->dir);
    folder_close(job->folder);
    if (options->temporary)
        (void)rmdir(options->dir); // unless there is work to resume from
    plan_free(plan);
    return code;
}

int build_table(const struct material *material, const struct build_options *options)
{
    return build_tables(material, 1, options);
}
