// build.c - builds the complete database of dobutsu shogi
#include "dobutsu/make/build.h"

#include "dobutsu/solve/solve.h"
#include "dobutsu/table.h"
#include "make/job.h"
#include "table/part_file.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEVEL = 9,       // of zstd
    LEVEL_BEST = 19, // 6 % smaller, with seven times the time for writing
    TABLE_BYTES = 53 * 1000 * 1000,
    RAW_CELLS = 4096 // written at a time by a thread: 1 MiB
};

struct build {
    struct build_job job;
    bool raw;
    struct dobutsu_backend *backend;
    // For a raw table:
    struct part_file file;
    uint32_t first_cell; // of the part that is being written
};

// With --force the file to be overwritten is examined as well: a file that is not ours is an error.
static int look(struct build_job *job)
{
    const struct build_options *options = job->options;
    const bool raw = ((const struct build *)job)->raw;
    char path[PATH_MAX];
    const char *folders = options->force ? options->dir : job_search(options);
    const char *file = raw ? DOBUTSU_RAW_FILE : DOBUTSU_FILE;
    int code;
    if (!folders_find(path, sizeof path, folders, file))
        TRY(folders_path(path, sizeof path, folders, file));
    if (raw) {
        // Only the size shows that a raw table is present. Ours are written atomically, so a file of another size is
        // not ours.
        struct stat status;
        if (stat(path, &status) != 0)
            return errno == ENOENT ? CLTB_E_MISSING : error_errno(CLTB_E_IO, errno, "cannot read %s", path);
        job->event.file_bytes = (uint64_t)status.st_size;
        code =
            S_ISREG(status.st_mode) && status.st_size == (off_t)DOBUTSU_CODES
                ? 0
                : error_set(CLTB_E_FOREIGN, "%s is not a raw table of %lu bytes", path, (unsigned long)DOBUTSU_CODES);
    } else {
        struct dobutsu_table *table;
        code = dobutsu_table_open(&table, path, 1 << 20);
        if (code == 0) {
            job->event.file_bytes = dobutsu_table_info(table)->file_bytes;
            code = dobutsu_table_check(table, job->pool);
            dobutsu_table_close(table);
        }
    }
    return code == CLTB_E_FOREIGN ? error_append(code, "; move it away, or use another folder") : code;
}

// ---- solving ----

static int on_ply(void *context, int ply, uint64_t found)
{
    struct build_job *job = context;
    // The rounds of the longest known game; the later half takes almost no time.
    enum { ROUNDS = 60 };
    job->event.ply = ply;
    job->event.won = ply % 2 == 0 ? found : 0;
    job->event.lost = ply % 2 == 0 ? 0 : found;
    job->event.share = ply < ROUNDS ? (double)ply / ROUNDS : 1;
    return job_emit(job, BUILD_PLY);
}

static int solve(struct build_job *job)
{
    struct build *build = (struct build *)job;
    const struct build_options *options = job->options;
    const uint64_t needed = build->raw ? DOBUTSU_CODES : TABLE_BYTES;
    uint64_t bytes;
    // Check the free space before half a minute of work.
    if (!options->solve_only && os_free_bytes(options->dir, &bytes) == 0 && bytes < needed)
        return error_set(CLTB_E_IO, "%s has room for %.0f MB, and the file takes about %.0f MB", options->dir,
                         (double)bytes / 1e6, (double)needed / 1e6);
    int code = CLTB_E_DEVICE;
#ifdef CLTB_HAVE_OPENCL
    if (job->device.number >= 0)
        code = dobutsu_opencl_open(&build->backend, job->device.number);
#endif
    if (code != 0 && (job->device.number < 0 || job_falls_back(job)))
        code = dobutsu_cpu_open(&build->backend, job->pool, options->isa);
    TRY(code);
    job->event.backend = build->backend->description;
    TRY(job_emit(job, BUILD_START));
    return dobutsu_solve(build->backend, on_ply, job);
}

// ---- writing ----

static int write_cells(void *context, uint64_t item, int worker)
{
    struct build *build = context;
    const uint32_t first = build->first_cell + (uint32_t)item * RAW_CELLS;
    const uint32_t count = DOBUTSU_CELLS - first < RAW_CELLS ? DOBUTSU_CELLS - first : RAW_CELLS;
    const size_t bytes = (size_t)count * DOBUTSU_CELL_CODES;
    uint8_t *values;
    (void)worker;
    TRY(memory_new(&values, bytes, 1, "a part of the raw table"));
    int code = dobutsu_solution_read(build->backend, first, count, values);
    THEN(code, part_file_write(&build->file, values, bytes, (uint64_t)first * DOBUTSU_CELL_CODES));
    free(values);
    return code;
}

static int write_file(struct build_job *job)
{
    enum { PART = 64 * RAW_CELLS }; // between two checks for Ctrl-C
    struct build *build = (struct build *)job;
    const struct dobutsu_writing writing = {.source = dobutsu_solution_read,
                                            .context = build->backend,
                                            .level = job->options->best ? LEVEL_BEST : LEVEL,
                                            .pool = job->pool,
                                            .each = job_on_write,
                                            .each_context = job};
    if (!build->raw)
        return dobutsu_table_write(job->path, &writing);
    int code = part_file_open(&build->file, job->path);
    for (; code == 0 && build->first_cell < DOBUTSU_CELLS; build->first_cell += PART) {
        const uint32_t left = DOBUTSU_CELLS - build->first_cell;
        const uint32_t cells = left < PART ? left : PART;
        code = threads_each(job->pool, (cells + RAW_CELLS - 1) / RAW_CELLS, write_cells, build);
        THEN(code, job_on_write(job, (double)(build->first_cell + cells) / DOBUTSU_CELLS));
    }
    THEN(code, part_file_finish(&build->file));
    part_file_close(&build->file);
    return code;
}

// ---- all of it ----

static int check_memory(struct build_job *job)
{
    const struct build_options *options = job->options;
    const uint64_t writing = (uint64_t)256 << 20; // the kept values and their compressed blocks
    const uint64_t needed = dobutsu_solver_memory() + (options->solve_only ? 0 : writing);
    if (options->memory == 0 || options->memory >= needed)
        return 0;
    return error_set(CLTB_E_MEMORY, "dobutsu takes %.0f MiB of memory, and --memory allows %.0f MiB",
                     (double)needed / 0x1p20, (double)options->memory / 0x1p20);
}

static void close_backend(struct build_job *job)
{
    struct dobutsu_backend *backend = ((struct build *)job)->backend;
    if (backend != NULL)
        backend->ops->close(backend);
}

int dobutsu_build(const struct build_options *options, bool raw)
{
    static const struct job_steps steps = {look, check_memory, solve, write_file, close_backend};
    struct build build = {.job = {.options = options}, .raw = raw};
    job_begin(&build.job, DOBUTSU_NAME, DOBUTSU_CODES, options->solve_only);
    TRY(folder_path(build.job.path, sizeof build.job.path, options->dir, raw ? DOBUTSU_RAW_FILE : DOBUTSU_FILE));
    return job_make_table(&build.job, &steps);
}
