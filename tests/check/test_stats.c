// test_stats.c - counting positions: both ways give the same; zugzwangs and longest lines as published
#include "support/compare_tables.h"
#include "util/threads.h"

// Classes of a kind.
static size_t listed(const struct stats *stats, int white, int black)
{
    size_t n = 0;
    for (size_t i = 0; i < stats->zugzwang_count; i++)
        n += stats->zugzwang[i].outcome[WHITE] == white && stats->zugzwang[i].outcome[BLACK] == black;
    return n;
}

// A pawn, pieces, identical pieces, and distances for both sides to move.
static void test_both_ways(void **state)
{
    compare_stats("KPvK", false);
    compare_stats("KRvKB", false);
    compare_stats("KNNvK", false);
    compare_stats("KPvK", true);
}

// Reciprocal zugzwangs of KPvK, KPvKP, KRvKB and KRvKN: 80, 121 (15 of them full-point), 5 and 18 classes in the
// literature, which counts a pair with flipped colours once.
static void test_zugzwangs(void **state)
{
    static const char *const names[] = {"KPvK", "KRvKB", "KRvKN"};
    static const size_t classes[] = {80, 5, 18};
    make_table("KRvKN", false);
    make_table("KPvKP", false);
    struct stats *stats;
    for (int i = 0; i < 3; i++) {
        stats = count_stats(names[i], STATS_AUTO);
        assert_int_equal(stats->zugzwang_count, classes[i]);
        assert_true(i > 0 || stats->zugzwangs[CLTB_DRAW + 2][CLTB_LOSS + 2] == 160);
        stats_free(stats);
    }
    stats = count_stats("KPvKP", STATS_AUTO);
    assert_int_equal(listed(stats, CLTB_LOSS, CLTB_LOSS), 2 * 15);
    assert_int_equal(listed(stats, CLTB_DRAW, CLTB_LOSS), 106);
    assert_int_equal(listed(stats, CLTB_LOSS, CLTB_DRAW), 106);
    assert_int_equal(stats->zugzwangs[CLTB_LOSS + 2][CLTB_LOSS + 2], 60);
    assert_int_equal(stats->zugzwangs[CLTB_LOSS + 2][CLTB_DRAW + 2], stats->zugzwangs[CLTB_DRAW + 2][CLTB_LOSS + 2]);
    check_examples(stats);
    stats_free(stats);
}

// A table that is missing, and a futurebase that is missing.
static void test_missing(void **state)
{
    cltb_tables *tables;
    struct thread_pool *pool;
    struct stats *stats;
    const struct material material = material_named("KBBvKQ");
    GOOD(cltb_open(&tables, tables_folder, NULL));
    GOOD(threads_open(&pool, 1));
    for (int method = STATS_AUTO; method <= STATS_BY_SLABS; method++) {
        FAILS(stats_count(&stats, tables, &material, (enum stats_method)method, pool, NULL), CLTB_E_MISSING, "KBBvKQ");
        assert_null(stats);
    }
    threads_close(pool);
    cltb_close(tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_ways), cmocka_unit_test(test_zugzwangs),
                                       cmocka_unit_test(test_missing)};
    return cmocka_run_group_tests_name("statistics", tests, folder_make, folder_remove);
}
