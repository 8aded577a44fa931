// test_slow_double_step.c - distances to mate: a double step and the reply en passant
#include "support/compare_tables.h"
#include "support/corrupt.h"

#include "check/verify.h"

// A capture en passant counts only if the double step was possible. With the true distances of king and pawn no four
// men show a step onto a king's square, with random ones many do.
TEST(test_double_step_onto_a_king)
{
    static const struct corruption altered = {.stream = "distance-b", .fill = true, .scatter = true, .symbol = 54};
    const struct material material = material_named("KPvKP.dtm");
    struct verify_options options = {.sample = 100000};
    struct verify_result result;
    char valid[TEST_PATH_MAX + 20];
    cltb_tables *tables;
    snprintf(valid, sizeof valid, "%s/KPvK.dtm.cltb", tables_folder);
    make_table("KPvK.dtm", true);
    write_corrupted(tmp_path("altered.cltb"), valid, &altered);
    assert_int_equal(rename(tmp_path("altered.cltb"), valid), 0);
    make_table("KPvKP.dtm", true);
    assert_int_equal(cltb_open(&tables, tables_folder, NULL), 0);
    GOOD(threads_open(&options.pool, 2));
    if (verify_table(tables, &material, &options, &result) != 0)
        fail_msg("%s", error_text());
    threads_close(options.pool);
    cltb_close(tables);
}

TESTS(folder_make, folder_remove)
