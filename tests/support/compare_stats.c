// compare_stats.c - the two ways of counting positions give the same
#include "support/compare_stats.h"

#include "support/compare_tables.h"
#include "util/threads.h"

struct stats *count_stats(const char *name, enum stats_method method)
{
    const struct material material = material_named(name);
    struct stats *stats;
    cltb_tables *tables;
    struct thread_pool *pool;
    GOOD(cltb_open(&tables, tables_folder, NULL));
    GOOD(threads_open(&pool, 2));
    GOOD(stats_count(&stats, tables, &material, method, pool));
    threads_close(pool);
    cltb_close(tables);
    return stats;
}

static void same_stats(const struct stats *a, const struct stats *b)
{
    assert_memory_equal(a->bin, b->bin, sizeof a->bin);
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const struct stats_longest *one = &a->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
        const struct stats_longest *two = &b->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
        assert_int_equal(one->plies, two->plies);
        assert_int_equal(one->zeroing, two->zeroing);
        assert_string_equal(one->fen, two->fen);
    }
    assert_memory_equal(a->zugzwangs, b->zugzwangs, sizeof a->zugzwangs);
    assert_int_equal(a->zugzwang_count, b->zugzwang_count);
    for (size_t i = 0; i < a->zugzwang_count; i++) {
        char one[STATS_FEN_MAX];
        char two[STATS_FEN_MAX];
        stats_zugzwang_fen(a, i, one);
        stats_zugzwang_fen(b, i, two);
        assert_string_equal(one, two);
        assert_memory_equal(a->zugzwang[i].outcome, b->zugzwang[i].outcome, COLOURS);
    }
}

void check_examples(const struct stats *stats)
{
    cltb_tables *tables;
    struct cltb_value value;
    GOOD(cltb_open(&tables, tables_folder, NULL));
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const struct stats_longest *longest = &stats->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
        if (longest->plies < 0)
            continue;
        GOOD(cltb_probe_fen(tables, longest->fen, &value));
        assert_int_equal(value.outcome, i % TABLE_OUTCOMES - 2);
        assert_int_equal(value.dtz, longest->plies);
        assert_int_not_equal(stats->bin[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES][longest->plies].count, 0);
    }
    for (size_t i = 0; i < stats->zugzwang_count; i++) {
        for (int side = WHITE; side <= BLACK; side++) {
            char fen[STATS_FEN_MAX];
            stats_zugzwang_fen(stats, i, fen);
            char *mark = strstr(fen, " w ");
            assert_non_null(mark);
            mark[1] = side == WHITE ? 'w' : 'b';
            GOOD(cltb_probe_fen(tables, fen, &value));
            assert_int_equal(value.outcome, stats->zugzwang[i].outcome[side]);
        }
    }
    cltb_close(tables);
}

void compare_stats(const char *name, bool both_sides)
{
    const struct material material = material_named(name);
    const struct build_options options = {
        .dir = tables_folder, .device = "cpu", .threads = 2, .force = both_sides, .both_sides = both_sides};
    GOOD(build_table(&material, &options));
    struct stats *probed = count_stats(name, STATS_BY_PROBING);
    struct stats *gridded = count_stats(name, STATS_BY_SLABS);
    same_stats(probed, gridded);
    check_examples(gridded);
    stats_free(probed);
    stats_free(gridded);
}
