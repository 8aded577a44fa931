// test_slow_restricted.c - restricted endgames against naive solvers, position by position
//
// Seed 000's two test cases; restrictions that restrict nothing; random ones, most of whose leaving moves are pruned.
#include "compare_restricted.h"

#include "rules/attacks.h"

static struct naive *oracle; // of full endgames

// The full table and the naive oracle's solution.
static void make_full(const char *name)
{
    struct man men[NAIVE_MEN_MAX];
    make_table(name);
    GOOD(naive_solve(&oracle, men, men_of_name(name, men)));
}

// Makes a material that is solved already, or its colours exchanged, the one that naive_each() visits.
static void make_main(const char *name)
{
    struct man men[NAIVE_MEN_MAX];
    GOOD(naive_solve(&oracle, men, men_of_name(name, men)));
}

// ---- nothing is restricted ----

// The spec of a whole material has the values of the full endgame.
static void check_whole(const char *name, const char *men)
{
    struct restricted_comparison c = {0};
    char path[PATH_MAX];
    const struct spec spec = spec_of(men, "");
    make_full(name);
    build_restricted(&spec, "whole.cltb");
    snprintf(path, sizeof path, "%s/whole.cltb", tables_folder);
    GOOD(restricted_table_open(&c.table, path, 64 << 20));
    GOOD(naive_each(oracle, compare_restricted_visit, &c));
    restricted_table_close(c.table);
    unlink(path);
    assert_true(c.probed > 1000);
    assert_int_equal(c.wrong, 0);
}

static void test_whole(void **state)
{
    (void)state;
    check_whole("KPvK", "K P v K");
    check_whole("KRvKR", "K R v K R");
    check_whole("KPvKR", "K P v K R"); // the full table is KRvKP
}

static void test_whole_en_passant(void **state)
{
    (void)state;
    check_whole("KPvKP", "K P v K P");
}

// ---- seed 000 ----

// One foreign group (the queens of KQPvK and the pawns are told apart there) spans several local ones.
static void test_case_1(void **state)
{
    (void)state;
    struct naive_bases naive = {0};
    make_full("KQPvK");
    naive.full = oracle;
    struct spec spec = spec_of("K P[f7+] P[g7+] v K", "white discard P=[RBN]");
    GOOD(spec_add_futurebase(&spec, "KQPvK.cltb", false));
    GOOD(spec_add_futurebase(&spec, "KPvK.cltb", false));
    struct naive_restricted *solved = build_and_compare(&spec, "case1.cltb", &naive);
    assert_int_equal(naive_restricted_inconsistent(solved), 0);
    naive_restricted_free(solved);
}

struct difference {
    const struct naive_restricted *other;
    uint64_t positions;
    uint64_t from_full;      // other distances than in the full endgame
    uint64_t better;         // better values for White than there
    uint64_t other_outcomes; //
    uint64_t from_other;     // values that differ from those of `other`
};

static bool same_value(const struct naive_value *a, const struct naive_value *b)
{
    return a->outcome == b->outcome && a->dtz == b->dtz;
}

static int count_difference(void *context, const struct position *p, const struct naive_value *value)
{
    struct difference *d = context;
    struct naive_value full;
    struct naive_value other;
    GOOD(naive_query(oracle, p, &full));
    GOOD(naive_restricted_query(d->other, p, &other));
    d->positions++;
    d->from_full += !same_value(value, &full);
    d->other_outcomes += value->outcome != full.outcome;
    d->better += value->dtz < full.dtz;
    d->from_other += !same_value(value, &other);
    return 0;
}

// Several foreign groups (the queens on files a-d and e-h) span a local one.
static void test_case_2(void **state)
{
    (void)state;
    static const char *const men[] = {"K Q[a-d] Q[e-h] v K", "K Q[a-d] Q[a-d] v K", "K Q[e-h] Q[e-h] v K"};
    struct naive_bases full;
    struct naive_bases split = {0};
    struct naive_restricted *half[3];
    struct difference d = {0};
    make_full("KQPvK");
    full = (struct naive_bases){.full = oracle};
    struct spec spec = spec_of("K Q P v K", "white discard P=[RBN]");
    for (int i = 0; i < 3; i++) {
        char file[32];
        struct spec queens = spec_of(men[i], "white discard Q*");
        snprintf(file, sizeof file, "half%d.cltb", i);
        GOOD(spec_add_futurebase(&queens, "KQvK.cltb", false));
        half[i] = build_and_compare(&queens, file, &full);
        split.restricted[i] = half[i];
        GOOD(spec_add_futurebase(&spec, file, false));
    }
    GOOD(spec_add_futurebase(&spec, "KQvK.cltb", false));
    GOOD(spec_add_futurebase(&spec, "KPvK.cltb", false));
    split.full = oracle;
    struct naive_restricted *solved = build_and_compare(&spec, "case2.cltb", &split);
    make_main("KQPvK");
    struct naive_restricted *whole;
    GOOD(naive_restricted_solve(&whole, &spec, naive_bases_leave, &full));
    d.other = whole;
    GOOD(naive_restricted_each(solved, count_difference, &d));
    fprintf(stderr, "%llu of %llu differ, %llu by outcome, %llu better, %llu from whole queens\n", (unsigned long long)d.from_full, (unsigned long long)d.positions, (unsigned long long)d.other_outcomes, (unsigned long long)d.better, (unsigned long long)d.from_other);
    naive_restricted_free(whole);
    naive_restricted_free(solved);
    for (int i = 0; i < 3; i++)
        naive_restricted_free(half[i]);
}

static int teardown(void **state)
{
    naive_free(oracle);
    return folder_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_case_1),
        cmocka_unit_test(test_case_2),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_whole_en_passant),
    };
    return cmocka_run_group_tests_name("restricted endgames", tests, folder_make, teardown);
}
