// memory_table.c - builds a pawnless table with all planes in memory, or on the device
#include "make/statistics.h"
#include "make/table_job.h"
#include "util/behind.h"
#include "util/error.h"
#include "util/memory.h"

static int write_files(struct table_job *making, const struct solution *solution)
{
    struct memory_pool *memory = threads_memory(making->job.pool);
    const struct tile_source tiles = solution_tiles(solution);
    struct content content = tiles_content(&tiles);
    struct write_options writing = table_job_write_options(making, making->table->stream.write_memory);
    // The writer does not use the planes that the solver has returned to the pool.
    memory_pool_limit(memory, 0, NULL, NULL);
    memory_pool_shrink(memory, 0);
    if (making->statistics != NULL)
        TRY(making->job.options->statistics->tiles(making->statistics, solution));
    TRY(table_job_write(making, &content, &writing));
    return table_job_done(making);
}

// Futurebases, which may be loaded while a device is opened.
struct loading {
    struct behind behind;
    const struct layout *layout;
    struct stored_tables tables;
    struct bases *bases; // NULL: not loaded yet
    struct build_job *job;
};

static int load(void *context)
{
    struct loading *loading = context;
    const struct futurebase_source source = stored_source(&loading->tables);
    return solver_load(&loading->bases, loading->layout, &source);
}

static int solve(struct loading *loading, struct backend *backend, const struct solver_options *options,
                 struct solution *solution)
{
    TRY(behind_wait(&loading->behind));
    if (loading->bases == NULL) {
        threads_watch(loading->job->pool, job_window, loading->job);
        const int code = load(loading);
        threads_watch(loading->job->pool, NULL, NULL);
        TRY(code);
    }
    struct bases *bases = loading->bases;
    loading->bases = NULL;
    return solver_solve_loaded(solution, backend, bases, options);
}

static int solve_and_write(struct table_job *making, struct backend *backend, struct loading *loading)
{
    struct build_job *job = &making->job;
    struct solver_options solving = table_job_solver_options(making);
    struct longest_watch longest;
    struct solution solution = {.backend = NULL};
    longest_watch_open(&longest, table_job_longest_side(making), table_job_longest, making);
    if (making->statistics != NULL && solving.metric == NULL)
        solving.guest = &longest.guest;
    job->event.backend = backend->ops->describe(backend);
    TRY(job_emit(job, BUILD_START));
    int code = solve(loading, backend, &solving, &solution);
    if (code != 0)
        return error_prefix(code, "%s", making->name);
    code = job_solved(job);
    if (code == 0 && table_job_writes(making))
        code = write_files(making, &solution);
    solution_free(&solution);
    return code;
}

static int open_backend(struct table_job *making, const struct layout *layout, struct backend **backend)
{
    struct build_job *job = &making->job;
    const struct plan_stream *plan = &making->table->stream;
    if (!plan->packed)
        return job_open_backend(job, layout, 0, backend);
    TRY(backend_cpu_open_packed(backend, layout, job->pool, job->options->isa));
    memory_pool_limit(threads_memory(job->pool), plan->memory, NULL, NULL);
    return 0;
}

int memory_table_make(struct table_job *making)
{
    struct build_job *job = &making->job;
    struct layout layout;
    struct loading loading = {
        .behind = {.pool = job->pool}, .layout = &layout, .tables = table_job_futurebases(making), .job = job};
    struct backend *backend;
    TRY(layout_init(&layout, &making->table->material, making->table->stream.layout));
    if (job->device.number >= 0 && !making->table->stream.packed && threads_begin_beside(job->pool))
        behind_begin(&loading.behind, load, &loading);
    int code = open_backend(making, &layout, &backend);
    if (code == 0) {
        code = solve_and_write(making, backend, &loading);
        job->event.backend = NULL; // the text is the backend's own
        backend->ops->close(backend);
    }
    const int other = behind_wait(&loading.behind); // 0 unless opening has failed, too
    if (other != 0)
        code = error_prefix(other, "%s", making->name);
    solver_unload(loading.bases);
    memory_pool_limit(threads_memory(job->pool), 0, NULL, NULL);
    return code;
}
