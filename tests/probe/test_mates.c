// test_mates.c - distances to mate and to conversion of three men: every position against the naive oracle, and the
// statistics
#include "support/compare_tables.h"

// Every number of the statistics is the oracle's.
static void compare_counts(const struct naive *oracle, const struct stats *stats)
{
    for (int side = WHITE; side <= BLACK; side++) {
        for (int outcome = CLTB_LOSS; outcome <= CLTB_WIN; outcome++) {
            for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
                const uint64_t count = stats->bin[side][outcome + 2][ply].count;
                const uint64_t truth =
                    ply > NAIVE_DTZ_MAX ? 0 : naive_count(oracle, side, (enum cltb_outcome)outcome, ply);
                if (count != truth)
                    fail_msg("side %d, %s in %d: %llu positions, not %llu", side, cltb_outcome_name(outcome), ply,
                             (unsigned long long)count, (unsigned long long)truth);
            }
        }
    }
}

TEST(test_three_men)
{
    static const struct {
        const char *name;
        int longest; // win of White, as published; to conversion: of those without pawns the same
        bool listed; // its distances are, and those of its futurebases
    } tables[] = {{"KQvK.dtm", 19, true},  {"KRvK.dtm", 31, false}, {"KBvK.dtm", -1, false}, {"KNvK.dtm", -1, false},
                  {"KPvK.dtm", 55, true},  {"KQvK.dtc", 19, false}, {"KRvK.dtc", 31, false}, {"KBvK.dtc", -1, false},
                  {"KNvK.dtc", -1, false}, {"KPvK.dtc", 37, false}};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i += sanitized() ? 9 : 1) { // the first and the last
        struct naive *oracle = NULL;
        if (tables[i].listed)
            make_listed(tables[i].name);
        compare_table(&oracle, tables[i].name);
        assert_int_equal(naive_inconsistent(oracle), 0);
        struct stats *stats = count_stats(tables[i].name);
        compare_counts(oracle, stats);
        assert_int_equal(stats->longest[WHITE][CLTB_WIN + 2].plies, tables[i].longest);
        check_examples(stats);
        stats_free(stats);
        naive_free(oracle);
    }
}

TESTS(folder_make, folder_remove)
