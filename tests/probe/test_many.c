// test_many.c - cltb_probe_many() with real tables: what it reads, what is missing, more positions than at once
#include "support/compare_tables.h"
#include "support/support.h"

#include <cltb/cltb.h>

#include "check/placements.h"

// Random legal positions of a material in both colours.
static cltb_position *random_positions(const char *name, int count)
{
    struct man man[MATERIAL_MEN_MAX];
    const struct material material = material_named(name);
    const int men = placement_men(&material, man);
    struct position p;
    cltb_position *positions = malloc((size_t)count * sizeof *positions);
    assert_non_null(positions);
    for (int i = 0; i < count;) {
        const uint64_t random = random_u64();
        for (int k = 0; k < men; k++) {
            man[k].square = (uint8_t)(random >> 6 * k & 63);
            man[k].colour ^= (uint8_t)(random >> 40 & 1);
        }
        if (position_set(&p, man, men, (int)(random >> 41 & 1)) == 0 && position_legal(&p))
            public_position(&p, &positions[i++]);
    }
    return positions;
}

// The reads of files that this process has made.
static long reads_made(void)
{
    char text[64];
    long reads = -1;
    FILE *file = fopen("/proc/self/io", "r");
    while (file != NULL && fgets(text, sizeof text, file) != NULL)
        (void)sscanf(text, "syscr: %ld", &reads);
    if (file != NULL)
        fclose(file);
    return reads;
}

// A cache that is too small for the tables, as for large ones every cache is: no unit of outcomes is decoded twice. A
// unit has 8192 entries, and each decoding begins with a read of the file.
TEST(test_units_are_decoded_once)
{
    enum { COUNT = 50000, UNITS = 2 * (10 * 32 + 2 * 10) };
    cltb_position *positions = random_positions("KQvKR", COUNT);
    int8_t *outcomes = malloc(COUNT);
    int outcome;
    cltb_tables *tables;
    assert_non_null(outcomes);
    GOOD(cltb_open(&tables, tables_folder, &(cltb_options){.cache_bytes = 4096}));
    GOOD(cltb_probe_many(tables, positions, 1000, outcomes, NULL)); // opens the tables
    const long before = reads_made();
    GOOD(cltb_probe_many(tables, positions, COUNT, outcomes, NULL));
    const long between = reads_made();
    for (int i = 0; i < COUNT; i++) {
        GOOD(cltb_probe_outcome(tables, &positions[i], &outcome));
        assert_int_equal(outcomes[i], outcome);
    }
    if (before >= 0) {
        assert_in_range(between - before, UNITS / 8, UNITS + 4);
        assert_true(reads_made() - between > 10L * UNITS); // one by one they are
    }
    cltb_close(tables);
    free(positions);
    free(outcomes);
}

TEST(test_missing_tables)
{
    enum { COUNT = 20000 };
    cltb_position *positions = random_positions("KQvKR", COUNT);
    int8_t *outcomes = malloc(COUNT);
    int8_t *some = malloc(COUNT);
    cltb_tables *tables;
    int missing = 0;
    assert_non_null(outcomes);
    assert_non_null(some);
    GOOD(cltb_open(&tables, tables_folder, NULL));
    GOOD(cltb_probe_many(tables, positions, COUNT, outcomes, NULL));
    cltb_close(tables);
    GOOD(rename(table_in(tables_folder, "KRvK"), tmp_path("away")));
    GOOD(cltb_open(&tables, tables_folder, NULL));
    GOOD(cltb_probe_many(tables, positions, COUNT, some, NULL));
    GOOD(rename(tmp_path("away"), table_in(tables_folder, "KRvK")));
    for (int i = 0; i < COUNT; i++) {
        assert_true(some[i] == outcomes[i] || some[i] == CLTB_E_MISSING);
        missing += some[i] == CLTB_E_MISSING;
    }
    assert_in_range(missing, 100, COUNT / 3); // where the queen may be captured, and no other capture wins
    cltb_close(tables);
    free(positions);
    free(outcomes);
    free(some);
}

// Syzygy files, in which outcomes are read at once; with clocks.
TEST(test_syzygy)
{
    enum { COUNT = 2000 };
    cltb_tables *tables;
    int8_t outcomes[COUNT];
    int16_t dtz[COUNT];
    int cursed = 0;
    GOOD(cltb_open(&tables, data_path("syzygy"), NULL));
    for (int k = 0; k < 2; k++) {
        cltb_position *positions = random_positions(k == 0 ? "KRvK" : "KPvK", COUNT);
        for (int i = 0; i < COUNT; i++)
            positions[i].fifty = (uint16_t)(i % 2 * i % 100);
        GOOD(cltb_probe_many(tables, positions, COUNT, outcomes, dtz));
        for (int i = 0; i < COUNT; i++) {
            cltb_value value;
            GOOD(cltb_probe(tables, &positions[i], &value));
            assert_int_equal(outcomes[i], value.outcome);
            assert_int_equal(dtz[i], value.dtz);
            cursed += value.outcome == CLTB_CURSED_WIN;
        }
        free(positions);
    }
    assert_true(cursed > 10);
    cltb_close(tables);
}

TEST(test_more_than_at_once)
{
    enum { COUNT = (1 << 21) + 10 };
    cltb_tables *tables;
    cltb_position *positions = malloc((size_t)COUNT * sizeof *positions);
    int8_t *outcomes = malloc(COUNT);
    cltb_position first;
    cltb_position last;
    assert_non_null(positions);
    assert_non_null(outcomes);
    GOOD(cltb_position_from_fen(&first, "8/8/8/8/8/2k5/8/2K5 w"));
    GOOD(cltb_position_from_fen(&last, "8/8/8/8/8/2k5/8/2K2Q2 b"));
    for (int i = 0; i < COUNT; i++)
        positions[i] = i < COUNT - 5 ? first : last;
    GOOD(cltb_open(&tables, tables_folder, NULL));
    GOOD(cltb_probe_many(tables, positions, COUNT, outcomes, NULL));
    for (int i = 0; i < COUNT; i++)
        if (outcomes[i] != (i < COUNT - 5 ? CLTB_DRAW : CLTB_LOSS))
            fail_msg("position %d: %d", i, outcomes[i]);
    GOOD(cltb_probe_many(tables, positions, 0, outcomes, NULL));
    cltb_close(tables);
    free(positions);
    free(outcomes);
}

TESTS(folder_with_table, folder_remove)
