// test_kpvk.c - the smallest table with pawns, every position, against the naive oracle
#include "support/compare_tables.h"

static void test_kpvk(void **state)
{
    struct naive *oracle = NULL;
    assert_int_equal(compare_table(&oracle, "KPvK"), 0);
    // The same men, colours exchanged: the prober turns the board.
    assert_int_equal(compare_table(&oracle, "KvKP"), 0);
    naive_free(oracle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kpvk)};
    return cmocka_run_group_tests_name("KPvK", tests, folder_make, folder_remove);
}
