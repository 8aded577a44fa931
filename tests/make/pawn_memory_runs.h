// pawn_memory_runs.h - tests: a table with pawns made under limits of memory far below what a build allows, so that nearly everything
// leaves memory
#ifndef CLTB_TESTS_MAKE_PAWN_MEMORY_H
#define CLTB_TESTS_MAKE_PAWN_MEMORY_H

#include "make/build.h"
#include "make/pawn_table.h"
#include "table/path.h"
#include "util/error.h"
#include "util/threads.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct thread_pool *pool;
static char bases[600]; // tables that were built without a limit
static char tables[600];
static char nowhere[600]; // no such folder

static void make_folder(char *path, size_t size, const char *name)
{
    const char *tmp = getenv("CLTB_TEST_TMP");
    snprintf(path, size, "%s/%s", tmp == NULL ? "." : tmp, name);
    mkdir(path, 0777);
}

static void empty_folder(const char *path)
{
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char file[1200];
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        unlink(file);
    }
    closedir(folder);
}

static int setup(void **state)
{
    (void)state;
    make_folder(bases, sizeof bases, "bases");
    make_folder(tables, sizeof tables, "tables");
    snprintf(nowhere, sizeof nowhere, "%s/nowhere", tables);
    empty_folder(bases);
    return threads_open(&pool, 2);
}

static int teardown(void **state)
{
    (void)state;
    threads_close(pool);
    return 0;
}

struct run {
    struct build_options options;
    uint64_t left; // batches until it is interrupted; 0: never
    struct pawn_table_job job;
    char path[PATH_MAX];
    char work[PATH_MAX];
};

static int open_cpu(void *context, const struct layout *layout, struct backend **backend)
{
    (void)context;
    return backend_cpu_open(backend, layout, pool, NULL);
}

static int on_ply(void *context, const struct solver_ply *ply)
{
    struct run *run = context;
    return ply->ply == 1 && run->left > 0 && --run->left == 0 ? error_set(CLTB_E_INTERRUPTED, "enough") : 0;
}

static int on_solved(void *context)
{
    (void)context;
    return 0;
}

static int on_written(void *context, double share)
{
    (void)context;
    (void)share;
    return 0;
}

static int make_table(struct run *run, const char *name, uint64_t memory, const char *scratch)
{
    static struct material material;
    GOOD(material_parse(&material, name, NULL));
    run->options = (struct build_options){.dir = tables, .search = bases, .memory = memory, .threads = 2};
    GOOD(table_path(run->path, sizeof run->path, tables, &material));
    GOOD(table_work_path(run->work, sizeof run->work, tables, &material));
    run->job = (struct pawn_table_job){.material = &material,
                                       .path = run->path,
                                       .work = run->work,
                                       .scratch = scratch,
                                       .search = bases,
                                       .options = &run->options,
                                       .write = true,
                                       .pool = pool,
                                       .open = open_cpu,
                                       .ply = on_ply,
                                       .solved = on_solved,
                                       .written = on_written,
                                       .context = run};
    return pawn_table_make(&run->job);
}

static void check_same(const struct run *run, const char *name)
{
    char path[PATH_MAX];
    struct material material;
    GOOD(material_parse(&material, name, NULL));
    GOOD(table_path(path, sizeof path, bases, &material));
    const struct bytes is = read_file(run->path);
    const struct bytes should = read_file(path);
    assert_int_equal(is.size, should.size);
    assert_memory_equal(is.data, should.data, is.size);
    free(is.data);
    free(should.data);
    assert_int_equal(access(run->work, F_OK), -1);
    unlink(run->path);
}

static void build_bases(const char *name)
{
    const struct build_options options = {.dir = bases, .device = "cpu", .threads = 2};
    struct material material;
    GOOD(material_parse(&material, name, NULL));
    GOOD(build_table(&material, &options));
}

// Under each of two limits, and where nothing can leave: something does under such a limit.
static void check_limits(const char *name)
{
    static const uint64_t limits[] = {1 << 20, 12 << 20};
    static struct run run;
    build_bases(name);
    for (size_t k = 0; k < 2; k++) {
        GOOD(make_table(&run, name, limits[k], tables));
        check_same(&run, name);
    }
    assert_int_equal(make_table(&run, name, limits[0], nowhere), CLTB_E_IO);
    assert_non_null(strstr(error_text(), nowhere));
    assert_int_equal(access(run.path, F_OK), -1);
    unlink(run.work);
}

// Stopped under one limit, it goes on under another one. After check_limits().
static void check_interrupted(const char *name)
{
    static struct run run;
    run.left = 8;
    assert_int_equal(make_table(&run, name, 1 << 20, tables), CLTB_E_INTERRUPTED);
    assert_int_equal(access(run.path, F_OK), -1);
    run.left = 8;
    assert_int_equal(make_table(&run, name, 2 << 20, tables), CLTB_E_INTERRUPTED);
    assert_true(run.job.resumed > 0);
    run.left = 0;
    GOOD(make_table(&run, name, 1 << 20, tables));
    assert_true(run.job.resumed > 0 && run.job.slices_done == run.job.slices_total);
    check_same(&run, name);
}

#endif
