// test_slow_stats.c - counting positions of four men: both ways give the same
//
// Like sides with and without pawns, like pawns, distances stored for either side or both, pawns of the side whose
// distances are searched for and of the other one, double steps that may be answered en passant.
#include "support/compare_stats.h"
#include "support/compare_tables.h"
#include "util/threads.h"

static void test_tables(void **state)
{
    static const char *const names[] = {"KPvKP", "KPPvK", "KQvKQ", "KNvKP", "KRPvK", "KNNvK", "KQvKR"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        compare_stats(names[i], false);
}

static void test_both_sides(void **state)
{
    static const char *const names[] = {"KPvKP", "KBvKP", "KRvKN"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        compare_stats(names[i], true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_both_sides),
    };
    return cmocka_run_group_tests_name("statistics, four men", tests, folder_make, folder_remove);
}
