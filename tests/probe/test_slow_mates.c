// test_slow_mates.c - distances to mate and to conversion of four men against the naive oracle: every position of all
// tables without pawns, and of two with pawns
#include "support/compare_tables.h"

struct comparing {
    struct naive *oracle;
    enum metric metric;
};

static int compare_material(void *context, const struct material *material)
{
    struct comparing *comparing = context;
    struct material table = *material;
    char name[MATERIAL_NAME_MAX];
    table.metric = (uint8_t)comparing->metric;
    compare_table(&comparing->oracle, material_name(&table, name));
    return 0;
}

static void test_four_men(void **state)
{
    for (int metric = METRIC_DTM; metric < METRICS; metric++) {
        struct comparing comparing = {.metric = (enum metric)metric};
        GOOD(material_each_pawnless(4, compare_material, &comparing));
        naive_free(comparing.oracle);
    }
}

// With every possible en passant right.
static void test_pawns(void **state)
{
    static const char *const names[][2] = {{"KRvKP.dtm", "KPvKP.dtm"}, {"KRvKP.dtc", "KPvKP.dtc"}};
    for (int i = 0; i < 2; i++) {
        struct naive *oracle = NULL;
        compare_table(&oracle, names[i][0]);
        assert_true(compare_table(&oracle, names[i][1]) > 0);
        naive_free(oracle);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_four_men), cmocka_unit_test(test_pawns)};
    return cmocka_run_group_tests_name("distances to mate, four men", tests, folder_make, folder_remove);
}
