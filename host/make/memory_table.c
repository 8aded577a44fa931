// memory_table.c - builds a pawnless table with all planes in memory, or on the device
#include "make/statistics.h"
#include "make/table_job.h"
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

static int solve_and_write(struct table_job *making, struct backend *backend)
{
    struct build_job *job = &making->job;
    struct stored_tables tables = table_job_futurebases(making);
    const struct futurebase_source source = stored_source(&tables);
    struct solver_options solving = table_job_solver_options(making);
    struct longest_watch longest;
    struct solution solution;
    longest_watch_open(&longest, longest_side(&making->table->material, solving.last_attacker), table_job_longest,
                       making);
    if (making->statistics != NULL && solving.metric == NULL)
        solving.guest = &longest.guest;
    job->event.backend = backend->ops->describe(backend);
    TRY(job_emit(job, BUILD_START));
    int code = solver_solve(&solution, backend, &source, &solving);
    if (code != 0)
        return error_prefix(code, "%s", making->name);
    code = job_solved(job);
    if (code == 0 && table_job_writes(making))
        code = write_files(making, &solution);
    solution_free(&solution);
    return code;
}

int memory_table_make(struct table_job *making)
{
    struct build_job *job = &making->job;
    struct memory_pool *memory = threads_memory(job->pool);
    const struct plan_stream *plan = &making->table->stream;
    struct layout layout;
    struct backend *backend;
    TRY(layout_init(&layout, &making->table->material, LAYOUT_PAIR));
    if (plan->packed) {
        TRY(backend_cpu_open_packed(&backend, &layout, job->pool, job->options->isa));
        memory_pool_limit(memory, plan->memory, NULL, NULL);
    } else {
        TRY(job_open_backend(job, &layout, 0, &backend));
    }
    const int code = solve_and_write(making, backend);
    job->event.backend = NULL; // the text is the backend's own
    backend->ops->close(backend);
    memory_pool_limit(memory, 0, NULL, NULL);
    return code;
}
