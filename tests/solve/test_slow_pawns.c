// test_slow_pawns.c - tables of four men with pawns, every position, against the naive oracle
//
// One pawn a side (en passant, with and without the slot), two on one side, one beside a piece of either side: every
// kind of slice, promotion and capture that four men have. KPPvK only with CLTB_TEST_LONG.
#include "support/compare_tables.h"

static struct naive *oracle;

static void test_kpvkp(void **state)
{
    assert_int_equal(compare_table(&oracle, "KPvKP"), 43786); // positions with a slot and a legal capture
}

static void test_kppvk(void **state)
{
    if (getenv("CLTB_TEST_LONG") == NULL)
        skip();
    assert_int_equal(compare_table(&oracle, "KPPvK"), 0);
}

static void test_krvkp(void **state)
{
    assert_int_equal(compare_table(&oracle, "KRvKP"), 0);
}

static void test_kbpvk(void **state)
{
    assert_int_equal(compare_table(&oracle, "KBPvK"), 0);
}

static int teardown(void **state)
{
    naive_free(oracle);
    return folder_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kpvkp),
        cmocka_unit_test(test_kppvk),
        cmocka_unit_test(test_krvkp),
        cmocka_unit_test(test_kbpvk),
    };
    return cmocka_run_group_tests_name("pawns, four men", tests, folder_make, teardown);
}
