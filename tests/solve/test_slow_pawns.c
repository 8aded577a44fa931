// test_slow_pawns.c - every position of tables of four men with pawns, against the naive oracle
//
// One pawn a side (en passant, with and without the right to capture), two on one side, one beside a piece of either
// side: every kind of slice, promotion and capture that four men have. KPPvK only with CLTB_TEST_LONG.
#include "support/compare_tables.h"

static struct naive *oracle;

static const struct endgame {
    const char *name;
    bool seldom;
    uint64_t slots; // positions with a slot and a legal capture
} endgames[] = {{"KPvKP", false, 43786}, {"KPPvK", true, 0}, {"KRvKP", false, 0}, {"KBPvK", false, 0}};

static void test_endgame(void **state)
{
    const struct endgame *endgame = *state;
    if (endgame->seldom && getenv("CLTB_TEST_LONG") == NULL)
        skip();
    assert_int_equal(compare_table(&oracle, endgame->name), endgame->slots);
}

static int teardown(void **state)
{
    naive_free(oracle);
    return folder_remove(state);
}

int main(void)
{
    struct CMUnitTest tests[4];
    for (int i = 0; i < 4; i++)
        tests[i] = (struct CMUnitTest){endgames[i].name, test_endgame, NULL, NULL, (void *)(uintptr_t)&endgames[i]};
    return cmocka_run_group_tests_name("pawns, four men", tests, folder_make, teardown);
}
