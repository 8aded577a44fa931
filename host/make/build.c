// build.c - making tables: carries out a plan
#include "make/build.h"

#include "futurebase/futurebases.h"
#include "make/device.h"
#include "make/folder.h"
#include "make/leftovers.h"
#include "make/pawn_table.h"
#include "make/plan.h"
#include "make/plan_material.h"
#include "make/streamed_table.h"
#include "solve/solver.h"
#include "table/path.h"
#include "table/table.h"
#include "table/write/write_table.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct build {
    const struct build_options *options;
    struct thread_pool *pool;
    struct device_choice device; // see find_device()
    bool device_known;
    struct folder *folder;                     // NULL: nothing is written, and the folder not locked
    const struct plan_table *table;            // the present one
    const struct pawn_table_job *job;          // of the present one, if it has pawns
    const struct streamed_table_job *streamed; // of the present one, if its planes are on disk
    struct build_event event;                  //
    char name[MATERIAL_NAME_MAX];
    double start;
    double cpu_start;
};

static const char *scratch_folder(const struct build_options *options)
{
    return options->scratch != NULL ? options->scratch : options->dir;
}

static const char *search_folders(const struct build *build)
{
    return build->options->search != NULL ? build->options->search : build->options->dir;
}

static int emit(struct build *build, enum build_event_kind kind)
{
    return build_emit(build->options, &build->event, kind, build->start, build->name);
}

// Of a table with pawns. Slices differ in cost, but by how much nobody knows beforehand.
static void note_slices(struct build *build)
{
    const struct pawn_table_job *job = build->job;
    if (job == NULL)
        return;
    build->event.backend = job->backend[0] != '\0' ? job->backend : NULL;
    build->event.slices_done = job->slices_done;
    build->event.slices_total = job->slices_total;
    build->event.slices_resumed = job->resumed;
    if (job->slices_total > 0)
        build->event.share = (double)job->slices_done / (double)job->slices_total;
}

static void note_disk(struct build *build)
{
    if (build->streamed == NULL)
        return;
    const struct scratch_traffic traffic = streamed_table_traffic(build->streamed);
    build->event.disk_read = traffic.read;
    build->event.disk_written = traffic.written;
    build->event.scratch_bytes = traffic.disk;
}

static int on_ply(void *context, const struct solver_ply *ply)
{
    struct build *build = context;
    build->event.attacker = ply->attacker;
    build->event.ply = ply->ply;
    build->event.won = ply->won;
    build->event.lost = ply->lost;
    build->event.share = ply->share;
    note_slices(build);
    note_disk(build);
    return emit(build, BUILD_PLY);
}

static int on_write(void *context, double share)
{
    struct build *build = context;
    build->event.share = share;
    return emit(build, BUILD_WRITE);
}

// ---- the device ----

// Found out once.
static int find_device(struct build *build)
{
    if (build->device_known)
        return 0;
    TRY(device_choose(&build->device, build->options->device));
    build->device_known = true;
    return 0;
}

// A device that cannot be had is noticed before anything is written.
static int check_device(struct build *build)
{
    TRY(find_device(build));
    return device_check(&build->device);
}

static int open_device(struct backend **backend, const struct layout *layout, int number)
{
#ifdef CLTB_HAVE_OPENCL
    return backend_opencl_open(backend, layout, number);
#else
    (void)layout;
    *backend = NULL;
    return device_without_opencl(number);
#endif
}

static int open_backend(struct build *build, const struct layout *layout, struct backend **backend)
{
    TRY(find_device(build));
    if (build->device.number >= 0) {
        int code = open_device(backend, layout, build->device.number);
        if (code == 0 || !build->device.automatic)
            return code;
    }
    return backend_cpu_open(backend, layout, build->pool, build->options->isa);
}

static int open_for_job(void *context, const struct layout *layout, struct backend **backend)
{
    return open_backend(context, layout, backend);
}

// ---- one table ----

static int write_solution(struct build *build, const struct solution *solution, const char *path)
{
    const struct write_options options = {.both_sides = build->options->both_sides,
                                          .best = build->options->best,
                                          .progress = on_write,
                                          .context = build,
                                          .memory = build->table->stream.write_memory,
                                          .scratch = scratch_folder(build->options)};
    const double start = wall_seconds();
    const double cpu_start = cpu_seconds();
    int code = write_table(solution, path, build->pool, &options, &build->event.file_bytes);
    build->event.write_seconds = wall_seconds() - start;
    build->event.write_cpu_seconds = cpu_seconds() - cpu_start;
    return code;
}

static void note_solved(struct build *build)
{
    build->event.solve_seconds = wall_seconds() - build->start;
    build->event.solve_cpu_seconds = cpu_seconds() - build->cpu_start;
}

static struct solver_options options_of_solver(struct build *build)
{
    const struct plan_distances distances = plan_distances(&build->table->material, build->options);
    return (struct solver_options){.keep_distance = {distances.keep[WHITE], distances.keep[BLACK]},
                                   .last_attacker = distances.last_attacker,
                                   .keep_resolved = build->table->write,
                                   .progress = on_ply,
                                   .context = build};
}

static int solve_and_write(struct build *build, struct backend *backend, const char *path)
{
    struct stored_tables tables = {search_folders(build), build->pool, build->options->isa};
    const struct futurebase_source source = stored_source(&tables);
    const struct solver_options options = options_of_solver(build);
    struct solution solution;
    int code = solver_solve(&solution, backend, &source, &options);
    if (code != 0)
        return error_prefix(code, "%s", build->name);
    note_solved(build);
    code = emit(build, BUILD_SOLVED);
    if (code == 0 && build->table->write)
        code = write_solution(build, &solution, path);
    solution_free(&solution);
    return code;
}

// ---- a table whose planes are on disk ----

static int open_windows(void *context, const struct layout *layout, uint64_t tiles, struct backend **inner)
{
    struct build *build = context;
    TRY(find_device(build));
#ifdef CLTB_HAVE_OPENCL
    if (build->device.number >= 0) {
        const int code = backend_opencl_open_windows(inner, layout, build->device.number, tiles);
        if (code == 0 || !build->device.automatic)
            return code;
    }
#else
    if (build->device.number >= 0)
        return device_without_opencl(build->device.number);
#endif
    return backend_cpu_open_windows(inner, layout, build->pool, build->options->isa, tiles);
}

static int on_begun(void *context, const char *backend, enum scratch_start start)
{
    struct build *build = context;
    build->event.backend = backend;
    build->event.streamed = true;
    build->event.goes_on = start == SCRATCH_RESUMED || start == SCRATCH_RESUMED_OLDER;
    build->event.begun_anew = start == SCRATCH_DAMAGED;
    build->event.goes_on_older = start == SCRATCH_RESUMED_OLDER;
    return emit(build, BUILD_START);
}

static int on_streamed_solved(void *context)
{
    struct build *build = context;
    note_solved(build);
    note_disk(build);
    return emit(build, BUILD_SOLVED);
}

// In the middle of a ply, which may take long.
static int on_window(void *context)
{
    return emit(context, BUILD_WINDOW);
}

static int make_streamed_table(struct build *build, const struct material *material, const char *path)
{
    struct stored_tables tables = {search_folders(build), build->pool, build->options->isa};
    const struct futurebase_source source = stored_source(&tables);
    struct streamed_table_job job = {.material = material,
                                     .plan = &build->table->stream,
                                     .scratch = scratch_folder(build->options),
                                     .path = path,
                                     .write = build->table->write,
                                     .interval = build->options->checkpoint,
                                     .solver = options_of_solver(build),
                                     .writer = {.both_sides = build->options->both_sides,
                                                .best = build->options->best,
                                                .progress = on_write,
                                                .context = build},
                                     .source = &source,
                                     .pool = build->pool,
                                     .open = open_windows,
                                     .stop = on_window,
                                     .begun = on_begun,
                                     .solved = on_streamed_solved,
                                     .context = build};
    build->streamed = &job;
    const int code = streamed_table_make(&job);
    note_disk(build);
    build->streamed = NULL;
    build->event.backend = NULL; // its own text
    if (code != 0)
        return error_prefix(code, "%s", build->name);
    build->event.file_bytes = job.file_bytes;
    build->event.write_seconds = wall_seconds() - build->start - build->event.solve_seconds;
    build->event.write_cpu_seconds = cpu_seconds() - build->cpu_start - build->event.solve_cpu_seconds;
    return job.write ? emit(build, BUILD_DONE) : 0;
}

// ---- a table in memory ----

static int make_pawnless_table(struct build *build, const struct material *material, const char *path)
{
    struct layout layout;
    struct backend *backend = NULL;
    TRY(layout_init(&layout, material, LAYOUT_PAIR));
    TRY(open_backend(build, &layout, &backend));
    build->event.backend = backend->ops->describe(backend);
    int code = emit(build, BUILD_START);
    if (code == 0)
        code = solve_and_write(build, backend, path);
    if (code == 0 && build->table->write)
        code = emit(build, BUILD_DONE);
    build->event.backend = NULL; // its own text
    backend->ops->close(backend);
    return code;
}

static int on_solved(void *context)
{
    struct build *build = context;
    note_slices(build);
    build->event.solve_seconds = build->job->solve_seconds;
    build->event.solve_cpu_seconds = build->job->solve_cpu_seconds;
    return emit(build, BUILD_SOLVED);
}

static int run_job(struct build *build, struct pawn_table_job *job)
{
    build->job = job;
    int code = emit(build, BUILD_START);
    if (code == 0)
        code = pawn_table_make(job);
    if (code == 0 && job->write) {
        build->event.file_bytes = job->file_bytes;
        build->event.write_seconds = wall_seconds() - build->start - job->solve_seconds;
        build->event.write_cpu_seconds = cpu_seconds() - build->cpu_start - job->solve_cpu_seconds;
        code = emit(build, BUILD_DONE);
    }
    build->job = NULL;
    return code;
}

static int make_pawn_table(struct build *build, const struct material *material, const char *path)
{
    char work[PATH_MAX];
    TRY(table_work_path(work, sizeof work, scratch_folder(build->options), material));
    // A device wants many work-items at a time, the processor planes that stay in its caches.
    enum { DEVICE_BATCH_BYTES = 64 << 20 };
    TRY(find_device(build));
    struct pawn_table_job job = {.material = material,
                                 .batch_bytes = build->device.number >= 0 ? DEVICE_BATCH_BYTES : 0,
                                 .path = path,
                                 .work = work,
                                 .scratch = scratch_folder(build->options),
                                 .search = search_folders(build),
                                 .options = build->options,
                                 .write = build->table->write,
                                 .pool = build->pool,
                                 .open = open_for_job,
                                 .ply = on_ply,
                                 .solved = on_solved,
                                 .written = on_write,
                                 .context = build};
    return run_job(build, &job);
}

// ---- the plan ----

static void begin(struct build *build, const struct plan_table *table)
{
    const size_t number = build->event.table;
    build->table = table;
    material_name(&table->material, build->name);
    build->event = (struct build_event){.name = build->name,
                                        .reason = table->reason,
                                        .table = number,
                                        .tables = build->event.tables,
                                        .solve_only = !table->write,
                                        .positions = table->entries};
    build->start = wall_seconds();
    build->cpu_start = cpu_seconds();
}

static int make_table(struct build *build, const struct plan_table *table)
{
    char path[PATH_MAX];
    build->event.table++;
    begin(build, table);
    TRY(table_path(path, sizeof path, build->options->dir, &table->material));
    if (table->state == PLAN_REPLACE)
        TRY(emit(build, BUILD_REPLACE));
    if (material_has_pawns(&table->material))
        return make_pawn_table(build, &table->material, path);
    if (table->stream.streamed)
        return make_streamed_table(build, &table->material, path);
    return make_pawnless_table(build, &table->material, path);
}

static int show_present(struct build *build, const struct plan_table *table)
{
    const struct build_event counts = build->event;
    begin(build, table);
    build->event.table = build->event.tables = 0;
    build->event.file_bytes = table->file_bytes;
    int code = emit(build, BUILD_PRESENT);
    build->event = counts;
    return code;
}

static bool same_folder(const char *a, const char *b)
{
    struct stat left;
    struct stat right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

static int tell_left(struct build *build, const struct plan_table *table, const char *dir, uint64_t bytes)
{
    const struct build_event counts = build->event;
    begin(build, table);
    build->event.left_dir = dir;
    build->event.left_bytes = bytes;
    const int code = emit(build, BUILD_LEFT);
    build->event = counts;
    return code;
}

// Of a table that is there. A scratch folder may be shared with another folder of tables, where this one is still in work.
static int clear_up(struct build *build, const struct plan_table *table)
{
    const char *dir = build->options->dir;
    const char *scratch = scratch_folder(build->options);
    if (build->folder != NULL)
        leftovers_drop(dir, &table->material);
    const uint64_t bytes = same_folder(dir, scratch) ? 0 : leftovers_bytes(scratch, &table->material);
    return bytes == 0 ? 0 : tell_left(build, table, scratch, bytes);
}

static int carry_out(struct build *build, const struct plan *plan)
{
    build->event.tables = plan->to_make;
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        if (table->state != PLAN_PRESENT)
            TRY(make_table(build, table));
        else if (table->named)
            TRY(show_present(build, table));
        if (table->state == PLAN_PRESENT || table->write)
            TRY(clear_up(build, table));
    }
    return 0;
}

static bool exists(const char *dir, const char *name, const char *end)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s%s", dir, name, end);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

// Is there anything to clear away beside tables that are there? A run that was killed in a table's last step leaves its
// work file, one that was to make it anew the half of a file, and either the lock file.
static bool has_leftovers(const struct plan *plan, const char *dir)
{
    if (exists(dir, ".cltb.lock", ""))
        return true;
    for (size_t i = 0; i < plan->count; i++) {
        char name[MATERIAL_NAME_MAX];
        const struct plan_table *table = &plan->table[i];
        material_name(&table->material, name);
        if (table->state == PLAN_PRESENT &&
            (exists(dir, name, ".cltb.part") || exists(dir, name, ".cltb.work") || exists(dir, name, ".cltb.planes")))
            return true;
    }
    return false;
}

static int make_scratch_folder(const char *folder)
{
    struct stat status;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return error_errno(CLTB_E_IO, errno, "cannot make the scratch folder %s", folder);
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
        return error_set(CLTB_E_IO, "the scratch folder %s is no folder", folder);
    if (access(folder, W_OK | X_OK) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot write to the scratch folder %s", folder);
    return 0;
}

// Is anything solved with files in the scratch folder, also if it is not written?
static bool uses_scratch(const struct plan *plan, const struct build_options *options)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        if (table->state != PLAN_PRESENT &&
            (table->stream.streamed || (material_has_pawns(&table->material) && options->memory > 0)))
            return true;
    }
    return false;
}

// Plans again once the folder is locked: another run may have made some of it in between.
static int plan_and_lock(struct build *build, struct plan **plan, const struct material *materials, size_t count)
{
    const struct build_options *options = build->options;
    TRY(plan_make(plan, materials, count, options));
    TRY(plan_check(*plan, options));
    if ((*plan)->to_write == 0) {
        if (has_leftovers(*plan, options->dir) && folder_open(&build->folder, options->dir) != 0)
            build->folder = NULL; // then they stay
        return uses_scratch(*plan, options) ? make_scratch_folder(scratch_folder(options)) : 0;
    }
    TRY(check_device(build));
    if (options->scratch != NULL)
        TRY(make_scratch_folder(options->scratch));
    TRY(folder_open(&build->folder, options->dir));
    struct plan *before = *plan;
    const int code = plan_make_again(plan, materials, count, options, before);
    plan_free(before);
    return code;
}

int build_tables(const struct material *materials, size_t count, const struct build_options *options)
{
    struct build build = {.options = options};
    struct plan *plan = NULL;
    int code = plan_and_lock(&build, &plan, materials, count);
    if (code == 0)
        code = threads_open(&build.pool, options->threads);
    if (code == 0)
        code = carry_out(&build, plan);
    threads_close(build.pool);
    folder_close(build.folder);
    plan_free(plan);
    return code;
}

int build_table(const struct material *material, const struct build_options *options)
{
    return build_tables(material, 1, options);
}
