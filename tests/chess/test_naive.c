// test_naive.c - the naive oracle against published counts, and its values against those one ply later
//
// With CLTB_SLOW_TESTS set in the environment it also solves KQvKR, which takes a few seconds.
#include "support/compare_tables.h"

enum { NUMBERS_MAX = 33 };

// Numbers of positions by the side to move: wins in 1, 3, 5, ..., draws, losses in 0, 2, 4, ...
struct counts {
    uint64_t wins[NUMBERS_MAX];
    uint64_t draws;
    uint64_t losses[NUMBERS_MAX];
};

static void compare(const char *name, const struct counts counts[COLOURS], bool flip)
{
    struct naive *oracle = NULL;
    oracle_solve(&oracle, name);
    for (int side = WHITE; side <= BLACK; side++) {
        const struct counts *expected = &counts[flip ? side ^ 1 : side];
        assert_int_equal(naive_count(oracle, side, CLTB_DRAW, 0), expected->draws);
        for (int i = 0; i < NUMBERS_MAX; i++) {
            assert_int_equal(naive_count(oracle, side, CLTB_WIN, 2 * i + 1), expected->wins[i]);
            assert_int_equal(naive_count(oracle, side, CLTB_LOSS, 2 * i), expected->losses[i]);
        }
    }
    if (strlen(name) <= strlen("KQvK"))
        assert_int_equal(naive_inconsistent(oracle), 0);
    naive_free(oracle);
}

static void test_counts(void **state)
{
    static const struct {
        const char *name;
        struct counts counts[COLOURS];
    } facts[] = {
        {"KQvK",
         {{.wins = {2448, 5012, 9064, 19964, 26164, 32064, 32104, 15000, 2680, 8}},
          {.draws = 23048, .losses = {364, 1352, 2956, 7480, 14144, 25484, 39908, 54052, 43800, 11300, 56}}}},
        {"KRvK",
         {{.wins = {1512, 4676, 3852, 1900, 4848, 8708, 11320, 17172, 20088, 19016, 20476, 21480, 17824, 16136, 5244,
                    916}},
          {.draws = 22244,
           .losses = {216, 624, 1948, 648, 1584, 3768, 4728, 5444, 11448, 13672, 15872, 22788, 28732, 33516, 36372,
                      17284, 3056}}}},
        {"KNvK", {{.draws = 205496}, {.draws = 223944}}},
        {"KPvK",
         {{.wins = {112138, 4534, 2286, 2004, 1584, 1238, 812, 320, 28, 16}, .draws = 38368},
          {.draws = 70420, .losses = {0, 85716, 4846, 2180, 1756, 1126, 1016, 718, 230, 8, 8}}}},
        {"KQvKR",
         {{.wins = {3564000, 1461944, 344640, 214840, 181944, 125824, 83212,  62640,  50768,  49856,  56296,
                    68752,   78160,   89316,  102368, 123524, 146636, 168640, 193868, 228248, 263680, 274220,
                    275640,  243640,  187548, 120840, 66424,  28080,  7508,   696,    16},
           .draws = 71704,
           .losses = {2448, 14248, 440}},
          {.wins = {2996344, 91416, 2328},
           .draws = 627960,
           .losses = {10972,  348432, 130768, 119880, 143848, 132788, 115004, 82236,  67964,  58764,  65868,
                      81892,  100036, 110248, 126064, 148836, 190780, 229060, 276364, 338984, 414212, 501352,
                      567996, 613968, 624700, 571192, 438028, 269920, 134320, 43524,  4592,   88}}}},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (strlen(facts[i].name) < sizeof "KvKR" || getenv("CLTB_SLOW_TESTS") != NULL)
            compare(facts[i].name, facts[i].counts, false);
    compare("KvKR", facts[1].counts, true);
}

static void test_query(void **state)
{
    static const struct {
        struct man men[3];
        int side;
        int code;
        struct naive_value value;
    } facts[] = {
        {{{KING, WHITE, 46}, {QUEEN, WHITE, 54}, {KING, BLACK, 63}}, BLACK, 0, {CLTB_LOSS, 0}}, // checkmate
        {{{KING, WHITE, 46}, {QUEEN, WHITE, 14}, {KING, BLACK, 63}}, WHITE, 0, {CLTB_WIN, 1}},  // mates on g7
        {{{KING, WHITE, 45}, {QUEEN, WHITE, 46}, {KING, BLACK, 63}}, BLACK, 0, {CLTB_DRAW, 0}}, // stalemate
        {{{KING, WHITE, 0}, {QUEEN, WHITE, 54}, {KING, BLACK, 63}}, BLACK, 0, {CLTB_DRAW, 0}},  // the queen hangs
        // Black is in check; not solved.
        {{{KING, WHITE, 46}, {QUEEN, WHITE, 54}, {KING, BLACK, 63}}, WHITE, CLTB_E_POSITION, {CLTB_DRAW, 0}},
        {{{KING, WHITE, 0}, {ROOK, WHITE, 10}, {KING, BLACK, 63}}, WHITE, CLTB_E_POSITION, {CLTB_DRAW, 0}},
    };
    struct naive *oracle = NULL;
    struct position p;
    oracle_solve(&oracle, "KQvK");
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct naive_value value = {CLTB_DRAW, 0};
        GOOD(position_set(&p, facts[i].men, 3, facts[i].side));
        assert_int_equal(naive_query(oracle, &p, &value), facts[i].code);
        assert_memory_equal(&value, &facts[i].value, sizeof value);
    }
    naive_free(oracle);
    // No kings, two of one side, only one king.
    oracle = NULL;
    assert_int_equal(position_set(&p, facts[0].men, 0, WHITE), CLTB_E_POSITION);
    static const struct man kings[] = {{KING, WHITE, 0}, {KING, WHITE, 0}, {KING, BLACK, 0}};
    assert_int_equal(naive_solve(&oracle, kings, 3), CLTB_E_USAGE);
    assert_int_equal(naive_solve(&oracle, kings, 1), CLTB_E_USAGE);
    assert_null(oracle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_query)};
    return cmocka_run_group_tests_name("naive oracle", tests, NULL, NULL);
}
