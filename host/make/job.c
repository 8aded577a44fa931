// job.c - what all makers of tables have in common: device, lock, events, times
#include "make/job.h"

#include "solve/backend.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/os.h"

#include <errno.h>
#include <stdio.h>

void job_begin(struct build_job *job, const char *name, uint64_t positions, bool solve_only)
{
    job->event = (struct build_event){.name = name,
                                      .table = job->event.table,
                                      .tables = job->event.tables,
                                      .solve_only = solve_only,
                                      .positions = positions,
                                      .attacker = -1};
    job->start = wall_seconds();
    job->cpu_start = threads_cpu_seconds(job->pool);
    job->compiled = device_compiling_times();
}

int job_check_lease(const struct build_job *job)
{
    if (job->lease == NULL || !lease_lost(job->lease))
        return 0;
    return error_set(CLTB_E_IO, "%s: another process has taken over, as this one was silent for too long",
                     job->event.name);
}

int job_emit(struct build_job *job, enum build_event_kind kind)
{
    const struct build_options *options = job->options;
    job->event.kind = kind;
    job->event.seconds = wall_seconds() - job->start;
    job->event.peak_memory = os_peak_memory();
    if (options->event != NULL && options->event(options->context, &job->event) != 0)
        return error_set(CLTB_E_INTERRUPTED, "interrupted while building %s", job->event.name);
    return job_check_lease(job);
}

int job_window(void *context)
{
    return job_emit(context, BUILD_WINDOW);
}

bool job_falls_back(struct build_job *job)
{
    const char *before = job->event.reason;
    if (!job->device.automatic || job->device.number < 0)
        return false;
    job->device.number = -1;
    job->event.reason = error_text();
    job_emit(job, BUILD_FALLBACK); // an interruption is noticed at the next event
    job->event.reason = before;
    return true;
}

int job_open_backend(struct build_job *job, const struct layout *layout, uint64_t tiles, struct backend **backend)
{
    if (job->device.number >= 0) {
        const int code = device_open(backend, layout, job->device.number, tiles);
        if (code == 0)
            (*backend)->pool = job->pool;
        if (code == 0 || !job_falls_back(job))
            return code;
    }
    return tiles > 0 ? backend_cpu_open_windows(backend, layout, job->pool, job->options->isa, tiles)
                     : backend_cpu_open(backend, layout, job->pool, job->options->isa);
}

int job_solved(struct build_job *job)
{
    const struct device_times compiled = device_compiling_times();
    job->event.compile_seconds = compiled.wall - job->compiled.wall;
    job->start += job->event.compile_seconds; // compiling does not count as solving
    job->cpu_start += compiled.cpu - job->compiled.cpu;
    job->event.solve_seconds = wall_seconds() - job->start;
    const double cpu = threads_cpu_seconds(job->pool) - job->cpu_start;
    job->event.solve_cpu_seconds = cpu > 0 ? cpu : 0; // meanwhile other workers' kernels may have been compiled
    return job_emit(job, BUILD_SOLVED);
}

int job_done(struct build_job *job)
{
    job->event.write_seconds = wall_seconds() - job->start - job->event.solve_seconds;
    const double cpu = threads_cpu_seconds(job->pool) - job->cpu_start;
    job->event.write_cpu_seconds = cpu - job->event.solve_cpu_seconds;
    return job_emit(job, BUILD_DONE);
}

int job_on_write(void *context, double share)
{
    struct build_job *job = context;
    job->event.share = share;
    return job_emit(job, BUILD_WRITE);
}

const char *job_search(const struct build_options *options)
{
    return options->search != NULL ? options->search : options->dir;
}

const char *job_scratch(const struct build_options *options)
{
    return options->scratch != NULL ? options->scratch : options->dir;
}

// ---- single tables ----

static int look(struct build_job *job, const struct job_steps *steps, bool *present)
{
    *present = false;
    job->event.reason = NULL;
    if (job->options->solve_only)
        return 0;
    const int code = steps->look(job);
    if (code == CLTB_E_MISSING)
        return 0;
    if (code == CLTB_E_CORRUPT) {
        snprintf(job->reason, sizeof job->reason, "%s", error_text());
        job->event.reason = job->reason;
        return 0;
    }
    *present = code == 0 && !job->options->force;
    return code;
}

static int lock_and_make(struct build_job *job, const struct job_steps *steps)
{
    if (steps->check != NULL)
        TRY(steps->check(job));
    TRY(device_choose(&job->device, job->options->device));
    if (!job->options->solve_only)
        TRY(folder_open(&job->folder, job->options->dir, false));
    // Another run may have made the table while this one waited for the folder.
    bool present;
    TRY(look(job, steps, &present));
    if (job->event.reason != NULL)
        TRY(job_emit(job, BUILD_REPLACE));
    if (present)
        return job_emit(job, BUILD_PRESENT);
    TRY(steps->solve(job));
    TRY(job_solved(job));
    if (job->options->solve_only)
        return 0;
    TRY(steps->write(job));
    struct stat status;
    if (stat(job->path, &status) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot read %s", job->path);
    job->event.file_bytes = (uint64_t)status.st_size;
    return job_done(job);
}

int job_make_table(struct build_job *job, const struct job_steps *steps)
{
    bool present;
    TRY(threads_open(&job->pool, job->options->threads));
    int code = look(job, steps, &present);
    if (code == 0 && present)
        folder_clear(job->options->dir);
    THEN(code, present ? job_emit(job, BUILD_PRESENT) : lock_and_make(job, steps));
    steps->close(job);
    folder_close(job->folder);
    threads_close(job->pool);
    return code;
}
