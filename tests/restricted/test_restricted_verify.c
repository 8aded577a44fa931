// test_restricted_verify.c - the verifier of restricted tables: valid tables pass, and no wrong value does
//
// Tables are built, read back, corrupted in one place and written again.
#include "restricted/support_restricted.h"

#include "restricted/check/stats.h"
#include "restricted/check/verify.h"

enum { CACHE_BYTES = 1 << 24 };

// Two identical rooks in a box, the black king in another one: nothing leaves.
#define BOXES "K[a1-b3] R[a1-d4] R[a1-d4] v K[d4-f8]"
// Symmetric in both diagonals; both kings may be anywhere.
#define QUEEN "K Q v K"

static struct restricted_table *open_table(const char *name)
{
    struct restricted_table *table;
    GOOD(restricted_table_open(&table, file_in_tables(name), CACHE_BYTES));
    return table;
}

static int verify(const char *name, uint64_t sample, uint64_t *positions)
{
    const struct restricted_verify_options options = {.sample = sample, .seed = 3, .pool = test_pool};
    struct restricted_table *table = open_table(name);
    struct restricted_bases *bases;
    GOOD(restricted_bases_open(&bases, restricted_table_spec(table), tables_folder));
    const int code = restricted_verify(table, bases, &options, positions);
    restricted_bases_close(bases);
    restricted_table_close(table);
    return code;
}

static int setup(void **state)
{
    const struct spec queen = spec_of(QUEEN, "");
    const struct spec boxes = spec_of(BOXES, "white discard *\nblack discard *");
    folder_make(state);
    build_restricted(&queen, "queen.cltb");
    build_restricted(&boxes, "boxes.cltb");
    return pool_setup(state);
}

static int teardown(void **state)
{
    pool_teardown(state);
    return folder_remove(state);
}

// ---- valid tables ----

static uint64_t stored_positions(const char *name)
{
    struct restricted_table *table = open_table(name);
    uint64_t sum = 0;
    for (int i = 0; i < TABLE_OUTCOMES; i++)
        sum += restricted_table_info(table)->positions[WHITE][i] + restricted_table_info(table)->positions[BLACK][i];
    restricted_table_close(table);
    return sum;
}

static void test_valid_tables(void **state)
{
    uint64_t positions;
    GOOD(verify("queen.cltb", 0, &positions));
    assert_int_equal(positions, stored_positions("queen.cltb"));
    GOOD(verify("boxes.cltb", 0, &positions));
    assert_int_equal(positions, stored_positions("boxes.cltb"));
    assert_true(positions > 10000);
    GOOD(verify("boxes.cltb", 1000, &positions));
    assert_int_equal(positions, 1000);
}

// Restricting nothing gives the full table: all of KQvK, as in tests/data/histograms-34.tsv.
static void test_counts(void **state)
{
    static struct restricted_stats stats;
    struct restricted_table *table = open_table("queen.cltb");
    GOOD(restricted_stats_count(&stats, table, test_pool));
    restricted_table_close(table);
    assert_int_equal(stats.total[WHITE][CLTB_WIN + 2], 144508);
    assert_int_equal(stats.total[BLACK][CLTB_LOSS + 2], 200896);
    assert_int_equal(stats.total[BLACK][CLTB_DRAW + 2], 23048);
    assert_int_equal(stats.longest[WHITE][CLTB_WIN + 2].plies, 19);
    assert_int_equal(stats.longest[BLACK][CLTB_LOSS + 2].plies, 20);
    assert_int_equal(stats.longest[BLACK][CLTB_WIN + 2].plies, -1);
}

// ---- wrong ones ----

// One entry's other value.
struct corruption {
    uint64_t entry;
    int side;
    uint16_t value;
};

static struct restricted_table *copied_table;
static const struct corruption *copied_corruption; // NULL: none

static uint16_t copied_value(uint32_t slice, int side, uint64_t entry)
{
    const struct corruption *c = copied_corruption;
    const struct restricted_index *index = restricted_table_index(copied_table);
    uint8_t where[SPEC_MEN_MAX];
    static struct position p;
    uint16_t value;
    GOOD(restricted_table_entry(copied_table, slice, side, entry, &value));
    if (!restricted_squares(index, slice, entry, where) || restricted_set(index, where, side, &p) != 0 ||
        !position_legal(&p))
        value = RESTRICTED_ILLEGAL;
    if (c == NULL || c->side != side || c->entry != entry)
        return value;
    assert_int_not_equal(value, c->value);
    assert_int_not_equal(value, RESTRICTED_ILLEGAL);
    return c->value;
}

// Writes a copy of a table of one slice.
static void copy_corrupted(const char *from, const char *to, const struct corruption *corruption)
{
    copied_table = open_table(from);
    copied_corruption = corruption;
    assert_int_equal(restricted_table_index(copied_table)->slices, 1);
    write_formula(file_in_tables(to), restricted_table_spec(copied_table), copied_value, test_pool);
    restricted_table_close(copied_table);
}

static void test_copies_are_valid(void **state)
{
    uint64_t positions;
    copy_corrupted("boxes.cltb", "copy.cltb", NULL);
    GOOD(verify("copy.cltb", 0, &positions));
    copy_corrupted("queen.cltb", "copy.cltb", NULL);
    GOOD(verify("copy.cltb", 0, &positions));
}

static uint64_t entry_of(struct restricted_table *table, const char *fen, uint16_t *value)
{
    static struct position p;
    uint32_t slice;
    uint64_t entry;
    GOOD(fen_read(&p, fen));
    assert_true(restricted_find(restricted_table_index(table), &p, &slice, &entry));
    GOOD(restricted_table_value(table, &p, value));
    return entry;
}

static void check_corrupted(const char *from, struct corruption corruption)
{
    uint64_t positions;
    copy_corrupted(from, "corrupted.cltb", &corruption);
    FAILS(verify("corrupted.cltb", 0, &positions), CLTB_E_MISMATCH, "the table says");
}

// Each part of a value of a few positions, on both sides.
static void test_wrong_values(void **state)
{
    static const char *const fens[] = {"8/8/8/8/8/2k5/8/K5Q1 w - - 0 1", "7k/8/8/8/8/8/5K2/3Q4 b - - 0 1",
                                       "8/8/8/3k4/8/8/1Q6/K7 b - - 0 1", "k7/8/1QK5/8/8/8/8/8 w - - 0 1",
                                       "k7/8/1QK5/8/8/8/8/8 b - - 0 1" /* stalemate */};
    for (size_t i = 0; i < sizeof fens / sizeof fens[0]; i++) {
        struct restricted_table *table = open_table("queen.cltb");
        struct corruption corruption = {.side = strstr(fens[i], " w ") != NULL ? WHITE : BLACK};
        uint16_t right;
        corruption.entry = entry_of(table, fens[i], &right);
        restricted_table_close(table);
        assert_true(i != 4 || right == RESTRICTED_OPEN);
        const uint16_t wrong[] = {right == 0 ? (uint16_t)2 : RESTRICTED_OPEN,
                                  right == 0 ? (uint16_t)3 : (uint16_t)(right ^ 1), (uint16_t)(right + 4),
                                  restricted_code(right & 1, 150)};
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            corruption.value = wrong[k];
            check_corrupted("queen.cltb", corruption);
        }
    }
}

// Of identical rooks in both orders, one is wrong. The other one is what probes find, or it is the wrong one itself.
static void test_wrong_duplicates(void **state)
{
    struct restricted_table *table = open_table("boxes.cltb");
    const struct restricted_index *index = restricted_table_index(table);
    uint8_t where[SPEC_MEN_MAX];
    uint16_t value;
    uint32_t slice;
    uint64_t other;
    const uint64_t entry = entry_of(table, "5k2/8/8/8/3R4/2R5/8/K7 w - - 0 1", &value);
    assert_true(restricted_squares(index, 0, entry, where));
    assert_true(index->spec.man[2].type == ROOK && index->spec.man[3].type == ROOK);
    const uint8_t square = where[2];
    where[2] = where[3];
    where[3] = square;
    assert_true(restricted_place(index, where, &slice, &other));
    assert_int_not_equal(other, entry);
    restricted_table_close(table);
    const uint16_t wrong = value == RESTRICTED_OPEN ? restricted_code(true, 7) : RESTRICTED_OPEN;
    check_corrupted("boxes.cltb", (struct corruption){entry, WHITE, wrong});
    check_corrupted("boxes.cltb", (struct corruption){other, WHITE, wrong});
}

static uint16_t draw(uint32_t slice, int side, uint64_t entry)
{
    return RESTRICTED_OPEN;
}

// A sample of a table that is wrong everywhere: checkmates and mates in one alone give a table of draws away.
static void test_sample_finds(void **state)
{
    const struct spec spec = spec_of(QUEEN, "");
    uint64_t positions;
    write_formula(file_in_tables("draws.cltb"), &spec, draw, test_pool);
    FAILS(verify("draws.cltb", 5000, &positions), CLTB_E_MISMATCH, "the table says draw");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid_tables),     cmocka_unit_test(test_counts),
        cmocka_unit_test(test_copies_are_valid), cmocka_unit_test(test_wrong_values),
        cmocka_unit_test(test_wrong_duplicates), cmocka_unit_test(test_sample_finds),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
