// test_slow_mates.c - distances to mate of four men against the naive oracle: every position of all tables without
// pawns, and of two with pawns
#include "support/compare_tables.h"

static int compare_material(void *context, const struct material *material)
{
    struct material mates = *material;
    char name[MATERIAL_NAME_MAX];
    mates.metric = METRIC_DTM;
    compare_table(context, material_name(&mates, name));
    return 0;
}

static void test_four_men(void **state)
{
    struct naive *oracle = NULL;
    GOOD(material_each_pawnless(4, compare_material, &oracle));
    naive_free(oracle);
}

// With every en passant right there can be.
static void test_pawns(void **state)
{
    struct naive *oracle = NULL;
    compare_table(&oracle, "KRvKP.dtm");
    assert_true(compare_table(&oracle, "KPvKP.dtm") > 0);
    naive_free(oracle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_four_men), cmocka_unit_test(test_pawns)};
    return cmocka_run_group_tests_name("distances to mate, four men", tests, folder_make, folder_remove);
}
