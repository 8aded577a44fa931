// test_naive.c - the naive oracle against published counts, and against itself by one ply
//
// With CLTB_SLOW_TESTS set in the environment it also solves KQvKR (a few seconds).
#include "oracle/naive.h"
#include "util/error.h"

#include "support/support.h"

static const struct man queen[] = {{KING, WHITE, 0}, {QUEEN, WHITE, 0}, {KING, BLACK, 0}};
static const struct man black_rook[] = {{KING, WHITE, 0}, {KING, BLACK, 0}, {ROOK, BLACK, 0}};
static const struct man rook[] = {{KING, WHITE, 0}, {ROOK, WHITE, 0}, {KING, BLACK, 0}};
static const struct man knight[] = {{KING, WHITE, 0}, {KNIGHT, WHITE, 0}, {KING, BLACK, 0}};
static const struct man pawn[] = {{KING, WHITE, 0}, {PAWN, WHITE, 0}, {KING, BLACK, 0}};
static const struct man queen_rook[] = {{KING, WHITE, 0}, {QUEEN, WHITE, 0}, {KING, BLACK, 0}, {ROOK, BLACK, 0}};

struct fact {
    int side;
    enum cltb_outcome outcome;
    int dtz;
    uint64_t count;
};

static void compare(const struct man *men, int count, const struct fact *facts, size_t n)
{
    struct naive *oracle = NULL;
    if (naive_solve(&oracle, men, count) != 0)
        fail_msg("%s", error_text());
    for (size_t i = 0; i < n; i++) {
        uint64_t found = naive_count(oracle, facts[i].side, facts[i].outcome, facts[i].dtz);
        if (found != facts[i].count)
            fail_msg("side %d outcome %d dtz %d: %llu, not %llu", facts[i].side, (int)facts[i].outcome, facts[i].dtz,
                     (unsigned long long)found, (unsigned long long)facts[i].count);
    }
    if (count <= 3)
        assert_int_equal(naive_inconsistent(oracle), 0);
    naive_free(oracle);
}

#define COMPARE(men, facts) compare(men, (int)(sizeof men / sizeof men[0]), facts, sizeof facts / sizeof facts[0])

static void test_queen(void **context)
{
    (void)context;
    static const struct fact facts[] = {
        {WHITE, CLTB_WIN, 1, 2448},    {WHITE, CLTB_WIN, 3, 5012},    {WHITE, CLTB_WIN, 5, 9064},
        {WHITE, CLTB_WIN, 7, 19964},   {WHITE, CLTB_WIN, 9, 26164},   {WHITE, CLTB_WIN, 11, 32064},
        {WHITE, CLTB_WIN, 13, 32104},  {WHITE, CLTB_WIN, 15, 15000},  {WHITE, CLTB_WIN, 17, 2680},
        {WHITE, CLTB_WIN, 19, 8},      {BLACK, CLTB_DRAW, 0, 23048},  {BLACK, CLTB_LOSS, 0, 364},
        {BLACK, CLTB_LOSS, 2, 1352},   {BLACK, CLTB_LOSS, 4, 2956},   {BLACK, CLTB_LOSS, 6, 7480},
        {BLACK, CLTB_LOSS, 8, 14144},  {BLACK, CLTB_LOSS, 10, 25484}, {BLACK, CLTB_LOSS, 12, 39908},
        {BLACK, CLTB_LOSS, 14, 54052}, {BLACK, CLTB_LOSS, 16, 43800}, {BLACK, CLTB_LOSS, 18, 11300},
        {BLACK, CLTB_LOSS, 20, 56},
    };
    COMPARE(queen, facts);
}

static void test_rook(void **context)
{
    (void)context;
    static const struct fact facts[] = {
        {WHITE, CLTB_WIN, 1, 1512},    {WHITE, CLTB_WIN, 3, 4676},    {WHITE, CLTB_WIN, 5, 3852},
        {WHITE, CLTB_WIN, 7, 1900},    {WHITE, CLTB_WIN, 9, 4848},    {WHITE, CLTB_WIN, 11, 8708},
        {WHITE, CLTB_WIN, 13, 11320},  {WHITE, CLTB_WIN, 15, 17172},  {WHITE, CLTB_WIN, 17, 20088},
        {WHITE, CLTB_WIN, 19, 19016},  {WHITE, CLTB_WIN, 21, 20476},  {WHITE, CLTB_WIN, 23, 21480},
        {WHITE, CLTB_WIN, 25, 17824},  {WHITE, CLTB_WIN, 27, 16136},  {WHITE, CLTB_WIN, 29, 5244},
        {WHITE, CLTB_WIN, 31, 916},    {BLACK, CLTB_DRAW, 0, 22244},  {BLACK, CLTB_LOSS, 0, 216},
        {BLACK, CLTB_LOSS, 2, 624},    {BLACK, CLTB_LOSS, 4, 1948},   {BLACK, CLTB_LOSS, 6, 648},
        {BLACK, CLTB_LOSS, 8, 1584},   {BLACK, CLTB_LOSS, 10, 3768},  {BLACK, CLTB_LOSS, 12, 4728},
        {BLACK, CLTB_LOSS, 14, 5444},  {BLACK, CLTB_LOSS, 16, 11448}, {BLACK, CLTB_LOSS, 18, 13672},
        {BLACK, CLTB_LOSS, 20, 15872}, {BLACK, CLTB_LOSS, 22, 22788}, {BLACK, CLTB_LOSS, 24, 28732},
        {BLACK, CLTB_LOSS, 26, 33516}, {BLACK, CLTB_LOSS, 28, 36372}, {BLACK, CLTB_LOSS, 30, 17284},
        {BLACK, CLTB_LOSS, 32, 3056},
    };
    COMPARE(rook, facts);
}

static void test_black_rook(void **context)
{
    (void)context;
    static const struct fact facts[] = {
        {BLACK, CLTB_WIN, 1, 1512},    {BLACK, CLTB_WIN, 3, 4676},    {BLACK, CLTB_WIN, 5, 3852},
        {BLACK, CLTB_WIN, 7, 1900},    {BLACK, CLTB_WIN, 9, 4848},    {BLACK, CLTB_WIN, 11, 8708},
        {BLACK, CLTB_WIN, 13, 11320},  {BLACK, CLTB_WIN, 15, 17172},  {BLACK, CLTB_WIN, 17, 20088},
        {BLACK, CLTB_WIN, 19, 19016},  {BLACK, CLTB_WIN, 21, 20476},  {BLACK, CLTB_WIN, 23, 21480},
        {BLACK, CLTB_WIN, 25, 17824},  {BLACK, CLTB_WIN, 27, 16136},  {BLACK, CLTB_WIN, 29, 5244},
        {BLACK, CLTB_WIN, 31, 916},    {WHITE, CLTB_DRAW, 0, 22244},  {WHITE, CLTB_LOSS, 0, 216},
        {WHITE, CLTB_LOSS, 2, 624},    {WHITE, CLTB_LOSS, 4, 1948},   {WHITE, CLTB_LOSS, 6, 648},
        {WHITE, CLTB_LOSS, 8, 1584},   {WHITE, CLTB_LOSS, 10, 3768},  {WHITE, CLTB_LOSS, 12, 4728},
        {WHITE, CLTB_LOSS, 14, 5444},  {WHITE, CLTB_LOSS, 16, 11448}, {WHITE, CLTB_LOSS, 18, 13672},
        {WHITE, CLTB_LOSS, 20, 15872}, {WHITE, CLTB_LOSS, 22, 22788}, {WHITE, CLTB_LOSS, 24, 28732},
        {WHITE, CLTB_LOSS, 26, 33516}, {WHITE, CLTB_LOSS, 28, 36372}, {WHITE, CLTB_LOSS, 30, 17284},
        {WHITE, CLTB_LOSS, 32, 3056},
    };
    COMPARE(black_rook, facts);
}

static void test_knight(void **context)
{
    (void)context;
    static const struct fact facts[] = {
        {WHITE, CLTB_DRAW, 0, 205496},
        {BLACK, CLTB_DRAW, 0, 223944},
    };
    COMPARE(knight, facts);
}

static void test_pawn(void **context)
{
    (void)context;
    static const struct fact facts[] = {
        {WHITE, CLTB_WIN, 1, 112138}, {WHITE, CLTB_WIN, 3, 4534},   {WHITE, CLTB_WIN, 5, 2286},
        {WHITE, CLTB_WIN, 7, 2004},   {WHITE, CLTB_WIN, 9, 1584},   {WHITE, CLTB_WIN, 11, 1238},
        {WHITE, CLTB_WIN, 13, 812},   {WHITE, CLTB_WIN, 15, 320},   {WHITE, CLTB_WIN, 17, 28},
        {WHITE, CLTB_WIN, 19, 16},    {WHITE, CLTB_DRAW, 0, 38368}, {BLACK, CLTB_DRAW, 0, 70420},
        {BLACK, CLTB_LOSS, 2, 85716}, {BLACK, CLTB_LOSS, 4, 4846},  {BLACK, CLTB_LOSS, 6, 2180},
        {BLACK, CLTB_LOSS, 8, 1756},  {BLACK, CLTB_LOSS, 10, 1126}, {BLACK, CLTB_LOSS, 12, 1016},
        {BLACK, CLTB_LOSS, 14, 718},  {BLACK, CLTB_LOSS, 16, 230},  {BLACK, CLTB_LOSS, 18, 8},
        {BLACK, CLTB_LOSS, 20, 8},
    };
    COMPARE(pawn, facts);
}

static void test_queen_rook(void **context)
{
    (void)context;
    if (getenv("CLTB_SLOW_TESTS") == NULL)
        skip();
    static const struct fact facts[] = {
        {WHITE, CLTB_WIN, 1, 3564000},  {WHITE, CLTB_WIN, 3, 1461944},  {WHITE, CLTB_WIN, 5, 344640},
        {WHITE, CLTB_WIN, 7, 214840},   {WHITE, CLTB_WIN, 9, 181944},   {WHITE, CLTB_WIN, 11, 125824},
        {WHITE, CLTB_WIN, 13, 83212},   {WHITE, CLTB_WIN, 15, 62640},   {WHITE, CLTB_WIN, 17, 50768},
        {WHITE, CLTB_WIN, 19, 49856},   {WHITE, CLTB_WIN, 21, 56296},   {WHITE, CLTB_WIN, 23, 68752},
        {WHITE, CLTB_WIN, 25, 78160},   {WHITE, CLTB_WIN, 27, 89316},   {WHITE, CLTB_WIN, 29, 102368},
        {WHITE, CLTB_WIN, 31, 123524},  {WHITE, CLTB_WIN, 33, 146636},  {WHITE, CLTB_WIN, 35, 168640},
        {WHITE, CLTB_WIN, 37, 193868},  {WHITE, CLTB_WIN, 39, 228248},  {WHITE, CLTB_WIN, 41, 263680},
        {WHITE, CLTB_WIN, 43, 274220},  {WHITE, CLTB_WIN, 45, 275640},  {WHITE, CLTB_WIN, 47, 243640},
        {WHITE, CLTB_WIN, 49, 187548},  {WHITE, CLTB_WIN, 51, 120840},  {WHITE, CLTB_WIN, 53, 66424},
        {WHITE, CLTB_WIN, 55, 28080},   {WHITE, CLTB_WIN, 57, 7508},    {WHITE, CLTB_WIN, 59, 696},
        {WHITE, CLTB_WIN, 61, 16},      {WHITE, CLTB_DRAW, 0, 71704},   {WHITE, CLTB_LOSS, 0, 2448},
        {WHITE, CLTB_LOSS, 2, 14248},   {WHITE, CLTB_LOSS, 4, 440},     {BLACK, CLTB_WIN, 1, 2996344},
        {BLACK, CLTB_WIN, 3, 91416},    {BLACK, CLTB_WIN, 5, 2328},     {BLACK, CLTB_DRAW, 0, 627960},
        {BLACK, CLTB_LOSS, 0, 10972},   {BLACK, CLTB_LOSS, 2, 348432},  {BLACK, CLTB_LOSS, 4, 130768},
        {BLACK, CLTB_LOSS, 6, 119880},  {BLACK, CLTB_LOSS, 8, 143848},  {BLACK, CLTB_LOSS, 10, 132788},
        {BLACK, CLTB_LOSS, 12, 115004}, {BLACK, CLTB_LOSS, 14, 82236},  {BLACK, CLTB_LOSS, 16, 67964},
        {BLACK, CLTB_LOSS, 18, 58764},  {BLACK, CLTB_LOSS, 20, 65868},  {BLACK, CLTB_LOSS, 22, 81892},
        {BLACK, CLTB_LOSS, 24, 100036}, {BLACK, CLTB_LOSS, 26, 110248}, {BLACK, CLTB_LOSS, 28, 126064},
        {BLACK, CLTB_LOSS, 30, 148836}, {BLACK, CLTB_LOSS, 32, 190780}, {BLACK, CLTB_LOSS, 34, 229060},
        {BLACK, CLTB_LOSS, 36, 276364}, {BLACK, CLTB_LOSS, 38, 338984}, {BLACK, CLTB_LOSS, 40, 414212},
        {BLACK, CLTB_LOSS, 42, 501352}, {BLACK, CLTB_LOSS, 44, 567996}, {BLACK, CLTB_LOSS, 46, 613968},
        {BLACK, CLTB_LOSS, 48, 624700}, {BLACK, CLTB_LOSS, 50, 571192}, {BLACK, CLTB_LOSS, 52, 438028},
        {BLACK, CLTB_LOSS, 54, 269920}, {BLACK, CLTB_LOSS, 56, 134320}, {BLACK, CLTB_LOSS, 58, 43524},
        {BLACK, CLTB_LOSS, 60, 4592},   {BLACK, CLTB_LOSS, 62, 88},
    };
    COMPARE(queen_rook, facts);
}

static void test_query(void **context)
{
    (void)context;
    static const struct man mate[] = {{KING, WHITE, 46}, {QUEEN, WHITE, 54}, {KING, BLACK, 63}};       // Kg6, Qg7, kh8
    static const struct man mates_in_1[] = {{KING, WHITE, 46}, {QUEEN, WHITE, 14}, {KING, BLACK, 63}}; // Kg6, Qg2, kh8
    static const struct man stalemate[] = {{KING, WHITE, 45}, {QUEEN, WHITE, 46}, {KING, BLACK, 63}};  // Kf6, Qg6, kh8
    static const struct man hanging[] = {{KING, WHITE, 0}, {QUEEN, WHITE, 54}, {KING, BLACK, 63}};     // Ka1, Qg7, kh8
    static const struct {
        const struct man *men;
        int side;
        enum cltb_outcome outcome;
        int dtz;
    } facts[] = {
        {mate, BLACK, CLTB_LOSS, 0},
        {mates_in_1, WHITE, CLTB_WIN, 1},
        {stalemate, BLACK, CLTB_DRAW, 0},
        {hanging, BLACK, CLTB_DRAW, 0},
    };
    struct naive *oracle = NULL;
    struct position p;
    struct naive_value value;
    assert_int_equal(naive_solve(&oracle, queen, 3), 0);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        assert_int_equal(position_set(&p, facts[i].men, 3, facts[i].side), 0);
        assert_int_equal(naive_query(oracle, &p, &value), 0);
        assert_int_equal(value.outcome, facts[i].outcome);
        assert_int_equal(value.dtz, facts[i].dtz);
    }
    assert_int_equal(position_set(&p, mate, 3, WHITE), 0); // Black in check
    assert_int_equal(naive_query(oracle, &p, &value), CLTB_E_POSITION);
    static const struct man other[] = {{KING, WHITE, 0}, {ROOK, WHITE, 10}, {KING, BLACK, 63}};
    assert_int_equal(position_set(&p, other, 3, WHITE), 0);
    assert_int_equal(naive_query(oracle, &p, &value), CLTB_E_POSITION);
    assert_int_equal(position_set(&p, queen_rook, 0, WHITE), CLTB_E_POSITION);
    naive_free(oracle);
}

static void test_refused(void **context)
{
    (void)context;
    static const struct man kings[] = {{KING, WHITE, 0}, {KING, WHITE, 0}, {KING, BLACK, 0}};
    struct naive *oracle = NULL;
    assert_int_equal(naive_solve(&oracle, kings, 3), CLTB_E_USAGE);
    assert_int_equal(naive_solve(&oracle, queen, 1), CLTB_E_USAGE);
    assert_null(oracle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queen),  cmocka_unit_test(test_rook),    cmocka_unit_test(test_black_rook),
        cmocka_unit_test(test_knight), cmocka_unit_test(test_pawn),    cmocka_unit_test(test_queen_rook),
        cmocka_unit_test(test_query),  cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("naive oracle", tests, NULL, NULL);
}
