// test_outcome_rows.c - packed outcomes: what goes in comes out
#include "support/support.h"

#include "table/outcome_rows.h"

// Fills a unit with outcomes of a set; about one row in `even` has different ones.
static void make_unit(uint8_t outcomes[OUTCOME_UNIT], unsigned set, int even)
{
    for (size_t row = 0; row < OUTCOME_UNIT; row += OUTCOME_ROW) {
        const bool mixed = random_below(even) == 0;
        for (size_t i = row; i < row + OUTCOME_ROW; i++) {
            if (i > row && !mixed)
                outcomes[i] = outcomes[row];
            else
                do
                    outcomes[i] = (uint8_t)random_below(OUTCOME_VALUES_MAX);
                while ((set >> outcomes[i] & 1) == 0);
        }
    }
}

static void check_unit(const uint8_t outcomes[OUTCOME_UNIT], size_t count, unsigned set)
{
    struct outcome_rows unit;
    const size_t rows = (count + OUTCOME_ROW - 1) / OUTCOME_ROW;
    outcome_rows_pack(&unit, outcomes, count, set);
    assert_in_range(unit.words, 0, OUTCOME_KEPT_MAX);
    assert_int_equal(outcome_rows_last(unit.info), rows - 1);
    bool equal = true;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(outcome_rows_read(unit.info, unit.kinds, unit.kept, i), outcomes[i]);
        equal &= outcomes[i] == outcomes[0];
    }
    for (uint32_t i = (uint32_t)rows * OUTCOME_ROW; i < OUTCOME_UNIT; i += 7)
        assert_int_equal(outcome_rows_read(unit.info, unit.kinds, unit.kept, i), OUTCOME_UNKNOWN);
    if (unit.equal < OUTCOME_VALUES_MAX)
        assert_true(equal && unit.equal == outcomes[0]);
}

TEST(test_every_set)
{
    static uint8_t outcomes[OUTCOME_UNIT];
    static const size_t counts[] = {1, 63, 64, 65, 2048, 2049, 4096, 8191, OUTCOME_UNIT};
    for (unsigned set = 1; set < 1U << OUTCOME_VALUES_MAX; set++) {
        for (int even = 1; even < 300; even = 3 * even + 1) {
            make_unit(outcomes, set, even);
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
                check_unit(outcomes, counts[i], set);
                check_unit(outcomes, counts[i], (1U << OUTCOME_VALUES_MAX) - 1);
            }
        }
    }
}

// A reader may find the kinds of one unit and the rows of another.
TEST(test_reach)
{
    static uint64_t kept[OUTCOME_KEPT_MAX];
    for (int round = 0; round < 100000; round++) {
        uint64_t kinds[OUTCOME_KINDS];
        for (int i = 0; i < OUTCOME_KINDS; i++)
            kinds[i] = random_below(4) == 0 ? UINT64_MAX : random_u64();
        const uint32_t info = (uint32_t)random_u64();
        outcome_rows_read(info, kinds, kept, (uint32_t)random_below(OUTCOME_UNIT)); // with sanitizers: inside
    }
}

TESTS(NULL, NULL)
