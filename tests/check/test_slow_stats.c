// test_slow_stats.c - counting positions of four men: both ways give the same result
//
// Materials with the same men on both sides, with and without pawns; with identical pawns; with distances stored for
// one side or for both; with pawns of the side whose distances are searched for, and of the other side; with double
// steps that may be answered en passant.
#include "support/compare_tables.h"

static void test_tables(void **state)
{
    static const char *const stored_once[] = {"KPvKP", "KPPvK", "KQvKQ", "KNvKP", "KNNvK"};
    static const char *const both_sides[] = {"KBvKP", "KRvKN"};
    for (size_t i = 0; i < sizeof stored_once / sizeof stored_once[0]; i++)
        compare_stats(stored_once[i], false);
    for (size_t i = 0; i < sizeof both_sides / sizeof both_sides[0]; i++)
        compare_stats(both_sides[i], true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables)};
    return cmocka_run_group_tests_name("statistics, four men", tests, folder_make, folder_remove);
}
