// build.c - builds the complete database of dobutsu shogi
#include "dobutsu/make/build.h"

#include "dobutsu/solve/solve.h"
#include "dobutsu/table.h"
#include "make/device.h"
#include "make/folder.h"
#include "table/part_file.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/threads.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    LEVEL = 9,       // of zstd
    LEVEL_BEST = 19, // 6 % smaller, with seven times the time for writing
    TABLE_BYTES = 53 * 1000 * 1000,
    RAW_CELLS = 4096 // written at a time by a thread: 1 MiB
};

struct build {
    const struct build_options *options;
    bool raw;
    struct device_choice device;
    struct thread_pool *pool;
    struct dobutsu_backend *backend;
    struct part_file file; // the raw one
    struct build_event event;
    char path[PATH_MAX];
    char reason[256];
    double start;
    double cpu_start;
};

static int emit(struct build *build, enum build_event_kind kind)
{
    return build_emit(build->options, &build->event, kind, build->start, "dobutsu");
}

// ---- files ----

static int locate(char *path, size_t size, const char *folders, const char *file)
{
    return folders_find(path, size, folders, file) ? 0 : folders_path(path, size, folders, file);
}

int dobutsu_locate(char *path, size_t size, const char *folders)
{
    return locate(path, size, folders, DOBUTSU_FILE);
}

// Is the raw table there? Only its size tells. A file of ours appears whole, so that one of another size is not ours.
static int check_raw(struct build *build, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return errno == ENOENT ? CLTB_E_MISSING : error_errno(CLTB_E_IO, errno, "cannot read %s", path);
    build->event.file_bytes = (uint64_t)status.st_size;
    if (S_ISREG(status.st_mode) && status.st_size == (off_t)DOBUTSU_CODES)
        return 0;
    return error_set(CLTB_E_FOREIGN, "%s is no raw table of %lu bytes", path, (unsigned long)DOBUTSU_CODES);
}

static int check_table(struct build *build, const char *path)
{
    struct dobutsu_table *table;
    int code = dobutsu_table_open(&table, path, 1 << 20);
    if (code != 0)
        return code;
    build->event.file_bytes = dobutsu_table_info(table)->file_bytes;
    code = dobutsu_table_check(table, build->pool);
    dobutsu_table_close(table);
    return code;
}

// Sets *present, or the reason why a file that is there is made anew. With --force the file that would be written over is looked at all
// the same: what is none of ours is an error.
static int look(struct build *build, bool *present)
{
    const struct build_options *options = build->options;
    const char *search = options->search != NULL && !options->force ? options->search : options->dir;
    char path[PATH_MAX];
    *present = false;
    build->event.reason = NULL;
    if (options->solve_only)
        return 0;
    TRY(locate(path, sizeof path, search, build->raw ? DOBUTSU_RAW_FILE : DOBUTSU_FILE));
    const int code = (build->raw ? check_raw : check_table)(build, path);
    *present = code == 0 && !options->force;
    if (code == CLTB_E_FOREIGN)
        return error_append(code, "; move it away, or use another folder");
    if (code == CLTB_E_CORRUPT) {
        snprintf(build->reason, sizeof build->reason, "%s", error_text());
        build->event.reason = build->reason;
    } else if (code != 0 && code != CLTB_E_MISSING) {
        return code;
    }
    return 0;
}

// ---- solving ----

static int on_ply(void *context, int ply, uint64_t found)
{
    struct build *build = context;
    // Rounds of the longest known game; the later half of them takes next to no time.
    enum { ROUNDS = 60 };
    build->event.ply = ply;
    build->event.won = ply % 2 == 0 ? found : 0;
    build->event.lost = ply % 2 == 0 ? 0 : found;
    build->event.share = ply < ROUNDS ? (double)ply / ROUNDS : 1;
    return emit(build, BUILD_PLY);
}

static int open_device(struct build *build)
{
#ifdef CLTB_HAVE_OPENCL
    return dobutsu_opencl_open(&build->backend, build->device.number);
#else
    return device_without_opencl(build->device.number);
#endif
}

static int open_backend(struct build *build)
{
    if (build->device.number >= 0) {
        const int code = open_device(build);
        if (code == 0 || !build->device.automatic)
            return code;
    }
    return dobutsu_cpu_open(&build->backend, build->pool, build->options->isa);
}

// ---- writing ----

static int from_solution(void *context, uint32_t first, uint32_t count, uint8_t *values)
{
    const struct build *build = context;
    return dobutsu_solution_read(build->backend, first, count, values);
}

static int on_write(void *context, double share)
{
    struct build *build = context;
    build->event.share = share;
    return emit(build, BUILD_WRITE);
}

struct raw_job {
    struct build *build;
    uint32_t first; // cell
};

static int write_cells(void *context, uint64_t item, int worker)
{
    const struct raw_job *job = context;
    const uint32_t first = job->first + (uint32_t)item * RAW_CELLS;
    const uint32_t count = DOBUTSU_CELLS - first < RAW_CELLS ? DOBUTSU_CELLS - first : RAW_CELLS;
    const size_t bytes = (size_t)count * DOBUTSU_CELL_CODES;
    uint8_t *values = malloc(bytes);
    (void)worker;
    if (values == NULL)
        return error_memory(bytes, "a part of the raw table");
    int code = dobutsu_solution_read(job->build->backend, first, count, values);
    if (code == 0)
        code = part_file_write(&job->build->file, values, bytes, (uint64_t)first * DOBUTSU_CELL_CODES);
    free(values);
    return code;
}

static int write_raw(struct build *build)
{
    enum { PART = 64 * RAW_CELLS }; // between two looks at Ctrl-C
    struct raw_job job = {.build = build};
    int code = part_file_open(&build->file, build->path);
    for (; code == 0 && job.first < DOBUTSU_CELLS; job.first += PART) {
        const uint32_t left = DOBUTSU_CELLS - job.first;
        const uint32_t cells = left < PART ? left : PART;
        code = threads_each(build->pool, (cells + RAW_CELLS - 1) / RAW_CELLS, write_cells, &job);
        if (code == 0)
            code = on_write(build, (double)(job.first + cells) / DOBUTSU_CELLS);
    }
    if (code == 0)
        code = part_file_finish(&build->file);
    part_file_close(&build->file);
    return code;
}

static int write_file(struct build *build)
{
    const double start = wall_seconds();
    const double cpu_start = cpu_seconds();
    if (build->raw)
        TRY(write_raw(build));
    else
        TRY(dobutsu_table_write(build->path,
                                &(struct dobutsu_writing){.source = from_solution,
                                                          .context = build,
                                                          .level = build->options->best ? LEVEL_BEST : LEVEL,
                                                          .pool = build->pool,
                                                          .each = on_write,
                                                          .each_context = build}));
    struct stat status;
    if (stat(build->path, &status) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot read %s", build->path);
    build->event.file_bytes = (uint64_t)status.st_size;
    build->event.write_seconds = wall_seconds() - start;
    build->event.write_cpu_seconds = cpu_seconds() - cpu_start;
    return emit(build, BUILD_DONE);
}

// ---- all of it ----

uint64_t dobutsu_build_memory(void)
{
    const uint64_t writing = (uint64_t)256 << 20; // the values kept and their compressed blocks
    return dobutsu_solver_memory() + writing;
}

static int check_memory(const struct build_options *options)
{
    const uint64_t needed = options->solve_only ? dobutsu_solver_memory() : dobutsu_build_memory();
    if (options->memory == 0 || options->memory >= needed)
        return 0;
    return error_set(CLTB_E_MEMORY, "dobutsu takes %.0f MiB of memory, and --memory allows %.0f MiB",
                     (double)needed / 0x1p20, (double)options->memory / 0x1p20);
}

// Half a minute of work is not begun for a disk that cannot take the file.
static int check_space(const struct build *build)
{
    const uint64_t needed = build->raw ? DOBUTSU_CODES : TABLE_BYTES;
    struct statvfs disk;
    if (build->options->solve_only || statvfs(build->options->dir, &disk) != 0)
        return 0;
    const uint64_t there = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (there >= needed)
        return 0;
    return error_set(CLTB_E_IO, "%s has room for %.0f MB, and the file takes about %.0f MB", build->options->dir,
                     (double)there / 1e6, (double)needed / 1e6);
}

static int solve_and_write(struct build *build)
{
    const struct dobutsu_solver_options options = {on_ply, build};
    TRY(open_backend(build));
    build->event.backend = build->backend->ops->describe(build->backend);
    TRY(emit(build, BUILD_START));
    TRY(dobutsu_solve(build->backend, &options));
    build->event.solve_seconds = wall_seconds() - build->start;
    build->event.solve_cpu_seconds = cpu_seconds() - build->cpu_start;
    TRY(emit(build, BUILD_SOLVED));
    return build->options->solve_only ? 0 : write_file(build);
}

static int make(struct build *build)
{
    struct folder *folder = NULL;
    TRY(check_memory(build->options));
    TRY(device_check(&build->device));
    if (!build->options->solve_only)
        TRY(folder_open(&folder, build->options->dir));
    // Another run may have made it while this one waited for the folder.
    bool present = false;
    int code = folder != NULL ? look(build, &present) : 0;
    if (code == 0 && build->event.reason != NULL)
        code = emit(build, BUILD_REPLACE);
    if (code == 0 && !present)
        code = check_space(build);
    if (code == 0)
        code = present ? emit(build, BUILD_PRESENT) : solve_and_write(build);
    if (build->backend != NULL)
        build->backend->ops->close(build->backend);
    folder_close(folder);
    return code;
}

int dobutsu_build(const struct build_options *options, bool raw)
{
    struct build build = {.options = options, .raw = raw};
    bool present;
    build.event.name = DOBUTSU_NAME;
    build.event.attacker = -1;
    build.event.positions = DOBUTSU_CODES;
    build.event.solve_only = options->solve_only;
    build.start = wall_seconds();
    build.cpu_start = cpu_seconds();
    TRY(device_choose(&build.device, options->device));
    TRY(folder_path(build.path, sizeof build.path, options->dir, raw ? DOBUTSU_RAW_FILE : DOBUTSU_FILE));
    TRY(threads_open(&build.pool, options->threads));
    int code = look(&build, &present);
    if (code == 0 && present)
        code = emit(&build, BUILD_PRESENT);
    else if (code == 0)
        code = make(&build);
    threads_close(build.pool);
    return code;
}
