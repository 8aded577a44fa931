// test_stats_gather.c - statistics gathered from the solver's planes equal those counted in the finished table
#include "check/stats_gather.h"
#include "check/stats_kept.h"
#include "make/device.h"
#include "probe/tables.h"
#include "support/compare_tables.h"
#include "table/container.h"
#include "util/threads.h"

#include <stdlib.h>

// In place of the keep() of stats_gather_ops: compares what is gathered with what is counted, and keeps nothing.
static size_t gathered;
static size_t left_out;

// The statistics of a table, counted once by probing: every build of it has the same bytes.
static const struct stats *counted_of(cltb_tables *tables, const struct material *material)
{
    static struct stats *counted[32];
    struct thread_pool *pool;
    size_t i = 0;
    while (i < sizeof counted / sizeof counted[0] && counted[i] != NULL) {
        if (material_equal(&counted[i]->material, material))
            return counted[i];
        i++;
    }
    assert_true(i < sizeof counted / sizeof counted[0]);
    GOOD(threads_open(&pool, 2));
    GOOD(stats_count(&counted[i], tables, material, pool, NULL));
    threads_close(pool);
    return counted[i];
}

static int compare(struct statistics *statistics, bool whole, struct container_writer *file, const char *folders)
{
    const char *path = container_shown(file);
    struct material material;
    char name[TEST_PATH_MAX];
    struct stats *stats;
    cltb_tables *tables;
    assert_true(whole);
    assert_true(material_of_file(&material, path, ".cltb.part"));
    GOOD(cltb_open(&tables, folders, NULL));
    GOOD(tables_add_file(tables, &material, path));
    GOOD(stats_gathered(&stats, statistics, tables));
    if (stats != NULL) {
        if (stats_compare(stats, counted_of(tables, &stats->material)) != 0)
            fail_msg("%s: %s", material_name(&stats->material, name), error_text());
        gathered++;
    } else {
        left_out++;
    }
    stats_free(stats);
    cltb_close(tables);
    return 0;
}

// Builds a table again, and its futurebases if they are missing. `left_out`: tables that are not counted while they are
// solved.
static void build(const char *name, const char *device, uint64_t memory, size_t not_gathered)
{
    struct statistics_ops ops = stats_gather_ops;
    const struct material material = material_named(name);
    const struct build_options options = {
        .dir = tables_folder, .device = device, .threads = 2, .memory = memory, .force = true, .statistics = &ops};
    ops.keep = compare;
    gathered = left_out = 0;
    GOOD(build_table(&material, &options));
    assert_true(gathered > 0 || not_gathered > 0);
    assert_int_equal(left_out, not_gathered);
}

// Pieces alone and in pairs, like sides, pawns, distances packed in memory. Of three men only tables with a pawn are
// counted.
TEST(test_processor)
{
    if (sanitized()) {
        build("KPvK", "cpu", 0, 4);
        build("KNNvK", "cpu", 11 << 20, 0);
        return;
    }
    build("KRvKB", "cpu", 0, 2);
    build("KQvKQ", "cpu", 0, 1);
    build("KNNvK", "cpu", 0, 1);
    build("KPvK", "cpu", 0, 0);
    build("KRvKB", "cpu", 14 << 20, 0);
    build("KNNvK", "cpu", 11 << 20, 0);
}

// One worker makes a table with pawns and then one without.
TEST(test_one_worker)
{
    const struct material materials[] = {material_named("KPvK"), material_named("KNNvK")};
    const struct build_options options = {
        .dir = tables_folder, .device = "cpu", .threads = 1, .force = true, .statistics = &stats_gather_ops};
    GOOD(build_tables(materials, 2, &options));
}

// The first OpenCL device, if there is one: with a pair and without, with pawns; words picked by the device.
TEST(test_device)
{
    struct device_list devices;
    if (sanitized() || device_list(&devices, "0") != 0)
        skip();
    build("KRvKB", "0", 0, 0);
    build("KNNvK", "0", 0, 0);
    build("KQvKQ", "0", 0, 0);
    build("KPvK", "0", 0, 0);
    assert_int_equal(setenv("CLTB_OPENCL", "symbols", 1), 0);
    build("KRvKB", "0", 0, 0);
    build("KNNvK", "0", 0, 0);
    build("KQvKQ", "0", 0, 0);
    unsetenv("CLTB_OPENCL");
}

// Four men with pawns, also pawns that are their own mirror image; and cursed wins.
TEST(test_all)
{
    static const char *const names[] = {"KPPvK", "KPvKP", "KRPvK", "KBvKP", "KNvKP", "KBNvK", "KBBvKN"};
    if (getenv("CLTB_TEST_LONG") == NULL)
        skip();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        make_table(names[i], false);
        build(names[i], "cpu", 0, 0);
    }
}

// Tables of distances to mate keep none.
TEST(test_none)
{
    const struct material material = material_named("KRvK.dtm");
    struct thread_pool *pool;
    struct statistics *statistics;
    GOOD(threads_open(&pool, 1));
    GOOD(stats_gather_ops.open(&statistics, &material, WHITE, LAYOUT_ALIKE, pool));
    assert_null(statistics);
    stats_gather_ops.close(statistics);
    threads_close(pool);
}

TESTS(folder_make, folder_remove)
