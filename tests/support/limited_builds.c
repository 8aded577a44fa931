// limited_builds.c - tables with pawns made under limits of memory
#include "support/limited_builds.h"

#include "make/build.h"
#include "make/pawn_table.h"
#include "table/path.h"
#include "util/threads.h"

#include <limits.h>
#include <unistd.h>

char free_tables[TEST_PATH_MAX];
char limited_tables[TEST_PATH_MAX];
char no_folder[TEST_PATH_MAX + 20];

int limited_builds_setup(void **state)
{
    test_folder_make(free_tables);
    test_folder_make(limited_tables);
    snprintf(no_folder, sizeof no_folder, "%s/nowhere", limited_tables);
    return pool_setup(state);
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
    return backend_cpu_open(backend, layout, test_pool, NULL);
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
    const struct material material = material_named(name);
    run->options = (struct build_options){.dir = limited_tables, .search = free_tables, .memory = memory, .threads = 2};
    GOOD(table_path(run->path, sizeof run->path, limited_tables, &material));
    GOOD(table_work_path(run->work, sizeof run->work, limited_tables, &material));
    run->job = (struct pawn_table_job){.material = &material,
                                       .path = run->path,
                                       .work = run->work,
                                       .scratch = scratch,
                                       .search = free_tables,
                                       .options = &run->options,
                                       .write = true,
                                       .pool = test_pool,
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
    const struct material material = material_named(name);
    GOOD(table_path(path, sizeof path, free_tables, &material));
    const struct bytes is = read_file(run->path);
    const struct bytes should = read_file(path);
    assert_int_equal(is.size, should.size);
    assert_memory_equal(is.data, should.data, is.size);
    free(is.data);
    free(should.data);
    assert_int_equal(access(run->work, F_OK), -1);
    unlink(run->path);
}

void check_limits(const char *name)
{
    static const uint64_t limits[] = {1 << 20, 12 << 20};
    static struct run run;
    const struct build_options options = {.dir = free_tables, .device = "cpu", .threads = 2};
    const struct material material = material_named(name);
    GOOD(build_table(&material, &options));
    for (size_t k = 0; k < 2; k++) {
        GOOD(make_table(&run, name, limits[k], limited_tables));
        check_same(&run, name);
    }
    assert_int_equal(make_table(&run, name, limits[0], no_folder), CLTB_E_IO);
    assert_non_null(strstr(error_text(), no_folder));
    assert_int_equal(access(run.path, F_OK), -1);
    unlink(run.work);
}

void check_interrupted(const char *name)
{
    static struct run run;
    run.left = 8;
    assert_int_equal(make_table(&run, name, 1 << 20, limited_tables), CLTB_E_INTERRUPTED);
    assert_int_equal(access(run.path, F_OK), -1);
    run.left = 8;
    assert_int_equal(make_table(&run, name, 2 << 20, limited_tables), CLTB_E_INTERRUPTED);
    assert_true(run.job.resumed > 0);
    run.left = 0;
    GOOD(make_table(&run, name, 1 << 20, limited_tables));
    assert_true(run.job.resumed > 0 && run.job.slices_done == run.job.slices_total);
    check_same(&run, name);
}
