// test_restricted_verify.c - the verifier of restricted tables: right tables pass, and no wrong value does
//
// Tables are built, read back, spoilt in one place and written again.
#include "support/support.h"

#include "restricted/check/stats.h"
#include "restricted/check/verify.h"
#include "restricted/make/build.h"
#include "util/error.h"

#include <unistd.h>

enum { PATHS_MAX = 600, CACHE_BYTES = 1 << 24 };

static struct thread_pool *pool;
static struct spec spec;

// Two like rooks in a box, the black king in another one: nothing leaves.
#define BOXES "K[a1-b3] R[a1-d4] R[a1-d4] v K[d4-f8]"
// Symmetric at both diagonals; both kings may be anywhere.
#define QUEEN "K Q v K"

static const char *folder(void)
{
    const char *path = getenv("CLTB_TEST_TMP");
    return path == NULL ? "." : path;
}

static const char *path_of(const char *name)
{
    static char paths[4][PATHS_MAX];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, PATHS_MAX, "%s/%s", folder(), name);
    return path;
}

static void read_spec(const char *text, bool rules)
{
    GOOD(spec_read(&spec, text));
    for (int colour = WHITE; rules && colour <= BLACK; colour++)
        GOOD(spec_add_rule(&spec, colour, SPEC_DISCARD, "*"));
    GOOD(spec_finish(&spec));
}

static void build(const char *name)
{
    const struct build_options options = {.dir = folder(), .device = "cpu", .threads = 2, .force = true};
    unlink(path_of(name));
    GOOD(restricted_build(&spec, &options, name, NULL));
}

static int verify(const char *name, uint64_t sample, uint64_t *positions)
{
    const struct restricted_verify_options options = {.sample = sample, .seed = 3, .pool = pool};
    struct restricted_table *table;
    struct restricted_bases *bases;
    GOOD(restricted_table_open(&table, path_of(name), CACHE_BYTES));
    GOOD(restricted_bases_open(&bases, restricted_table_spec(table), folder()));
    const int code = restricted_verify(table, bases, &options, positions);
    restricted_bases_close(bases);
    restricted_table_close(table);
    return code;
}

static int setup(void **state)
{
    (void)state;
    if (threads_open(&pool, 2) != 0)
        return -1;
    read_spec(QUEEN, false);
    build("queen.cltb");
    read_spec(BOXES, true);
    build("boxes.cltb");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    threads_close(pool);
    return 0;
}

// ---- right tables ----

static uint64_t stored_positions(const char *name)
{
    struct restricted_table *table;
    uint64_t sum = 0;
    GOOD(restricted_table_open(&table, path_of(name), 0));
    for (int i = 0; i < TABLE_OUTCOMES; i++)
        sum += restricted_table_info(table)->positions[WHITE][i] + restricted_table_info(table)->positions[BLACK][i];
    restricted_table_close(table);
    return sum;
}

static void test_right_tables(void **state)
{
    (void)state;
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
    (void)state;
    static struct restricted_stats stats;
    struct restricted_table *table;
    GOOD(restricted_table_open(&table, path_of("queen.cltb"), CACHE_BYTES));
    GOOD(restricted_stats_count(&stats, table, pool));
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
struct spoil {
    uint64_t entry;
    int side;
    uint16_t value;
};

// Writes a copy of a table of one slice.
static void copy_spoilt(const char *from, const char *to, const struct spoil *spoil)
{
    struct restricted_table *table;
    struct restricted_writer *writer;
    uint16_t *value[COLOURS];
    GOOD(restricted_table_open(&table, path_of(from), 0));
    const struct restricted_index *index = restricted_table_index(table);
    assert_int_equal(index->slices, 1);
    for (int side = WHITE; side <= BLACK; side++) {
        value[side] = malloc(index->slice_entries * sizeof *value[side]);
        assert_non_null(value[side]);
        GOOD(restricted_table_slice(table, 0, side, value[side]));
        for (uint64_t entry = 0; entry < index->slice_entries; entry++) {
            uint8_t where[SPEC_MEN_MAX];
            static struct position p;
            struct man men[SPEC_MEN_MAX];
            bool legal = restricted_squares(index, 0, entry, where);
            for (int i = 0; i < index->spec.men; i++)
                men[i] = (struct man){index->spec.man[i].type, index->spec.man[i].colour, where[i]};
            legal = legal && position_set(&p, men, index->spec.men, side) == 0 && position_legal(&p);
            if (!legal)
                value[side][entry] = RESTRICTED_ILLEGAL;
        }
    }
    if (spoil != NULL) {
        assert_int_not_equal(value[spoil->side][spoil->entry], spoil->value);
        assert_int_not_equal(value[spoil->side][spoil->entry], RESTRICTED_ILLEGAL);
        value[spoil->side][spoil->entry] = spoil->value;
    }
    GOOD(restricted_writer_open(&writer, path_of(to), index));
    GOOD(restricted_writer_add(writer, 0, value, pool));
    GOOD(restricted_writer_finish(writer));
    free(value[WHITE]);
    free(value[BLACK]);
    restricted_table_close(table);
}

static void test_copies_are_right(void **state)
{
    (void)state;
    uint64_t positions;
    copy_spoilt("boxes.cltb", "copy.cltb", NULL);
    GOOD(verify("copy.cltb", 0, &positions));
    copy_spoilt("queen.cltb", "copy.cltb", NULL);
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

static void check_spoilt(const char *from, struct spoil spoil)
{
    uint64_t positions;
    copy_spoilt(from, "spoilt.cltb", &spoil);
    assert_int_equal(verify("spoilt.cltb", 0, &positions), CLTB_E_MISMATCH);
    assert_non_null(strstr(error_text(), "the table says"));
}

// Each part of a value of a few positions, on both sides.
static void test_wrong_values(void **state)
{
    (void)state;
    static const char *const fens[] = {"8/8/8/8/8/2k5/8/K5Q1 w - - 0 1", "7k/8/8/8/8/8/5K2/3Q4 b - - 0 1",
                                       "8/8/8/3k4/8/8/1Q6/K7 b - - 0 1", "k7/8/1QK5/8/8/8/8/8 w - - 0 1",
                                       "k7/8/1QK5/8/8/8/8/8 b - - 0 1" /* stalemate */};
    struct restricted_table *table;
    struct spoil spoil[sizeof fens / sizeof fens[0]];
    GOOD(restricted_table_open(&table, path_of("queen.cltb"), 0));
    for (size_t i = 0; i < sizeof fens / sizeof fens[0]; i++) {
        spoil[i].side = strstr(fens[i], " w ") != NULL ? WHITE : BLACK;
        spoil[i].entry = entry_of(table, fens[i], &spoil[i].value);
    }
    assert_int_equal(spoil[4].value, RESTRICTED_OPEN);
    restricted_table_close(table);
    for (size_t i = 0; i < sizeof fens / sizeof fens[0]; i++) {
        const uint16_t right = spoil[i].value;
        const uint16_t wrong[] = {right == 0 ? (uint16_t)2 : RESTRICTED_OPEN,
                                  right == 0 ? (uint16_t)3 : (uint16_t)(right ^ 1), (uint16_t)(right + 4),
                                  restricted_code(right & 1, 150)};
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            spoil[i].value = wrong[k];
            check_spoilt("queen.cltb", spoil[i]);
        }
    }
}

// Of like rooks in both orders, one is wrong. The other one is what probes find, or it is the wrong one itself.
static void test_wrong_duplicates(void **state)
{
    (void)state;
    struct restricted_table *table;
    uint16_t value;
    GOOD(restricted_table_open(&table, path_of("boxes.cltb"), 0));
    const struct restricted_index *index = restricted_table_index(table);
    const uint64_t entry = entry_of(table, "5k2/8/8/8/3R4/2R5/8/K7 w - - 0 1", &value);
    uint8_t where[SPEC_MEN_MAX];
    assert_true(restricted_squares(index, 0, entry, where));
    for (int i = 0, last = -1; i < index->spec.men; i++) {
        if (index->spec.man[i].type != ROOK)
            continue;
        if (last >= 0) {
            const uint8_t square = where[i];
            where[i] = where[last];
            where[last] = square;
        }
        last = i;
    }
    uint32_t slice;
    uint64_t other;
    assert_true(restricted_place(index, where, &slice, &other));
    assert_int_not_equal(other, entry);
    restricted_table_close(table);
    const uint16_t wrong = value == RESTRICTED_OPEN ? restricted_code(true, 7) : RESTRICTED_OPEN;
    check_spoilt("boxes.cltb", (struct spoil){entry, WHITE, wrong});
    check_spoilt("boxes.cltb", (struct spoil){other, WHITE, wrong});
}

// A sample of a table that is wrong everywhere.
static void test_sample_finds(void **state)
{
    (void)state;
    struct restricted_table *table;
    struct restricted_writer *writer;
    uint64_t positions;
    GOOD(restricted_table_open(&table, path_of("queen.cltb"), 0));
    const struct restricted_index *index = restricted_table_index(table);
    uint16_t *const value[COLOURS] = {calloc(index->slice_entries, 2), calloc(index->slice_entries, 2)};
    assert_true(value[WHITE] != NULL && value[BLACK] != NULL);
    GOOD(restricted_writer_open(&writer, path_of("draws.cltb"), index));
    GOOD(restricted_writer_add(writer, 0, value, pool));
    GOOD(restricted_writer_finish(writer));
    restricted_table_close(table);
    free(value[WHITE]);
    free(value[BLACK]);
    // Checkmates and mates in one alone give a table of draws away.
    assert_int_equal(verify("draws.cltb", 5000, &positions), CLTB_E_MISMATCH);
    assert_non_null(strstr(error_text(), "the table says draw"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_tables),     cmocka_unit_test(test_counts),
        cmocka_unit_test(test_copies_are_right), cmocka_unit_test(test_wrong_values),
        cmocka_unit_test(test_wrong_duplicates), cmocka_unit_test(test_sample_finds),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
