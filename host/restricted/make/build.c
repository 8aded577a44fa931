// build.c - builds the table of a restricted endgame
//
// 1. In each slice the external moves are evaluated position by position. It is an error if nothing covers one of
//    them (external.h).
// 2. Slices are solved, the most advanced pawns first (solve.h), and written.
// 3. The rules that decide no move are looked for.
#include "restricted/make/build.h"

#include "disk/journal.h"
#include "make/job.h"
#include "restricted/make/solve.h"
#include "restricted/table.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/threads.h"
#include "util/units.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct build {
    struct build_job job;
    const struct spec *spec;
    struct restricted_index index;
    struct restricted_bases *bases;
    struct frame frame;
    struct externals externals;
    struct restricted_options options;
    struct restricted_solver *solver;
    struct restricted_work *work;
    struct restricted_writer *writer;
    char work_path[PATH_MAX];
    struct restricted_idle idle; // known when all is solved
    char name[SPEC_NAME_MAX];
    char backend[256];
};

static int on_stop(void *context)
{
    return job_emit(&((struct build *)context)->job, BUILD_PLY);
}

static int on_found(void *context, uint32_t slice, uint32_t part)
{
    const struct build *build = context;
    return build->work == NULL ? 0 : restricted_work_put_moves(build->work, slice, part);
}

// ---- slices ----

static int on_ply(void *context, const struct solver_ply *ply)
{
    struct build *build = context;
    struct build_event *event = &build->job.event;
    if (ply->ply > event->ply)
        event->ply = ply->ply;
    return job_emit(&build->job, BUILD_PLY);
}

static int on_slice(void *context, uint32_t slice, uint16_t *const value[COLOURS])
{
    struct build *build = context;
    struct build_event *event = &build->job.event;
    struct restricted_blocks blocks;
    if (build->writer != NULL && value == NULL) {
        TRY(restricted_work_section(build->work, slice, &blocks));
        TRY(restricted_writer_put(build->writer, &blocks));
        event->slices_resumed++;
    } else if (build->writer != NULL) {
        TRY(restricted_writer_pack(build->writer, slice, value, build->job.pool, &blocks));
        TRY(restricted_writer_put(build->writer, &blocks));
        TRY(restricted_work_put_section(build->work, &blocks));
    }
    event->slices_done++;
    event->share = (double)event->slices_done / (double)event->slices_total;
    return job_emit(&build->job, BUILD_PLY);
}

static int solve_slices(struct build *build)
{
    const struct restricted_index *index = &build->index;
    for (uint32_t i = build->work != NULL ? restricted_work_done(build->work) : 0; i < index->slices; i++)
        TRY(externals_look(&build->externals, i, false));
    for (uint32_t i = 0, count = 0; i < index->slices; i += count)
        TRY(restricted_solver_run(build->solver, i, &count));
    build->idle.futurebases = build->bases->idle;
    return externals_idle_rules(&build->externals, &build->idle.rules);
}

static int open_backend(void *context, const struct layout *layout, struct backend **backend)
{
    struct build *build = context;
    return job_open_backend(&build->job, layout, 0, backend);
}

// Opens a backend for one slice to learn its name.
static int describe_backend(struct build *build)
{
    uint8_t codes[1][FIXED_MAX];
    struct layout layout;
    struct backend *backend;
    for (int i = 0; i < build->frame.shape.fixed; i++)
        codes[0][i] = (uint8_t)i;
    TRY(layout_init_slices(&layout, &build->frame.shape, 1, (const uint8_t(*)[FIXED_MAX])codes));
    TRY(open_backend(build, &layout, &backend));
    snprintf(build->backend, sizeof build->backend, "%s", backend->ops->describe(backend));
    backend->ops->close(backend);
    return 0;
}

// ---- all of it ----

// The least bytes for an entry: the values of both sides to move.
enum { ENTRY_BYTES = 2 * sizeof(uint16_t) };

static int open_index(struct build *build)
{
    const struct build_options *options = build->job.options;
    struct build_event *event = &build->job.event;
    const uint64_t limit = options->memory > 0 ? options->memory : os_memory();
    const int code = restricted_index_open(&build->index, build->spec, UINT32_MAX, limit / ENTRY_BYTES);
    if (code == CLTB_E_MEMORY)
        return error_append(code, ": %s of memory are allowed", unit_bytes(limit).text);
    TRY(code);
    TRY(frame_open(&build->frame, &build->index));
    event->slices_total = build->index.slices;
    event->positions = 2 * event->slices_total * build->index.slice_entries;
    return 0;
}

// Opens the futurebases and works out the memory needed.
static int open_moves(struct build *build, uint64_t *needed)
{
    const struct build_options *options = build->job.options;
    const uint64_t limit = options->memory > 0 ? options->memory : os_memory();
    TRY(restricted_bases_open(&build->bases, build->spec, job_search(options), true));
    build->externals = (struct externals){.index = &build->index,
                                          .bases = build->bases,
                                          .pool = build->job.pool,
                                          .stop = on_stop,
                                          .found = on_found,
                                          .context = build};
    TRY(externals_open(&build->externals));
    *needed = restricted_solver_memory(&build->frame) + externals_entries(&build->externals) * sizeof(uint16_t);
    return *needed <= limit ? 0
                            : error_set(CLTB_E_MEMORY, "%s takes %s of memory, and %s are allowed", build->name,
                                        unit_bytes(*needed).text, unit_bytes(limit).text);
}

static void close_all(struct build_job *job)
{
    struct build *build = (struct build *)job;
    restricted_writer_abandon(build->writer);
    restricted_solver_close(build->solver);
    restricted_work_close(build->work);
    externals_close(&build->externals);
    frame_close(&build->frame);
    restricted_bases_close(build->bases);
    restricted_index_close(&build->index);
}

static int solve(struct build_job *job)
{
    struct build *build = (struct build *)job;
    uint64_t needed;
    TRY(open_index(build));
    TRY(open_moves(build, &needed));
    build->options = (struct restricted_options){.folders = job_search(job->options),
                                                 .pool = job->pool,
                                                 .isa = job->options->isa,
                                                 .open = open_backend,
                                                 .progress = on_ply,
                                                 .context = build,
                                                 .put = on_slice};
    TRY(describe_backend(build));
    job->event.backend = build->backend;
    TRY(job_emit(job, BUILD_START));
    if (!job->options->solve_only) { // before the work, so that a folder that cannot be written to is noticed at once
        TRY(restricted_writer_open(&build->writer, job->path, &build->index));
        if (job->options->scratch != NULL)
            TRY(folder_make_scratch(job->options->scratch));
        TRY(restricted_work_open(&build->work, build->work_path, &build->externals,
                                 restricted_solver_batch(&build->frame)));
    }
    TRY(restricted_solver_open(&build->solver, &build->frame, &build->externals, build->work, &build->options));
    return solve_slices(build);
}

static int write_file(struct build_job *job)
{
    struct build *build = (struct build *)job;
    struct restricted_writer *writer = build->writer;
    build->writer = NULL;
    return restricted_writer_finish(writer);
}

// Is there an intact table of exactly this spec?
static int look(struct build_job *job)
{
    struct restricted_table *table;
    char ours[SPEC_TEXT_MAX];
    char theirs[SPEC_TEXT_MAX];
    TRY(restricted_table_open(&table, job->path, 1 << 20));
    spec_write(((struct build *)job)->spec, ours, sizeof ours);
    spec_write(&table->index.spec, theirs, sizeof theirs);
    job->event.file_bytes = table->info.file_bytes;
    const int code = strcmp(ours, theirs) == 0
                         ? value_file_check(&table->file, job->pool)
                         : error_set(CLTB_E_FOREIGN,
                                     "%s is the table of another restricted endgame; give another --output", job->path);
    restricted_table_close(table);
    return code;
}

static int find_path(char path[PATH_MAX], const struct spec *spec, const struct build_options *options,
                     const char *output)
{
    char name[SPEC_NAME_MAX];
    char file[SPEC_NAME_MAX + 8];
    if (output == NULL && spec->output[0] != '\0')
        output = spec->output;
    if (output == NULL) {
        size_t length = 0;
        spec_name(spec, name);
        for (const char *c = name; *c != '\0'; c++) {
            if (*c != ' ')
                file[length++] = *c;
        }
        memcpy(file + length, ".cltb", 6);
        if (length + strlen(".cltb.part") > NAME_MAX)
            return error_set(CLTB_E_USAGE,
                             "the name of the table would be too long for a file: give it one by --output");
        output = file;
    }
    const char *slash = strrchr(output, '/');
    const int length =
        snprintf(path, PATH_MAX, "%s%s%s", slash != NULL ? "" : options->dir, slash != NULL ? "" : "/", output);
    if (length < 0 || length >= PATH_MAX)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", output);
    // Full tables are found by their names: another kind of table must not have such a name.
    struct material material;
    if (options->solve_only || !material_of_file(&material, path, ".cltb"))
        return 0;
    return error_set(CLTB_E_USAGE,
                     "%s is the name of a full table; for the full table: cltb build %s; for a restricted one give "
                     "another --output",
                     slash == NULL ? output : slash + 1, material_name(&material, name));
}

int restricted_work_path(char path[PATH_MAX], const struct spec *spec, const struct build_options *options,
                         const char *output)
{
    char file[PATH_MAX];
    TRY(find_path(file, spec, options, output));
    char *slash = strrchr(file, '/');
    *slash = '\0';
    return folder_path(path, PATH_MAX, options->scratch != NULL ? options->scratch : file, "%s.work", slash + 1);
}

int restricted_build(const struct spec *spec, const struct build_options *options, const char *output,
                     struct restricted_idle *idle)
{
    static const struct job_steps steps = {look, NULL, solve, write_file, close_all};
    struct build build = {.job = {.options = options}, .spec = spec};
    spec_name(spec, build.name);
    job_begin(&build.job, build.name, 0, options->solve_only);
    TRY(find_path(build.job.path, spec, options, output));
    TRY(restricted_work_path(build.work_path, spec, options, output));
    const int code = job_make_table(&build.job, &steps);
    if (code == 0 && !options->solve_only)
        journal_drop(build.work_path, NULL);
    if (idle != NULL)
        *idle = build.idle;
    return code;
}

int restricted_plan(struct restricted_plan *plan, const struct spec *spec, const struct build_options *options,
                    const char *output)
{
    // Measured on eight endgames (docs/restricted.md).
    static const double rate = 3e7;            // entries, counting both sides, that a thread solves per second
    static const double examined_rate = 5e5;   // positions with leaving moves that it examines per second
    static const double more_processors = 0.9; // what each further processor adds
    static const double least_seconds = 0.1;
    static const uint64_t least_bytes = 1000;   // of a file; and
    static const uint64_t entries_of_byte = 10; // entries in each further byte
    const int threads = options->threads > 0 ? options->threads : os_processors();
    struct build build = {.job = {.options = options}, .spec = spec};
    *plan = (struct restricted_plan){.state = PLAN_MAKE};
    spec_name(spec, build.name);
    memcpy(plan->name, build.name, sizeof plan->name);
    TRY(find_path(build.job.path, spec, options, output));
    memcpy(plan->path, build.job.path, sizeof plan->path);
    TRY(threads_open(&build.job.pool, options->threads));
    int code = look(&build.job);
    if (code != 0 && code != CLTB_E_MISSING && code != CLTB_E_CORRUPT) {
        threads_close(build.job.pool);
        return code;
    }
    plan->state = code == CLTB_E_CORRUPT ? PLAN_REPLACE : code == 0 && !options->force ? PLAN_PRESENT : PLAN_MAKE;
    plan->file_bytes = build.job.event.file_bytes;
    code = open_index(&build);
    THEN(code, open_moves(&build, &plan->memory));
    const uint64_t examined = code == 0 ? externals_entries(&build.externals) : 0;
    plan->entries = build.job.event.positions;
    plan->slices = build.job.event.slices_total;
    if (plan->state != PLAN_PRESENT) {
        plan->file_bytes = least_bytes + plan->entries / entries_of_byte;
        const double seconds = (double)plan->entries / rate + (double)examined / examined_rate;
        plan->seconds = seconds / (1 + more_processors * (threads - 1)) + least_seconds;
    }
    THEN(code, restricted_bases_needed(build.bases, spec, plan->table));
    close_all(&build.job);
    threads_close(build.job.pool);
    plan->needed = code < 0 ? 0 : code;
    return code < 0 ? code : 0;
}
