// test_slow_write_table.c - tables of five men written with little memory are the same files
//
// Tables of four men have sections of four blocks, so what the writer does with larger ones shows with five men only:
// passes by the orbits of the outermost men, of one stream and of both together.
#include "support/support.h"

#include "futurebase/futurebases.h"
#include "make/build.h"
#include "solve/solver.h"
#include "table/write/write_table.h"

#include <unistd.h>

static char folder[TEST_PATH_MAX];

static void make_futurebases(const struct material *material)
{
    const struct build_options options = {.dir = folder, .device = "cpu", .threads = 2};
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = QUEEN; type <= KNIGHT; type++) {
            struct material sub = *material;
            if (sub.count[colour][type] == 0)
                continue;
            sub.count[colour][type]--;
            material_normalise(&sub);
            GOOD(build_table(&sub, &options));
        }
    }
}

struct tile_counter {
    const struct tile_source *source;
    uint64_t walks; // of each_run()
};

static int count_walks(void *context, int side, unsigned king, const struct tile_filter *filter,
                       struct thread_pool *threads, tile_visit *visit, void *visit_context)
{
    struct tile_counter *counter = context;
    counter->walks++;
    return counter->source->each_run(counter->source->context, side, king, filter, threads, visit, visit_context);
}

static struct bytes written(const struct tile_source *source, uint64_t memory, uint64_t *walks)
{
    const char *path = table_in(folder, "new");
    uint64_t bytes;
    struct tile_counter counter = {source, 0};
    struct tile_source counted = *source;
    counted.context = &counter;
    counted.each_run = count_walks;
    const struct write_options options = {.memory = memory};
    GOOD(write_tiles_table(&counted, path, test_pool, &options, &bytes));
    const struct bytes file = read_file(path);
    unlink(path);
    *walks = counter.walks;
    return file;
}

static void check_budgets(const char *name, const uint64_t *memory, int count)
{
    static const struct solver_options options = {.keep_distance = {true, false}, .keep_resolved = true};
    struct stored_tables tables = {folder, test_pool, NULL};
    const struct futurebase_source futurebases = stored_source(&tables);
    const struct material material = material_named(name);
    struct layout layout;
    struct backend *backend;
    struct solution solution;
    uint64_t walks;
    make_futurebases(&material);
    GOOD(layout_init(&layout, &material, LAYOUT_PAIR));
    GOOD(backend_cpu_open(&backend, &layout, test_pool, NULL));
    GOOD(solver_solve(&solution, backend, &futurebases, &options));
    const struct tile_source source = solution_tiles(&solution);
    const struct bytes all = written(&source, 0, &walks);
    for (int i = 0; i < count; i++) {
        uint64_t more;
        const struct bytes some = written(&source, memory[i], &more);
        assert_true(more > walks);
        assert_int_equal(some.size, all.size);
        assert_memory_equal(some.data, all.data, all.size);
        free(some.data);
    }
    free(all.data);
    solution_free(&solution);
    backend->ops->close(backend);
}

static void test_orbits(void **state)
{
    check_budgets("KQRvKR", (const uint64_t[]){8 << 20}, 1);
}

// The orders of White's two streams begin with the same man.
static void test_shared_passes(void **state)
{
    check_budgets("KRBvKR", (const uint64_t[]){24 << 20}, 1);
}

static void test_identical(void **state)
{
    check_budgets("KBBvKN", (const uint64_t[]){6 << 20}, 1);
}

static int start(void **state)
{
    test_folder_make(folder);
    return pool_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orbits),
        cmocka_unit_test(test_shared_passes),
        cmocka_unit_test(test_identical),
    };
    return cmocka_run_group_tests(tests, start, pool_teardown);
}
