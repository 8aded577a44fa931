// test_slow_mates.c - distances to mate and to conversion of four men against the naive oracle: every position of all
// tables
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

TEST(test_four_men)
{
    for (int metric = METRIC_DTM; metric < METRICS; metric++) {
        struct comparing comparing = {.metric = (enum metric)metric};
        GOOD(material_each_pawnless(4, compare_material, &comparing));
        naive_free(comparing.oracle);
    }
}

// With every possible en passant right.
TEST(test_pawns)
{
    static const char *const names[] = {"KQvKP", "KRvKP", "KBvKP", "KNvKP", "KPvKP",
                                        "KQPvK", "KRPvK", "KBPvK", "KNPvK", "KPPvK"};
    static const char *const metrics[] = {"dtm", "dtc"};
    uint64_t slots = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0] * 2; i++) {
        struct naive *oracle = NULL;
        char name[MATERIAL_NAME_MAX];
        snprintf(name, sizeof name, "%s.%s", names[i / 2], metrics[i % 2]);
        slots += compare_table(&oracle, name);
        naive_free(oracle);
    }
    assert_true(slots > 0);
}

TESTS(folder_make, folder_remove)
