// test_slow_pawn_memory.c - tables with pawns of both sides under a limit of memory: the same bytes, whatever leaves it
#include "support/limited_builds.h"

static void test_table(void **state)
{
    check_limits("KPvKP");
    check_interrupted("KPvKP");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table)};
    return cmocka_run_group_tests_name("pawns of both sides and memory", tests, limited_builds_setup, pool_teardown);
}
