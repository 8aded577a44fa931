// test_restricted_table.c - the table of a restricted endgame as a file: what goes in comes out, and no damage goes
// unnoticed
//
// Values are made up by a formula, so no solver is needed.
#include "restricted/support_restricted.h"
#include "support/corrupt.h"

#include "table/block_cache.h"
#include "util/threads.h"

#include <unistd.h>

// One slice of many blocks; many small ones, some of them only as mirror images; identical pieces; symmetric ones that
// change places.
static const char *const specs[] = {"K Q v K",
                                    "K P v K",
                                    "K[a1-c3] P[f5+] P[g6+] v K P[c4+]",
                                    "K[a1,h1] Q[a-d] Q[e-h] v K[a8,h8]",
                                    "K[e1] R[a-d] R[a-d] R[a-d] v K[e8,d8]",
                                    "K[e1] P[d4+] v K[e8]"};

enum { SPECS = sizeof specs / sizeof specs[0] };

static bool exists(const char *path, const char *suffix)
{
    char name[TEST_PATH_MAX + 8];
    snprintf(name, sizeof name, "%s%s", path, suffix);
    return access(name, F_OK) == 0;
}

// A third are not positions, as many draws; all other values occur.
static uint16_t made_up(uint32_t slice, int side, uint64_t entry)
{
    const uint64_t random = mix(entry * 131 + slice * UINT64_C(2862933555777941757) + (uint64_t)side);
    if (random % 3 == 0)
        return RESTRICTED_ILLEGAL;
    if (random % 3 == 1)
        return RESTRICTED_OPEN;
    return value_code(random >> 8 & 1, (int)(random >> 16 & TABLE_PLY_MAX));
}

static struct restricted_table *open_table(const char *path, size_t cache_bytes)
{
    struct restricted_table *table;
    GOOD(restricted_table_open(&table, path, cache_bytes));
    return table;
}

static const char *write_named(const char *file, const char *name)
{
    const struct spec spec = spec_of(name, "");
    const char *path = tmp_path(file);
    write_formula(path, &spec, made_up, test_pool);
    assert_false(exists(path, ".part"));
    return path;
}

static void check_slice(struct restricted_table *table, uint32_t slice, int side)
{
    const struct restricted_index *index = &table->index;
    for (uint64_t entry = 0; entry < index->slice_entries; entry++) {
        const uint16_t right = made_up(slice, side, entry);
        uint16_t one;
        GOOD(restricted_table_entry(table, slice, side, entry, &one));
        if (right != RESTRICTED_ILLEGAL)
            assert_int_equal(one, right);
    }
}

TEST(test_round_trip)
{
    for (int i = 0; i < SPECS; i++) {
        struct restricted_table *table = open_table(write_named("round.cltb", specs[i]), i % 2 == 0 ? 0 : 1 << 24);
        const struct restricted_index *index = &table->index;
        for (uint32_t slice = 0; slice < index->slices; slice++) {
            for (int side = WHITE; side <= BLACK; side++)
                check_slice(table, slice, side);
        }
        assert_int_equal(table->info.slices, index->slices);
        assert_int_equal(table->info.entries, index->slices * index->slice_entries);
        GOOD(value_file_check(&table->file, test_pool));
        restricted_table_close(table);
    }
}

// Every entry's position is found where the index says.
TEST(test_positions)
{
    static struct position p;
    uint64_t positions = 0;
    struct restricted_table *table = open_table(write_named("positions.cltb", specs[2]), 1 << 24);
    const struct restricted_index *index = &table->index;
    for (uint32_t slice = 0; slice < index->slices; slice++) {
        for (uint64_t entry = 0; entry < index->slice_entries; entry++) {
            uint8_t where[SPEC_MEN_MAX];
            const int side = (int)(entry & 1);
            uint16_t value;
            if (!restricted_squares(index, slice, entry, where) || made_up(slice, side, entry) == RESTRICTED_ILLEGAL)
                continue;
            GOOD(restricted_set(index, where, side, &p));
            GOOD(restricted_table_value(table, &p, &value));
            assert_int_equal(value, made_up(slice, side, entry)); // each position has one entry
            positions++;
        }
    }
    assert_true(positions > 5000);
    restricted_table_close(table);
}

TEST(test_outside_the_set)
{
    static struct position p;
    uint16_t value;
    const char *path = write_named("outside.cltb", specs[5]);
    struct restricted_table *table = open_table(path, 0);
    GOOD(fen_read(&p, "4k3/8/8/8/2P5/8/8/4K3 w - - 0 1")); // the pawn has d4 to d7
    FAILS(restricted_table_value(table, &p, &value), CLTB_E_POSITION, "outside");
    assert_non_null(strstr(error_text(), path));
    restricted_table_close(table);
}

TEST(test_figures)
{
    static const int longest[TABLE_OUTCOMES] = {100, 2047, -1, 2047, 100};
    const char *path = write_named("figures.cltb", specs[0]);
    struct restricted_table *table = open_table(path, 0);
    const struct restricted_info *info = &table->info;
    uint64_t count[COLOURS][TABLE_OUTCOMES] = {{0}};
    for (int side = WHITE; side <= BLACK; side++) {
        for (uint64_t entry = 0; entry < info->entries; entry++) {
            const uint16_t code = made_up(0, side, entry);
            if (code == RESTRICTED_ILLEGAL)
                continue;
            const int ply = code / 2 - 1;
            const int slot = code == 0 ? 2 : code % 2 == 1 ? (ply > 100 ? 3 : 4) : (ply > 100 ? 1 : 0);
            count[side][slot]++;
        }
        assert_memory_equal(info->figures.longest[side], longest, sizeof longest);
        assert_true(info->value_bytes[side] > 1000);
    }
    uint64_t bytes;
    assert_memory_equal(info->figures.positions, count, sizeof count);
    GOOD(container_size(path, &bytes));
    assert_int_equal(info->file_bytes, bytes);
    restricted_table_close(table);
}

TEST(test_values)
{
    // Codes, outcomes, plies.
    static const int facts[][3] = {{0, CLTB_DRAW, 0},
                                   {1, CLTB_DRAW, 0},
                                   {2, CLTB_LOSS, 0},
                                   {3, CLTB_WIN, 0},
                                   {5, CLTB_WIN, 1},
                                   {202, CLTB_LOSS, 100},
                                   {203, CLTB_WIN, 100},
                                   {204, CLTB_BLESSED_LOSS, 101},
                                   {205, CLTB_CURSED_WIN, 101},
                                   {4097, CLTB_CURSED_WIN, 2047}};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct cltb_value value = value_of_code((uint16_t)facts[i][0]);
        assert_int_equal(value.outcome, facts[i][1]);
        assert_int_equal(value.dtz, facts[i][2]);
    }
}

// The file keeps all of the spec, rules and futurebases too.
TEST(test_spec_is_kept)
{
    struct spec spec = spec_of(specs[2], "white discard P=[RNB]\nblack concede KxP");
    GOOD(spec_add_futurebase(&spec, "sub/KPvK.cltb", false));
    GOOD(spec_add_futurebase(&spec, "KQPvKP.cltb", true));
    const char *path = tmp_path("spec.cltb");
    write_formula(path, &spec, made_up, test_pool);
    struct restricted_table *table = open_table(path, 0);
    assert_memory_equal(&table->index.spec, &spec, sizeof spec);
    restricted_table_close(table);
}

// Any number of threads writes the same.
TEST(test_thread_counts)
{
    const struct spec spec = spec_of(specs[0], "");
    const struct bytes two = read_file(write_named("two.cltb", specs[0]));
    for (int threads = 1; threads <= 5; threads += 2) {
        struct thread_pool *other;
        const char *path = tmp_path("other.cltb");
        GOOD(threads_open(&other, threads));
        write_formula(path, &spec, made_up, other);
        threads_close(other);
        const struct bytes again = read_file(path);
        assert_int_equal(again.size, two.size);
        assert_memory_equal(again.data, two.data, two.size);
        free(again.data);
    }
    free(two.data);
}

// Opens the file and looks at all of it. The code of the first fault, or 0.
static int look_at(const char *path)
{
    struct restricted_table *table;
    int code = restricted_table_open(&table, path, 0);
    if (code == 0)
        code = value_file_check(&table->file, test_pool);
    restricted_table_close(table);
    return code;
}

TEST(test_damage)
{
    damage_is_noticed(write_named("small.cltb", "K[e1] Q[d1,d2] v K[e8,h8]"), 1, look_at);
    damage_is_noticed(write_named("good.cltb", specs[2]), 997, look_at);
    damage_is_noticed(write_named("good.cltb", specs[5]), 97, look_at);
}

TEST(test_corruptions)
{
    static const struct corruption corruptions[] = {
        {.key = "restricted", .line = "restricted 2", .code = CLTB_E_FOREIGN},
        {.key = "restricted", .line = "restricted x", .code = CLTB_E_FOREIGN},
        {.key = "game", .line = "game dobutsu", .code = CLTB_E_FOREIGN},
        {.key = "metric", .line = "metric dtm"},
        {.from = "positions-b ", .to = "positions-b x"},
        {.from = "longest-w ", .to = "longest "},
        {.from = "\nspec\n", .to = "\nspec\nnonsense\n"},
        {.from = "\nspec\n", .to = "\nspecs\n", .saying = "it has no spec"},
        {.from = "d4", .to = "d3"}, // more slices than are stored
        {.from = "d4", .to = "d5"}, // fewer
        {.drop = "value-b", .saying = "a stream is missing"},
        {.stream = "value-w", .more_symbols = 1, .saying = "a stream has the wrong length"},
        {.stream = "*", .fill = true, .symbol = RESTRICTED_DRAW, .saying = "a value is out of range"},
        {.stream = "*", .fill = true, .symbol = 4098, .saying = "a value is out of range"},
        {.stream = "*", .fill = true, .symbol = RESTRICTED_ILLEGAL, .saying = "a value is out of range"},
    };
    const size_t count = sizeof corruptions / sizeof corruptions[0];
    const char *valid = write_named("valid.cltb", specs[5]);
    corruptions_are_refused(valid, corruptions, count, look_at);
    for (size_t i = count - 3; i < count; i++) { // a probe, given wrong values
        const char *path = tmp_path("wrong.cltb");
        uint16_t value;
        write_corrupted(path, valid, &corruptions[i]);
        struct restricted_table *table = open_table(path, 0);
        assert_int_equal(restricted_table_entry(table, 0, WHITE, 0, &value), CLTB_E_CORRUPT);
        restricted_table_close(table);
    }
}

TEST(test_foreign)
{
    static const struct {
        const char *text;
        int code;
        const char *says;
    } others[] = {{"game chess\nmetric dtz\nmaterial KQvKR\n", CLTB_E_FOREIGN, "KQvKR"},
                  {"game dobutsu\n", CLTB_E_FOREIGN, "dobutsu"},
                  {"game chess\nmetric dtz\n", CLTB_E_CORRUPT, "which endgame"}};
    struct table *table;
    struct block_cache *cache;
    const char *path = write_named("foreign.cltb", specs[5]);
    GOOD(block_cache_open(&cache, 0));
    FAILS(table_open(&table, path, cache), CLTB_E_FOREIGN, "is a restricted table");
    assert_non_null(strstr(error_text(), path));
    block_cache_close(cache);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        path = tmp_path("full.cltb");
        write_properties(path, others[i].text);
        assert_int_equal(look_at(path), others[i].code);
        assert_non_null(strstr(error_text(), path));
        assert_non_null(strstr(error_text(), others[i].says));
    }
}

TEST(test_writer_faults)
{
    struct restricted_index index = index_of(specs[5]);
    struct restricted_writer *writer;
    const char *path = tmp_path("fault.cltb");
    assert_true(index.slices > 1);
    uint16_t *value[COLOURS] = {formula_values(&index, 1, WHITE, made_up), formula_values(&index, 1, BLACK, made_up)};
    unlink(path);
    GOOD(restricted_writer_open(&writer, path, &index));
    assert_true(exists(path, ".part"));
    GOOD(write_slice(writer, 1, value, test_pool));
    assert_int_equal(write_slice(writer, 1, value, test_pool), CLTB_E_USAGE); // again
    assert_int_equal(write_slice(writer, index.slices, value, test_pool), CLTB_E_USAGE);
    value[BLACK][0] = RESTRICTED_DRAW;
    assert_int_equal(write_slice(writer, 0, value, test_pool), CLTB_E_MISMATCH);
    value[BLACK][0] = 4098;
    assert_int_equal(write_slice(writer, 0, value, test_pool), CLTB_E_MISMATCH);
    assert_int_equal(restricted_writer_finish(writer), CLTB_E_USAGE); // slices are missing
    assert_false(exists(path, ""));
    assert_false(exists(path, ".part"));
    GOOD(restricted_writer_open(&writer, path, &index));
    restricted_writer_abandon(writer);
    assert_false(exists(path, ".part"));
    restricted_writer_abandon(NULL);
    assert_int_equal(restricted_writer_open(&writer, "/nowhere/x.cltb", &index), CLTB_E_IO);
    assert_null(writer);
    free(value[WHITE]);
    free(value[BLACK]);
    restricted_index_close(&index);
}

TESTS(pool_setup, pool_teardown)
