// test_syzygy_file.c - reading Syzygy files that are intact, damaged and hostile
#include "support/support.h"
#include "syzygy/support_syzygy.h"

#include "chess/fen.h"
#include "support/corrupt.h"
#include "syzygy/file.h"
#include "table/block_cache.h"
#include "util/threads.h"

#include <unistd.h>

static struct block_cache *cache;

static int set_up(void **state)
{
    GOOD(pool_setup(state));
    return block_cache_open(&cache, 1 << 20);
}

static int tear_down(void **state)
{
    block_cache_close(cache);
    return pool_teardown(state);
}

static int open_bytes(struct syzygy_file **file, const void *bytes, size_t size, const char *name,
                      enum syzygy_kind kind)
{
    const struct material material = material_named(name);
    write_file(memory_file(), bytes, size);
    return syzygy_open(file, memory_file(), kind, &material, cache);
}

static struct position position_of(const char *fen)
{
    struct position p;
    GOOD(fen_read(&p, fen));
    return p;
}

// ---- whole files ----

TEST(test_outcomes)
{
    struct syzygy_file *file;
    GOOD(open_bytes(&file, krvk_rtbw, sizeof krvk_rtbw, "KRvK", SYZYGY_OUTCOMES));
    assert_int_equal(syzygy_file_bytes(file), sizeof krvk_rtbw);
    assert_string_equal(syzygy_path(file), memory_file());
    unsigned value = 9;
    uint64_t draws = 0;
    for (uint64_t index = 0; index < 31332; index++) {
        GOOD(syzygy_value(file, 0, WHITE, index, &value));
        assert_int_equal(value, 4);
        GOOD(syzygy_value(file, 0, BLACK, index, &value));
        assert_true(value == 0 || value == 2);
        assert_true(value == 2 || index < 3913 || index > 3919);
        draws += value == 2;
    }
    assert_int_equal(draws, 9);
    static const struct {
        const char *fen;
        int outcome;
    } facts[] = {
        {"8/8/8/8/8/8/1R6/k1K5 b - - 0 1", 0}, {"8/8/8/8/8/8/1R6/k1K5 w - - 0 1", 2},
        {"8/8/8/8/8/8/8/k1K4R b - - 0 1", -2}, {"K1k5/1r6/8/8/8/8/8/8 w - - 0 1", 0},
        {"5k1K/6r1/8/8/8/8/8/8 w - - 0 1", 0}, {"8/8/8/8/3r4/1k6/8/K7 b - - 0 1", 2},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct position p = position_of(facts[i].fen);
        int outcome = 9;
        GOOD(syzygy_outcome(file, &p, &outcome));
        assert_int_equal(outcome, facts[i].outcome);
    }
    const struct syzygy_shape *shape = syzygy_shape_of(file, 0, BLACK);
    assert_int_equal(shape->values, 31332);
    assert_null(syzygy_shape_of(file, 1, WHITE));
    syzygy_close(file);
}

TEST(test_single_values)
{
    struct syzygy_file *file;
    unsigned value = 9;
    GOOD(open_bytes(&file, knvk_rtbz, sizeof knvk_rtbz, "KNvK", SYZYGY_DISTANCES));
    assert_non_null(syzygy_shape_of(file, 0, WHITE));
    assert_null(syzygy_shape_of(file, 0, BLACK));
    GOOD(syzygy_value(file, 0, WHITE, 31331, &value));
    assert_int_equal(value, 0);
    syzygy_close(file);
}

TEST(test_distances)
{
    static const struct {
        const char *fen;
        int outcome;
        int ply; // 0: not stored
        bool rounded;
    } facts[] = {
        {"8/8/8/8/8/P7/8/K1k5 w - - 0 1", CLTB_WIN, 1 + 2 * 9, true},
        {"8/8/8/8/8/7P/8/K1k5 w - - 0 1", CLTB_WIN, 1 + 2 * 9, true},
        {"8/8/8/8/8/P7/8/K1k5 w - - 0 1", CLTB_BLESSED_LOSS, 101 + 2 * 4, true},
        {"8/8/8/8/8/P7/8/K1k5 b - - 0 1", CLTB_WIN, 0, false},
        {"k1K5/8/p7/8/8/8/8/8 b - - 0 1", CLTB_WIN, 1 + 2 * 9, true},
        {"8/8/8/8/8/1P6/8/K1k5 w - - 0 1", CLTB_WIN, 0, false},
        {"8/8/8/8/8/1P6/8/K1k5 b - - 0 1", CLTB_LOSS, 1 + 2 * 2, true},
        {"8/8/8/8/8/1P6/8/K1k5 b - - 0 1", CLTB_CURSED_WIN, 101 + 2 * 301, true},
        {"8/8/8/8/8/5P2/8/K1k5 w - - 0 1", CLTB_WIN, 1 + 12, false},
        {"8/8/8/8/8/5P2/8/K1k5 w - - 0 1", CLTB_LOSS, 1 + 12, false},
        {"8/8/8/8/8/5P2/8/K1k5 w - - 0 1", CLTB_CURSED_WIN, 101 + 2 * 12, true},
        {"8/8/8/8/8/3P4/8/K1k5 w - - 0 1", CLTB_WIN, 1, true},
    };
    struct syzygy_file *file;
    struct made_file made;
    make_kpvk_rtbz(&made);
    GOOD(open_bytes(&file, made.bytes, made.size, "KPvK", SYZYGY_DISTANCES));
    struct position p;
    int ply = 0;
    bool rounded = false;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        p = position_of(facts[i].fen);
        assert_int_equal(syzygy_has_distance(file, &p), facts[i].ply > 0);
        if (facts[i].ply == 0)
            continue;
        GOOD(syzygy_distance(file, &p, facts[i].outcome, &ply, &rounded));
        assert_int_equal(ply, facts[i].ply);
        assert_int_equal(rounded, facts[i].rounded);
    }
    // The leaf 1 of a list of one; a distance that is too long for a win, and for anything.
    p = position_of("8/8/8/8/8/P7/8/K1k5 w - - 0 1");
    FAILS(syzygy_distance(file, &p, CLTB_LOSS, &ply, &rounded), CLTB_E_CORRUPT, "a distance is not in its list");
    p = position_of("8/8/8/8/8/1P6/8/K1k5 b - - 0 1");
    FAILS(syzygy_distance(file, &p, CLTB_WIN, &ply, &rounded), CLTB_E_CORRUPT, "a distance does not fit its outcome");
    syzygy_close(file);
}

// All values in memory, or none if that is more than is allowed.
TEST(test_load)
{
    static const uint64_t most[] = {31331, 31332};
    for (int i = 0; i < 2; i++) {
        struct syzygy_file *file;
        unsigned value;
        GOOD(open_bytes(&file, krvk_rtbw, sizeof krvk_rtbw, "KRvK", SYZYGY_OUTCOMES));
        GOOD(syzygy_load(file, most[i], test_pool));
        GOOD(syzygy_load(file, most[i], test_pool));
        assert_int_equal(truncate(memory_file(), 64), 0);
        if (i == 0) {
            FAILS(syzygy_value(file, 0, BLACK, 3919, &value), CLTB_E_CORRUPT, "is cut short");
        } else {
            uint64_t sum = 0;
            for (uint64_t index = 0; index < 31332; index++) {
                GOOD(syzygy_value(file, 0, BLACK, index, &value));
                sum += value;
            }
            assert_int_equal(sum, 2 * 9); // nine draws
        }
        syzygy_close(file);
    }
    struct syzygy_file *file;
    uint8_t bytes[sizeof krvk_rtbw];
    memcpy(bytes, krvk_rtbw, sizeof bytes);
    bytes[73] = 200; // more values in a block than there are places
    GOOD(open_bytes(&file, bytes, sizeof bytes, "KRvK", SYZYGY_OUTCOMES));
    FAILS(syzygy_load(file, UINT64_MAX, test_pool), CLTB_E_CORRUPT, "do not have a value for each place");
    syzygy_close(file);
}

// Reading through a cache that has room for little.
TEST(test_small_cache)
{
    struct block_cache *small;
    struct syzygy_file *file;
    struct made_file made;
    unsigned value = 9;
    const struct material material = material_named("KPvK");
    GOOD(block_cache_open(&small, 1));
    make_kpvk_rtbz(&made);
    write_file(memory_file(), made.bytes, made.size);
    GOOD(syzygy_open(&file, memory_file(), SYZYGY_DISTANCES, &material, small));
    for (uint64_t index = 0; index < 23436; index += 71) {
        GOOD(syzygy_value(file, 2, WHITE, index, &value));
        assert_int_equal(value, 12);
    }
    syzygy_close(file);
    block_cache_close(small);
}

// ---- damage ----

// Some values of each sub-table, all of them if there are few: added up, weighted by their place. The first error.
static int read_values(const struct syzygy_file *file, enum syzygy_kind kind, uint64_t *sum)
{
    int code = 0;
    *sum = 0;
    for (int sub_table = 0; sub_table < 8 && code == 0; sub_table++) {
        const struct syzygy_shape *shape = syzygy_shape_of(file, sub_table / 2, sub_table % 2);
        for (uint64_t index = 0; shape != NULL && index < shape->values && code == 0; index += shape->values / 40 + 1) {
            unsigned value = 0;
            code = syzygy_value(file, sub_table / 2, sub_table % 2, index, &value);
            assert_true(code != 0 || value <= (kind == SYZYGY_OUTCOMES ? 4 : 4095));
            *sum += mix(index) * (value + 1);
        }
    }
    return code;
}

// Opens a file and reads such values. If all of it can be decoded at once, they are the same then.
static int read_all(const uint8_t *bytes, size_t size, const char *name, enum syzygy_kind kind)
{
    struct syzygy_file *file;
    int code = open_bytes(&file, bytes, size, name, kind);
    if (code != 0) {
        assert_null(file);
        return code;
    }
    uint64_t sum;
    uint64_t loaded;
    code = read_values(file, kind, &sum);
    if (code == 0 && syzygy_load(file, UINT64_MAX, test_pool) == 0) {
        GOOD(read_values(file, kind, &loaded));
        assert_int_equal(loaded, sum);
    } else if (code == 0) {
        assert_non_null(strstr(error_text(), "is damaged: "));
    }
    syzygy_close(file);
    return code;
}

static void check_read(int code, const char *what, size_t at)
{
    if (code != 0 && code != CLTB_E_CORRUPT && code != CLTB_E_FOREIGN)
        fail_msg("%s %zu: code %d", what, at, code);
    if (code != 0 && strstr(error_text(), memory_file()) == NULL)
        fail_msg("%s %zu: '%s' does not name the file", what, at, error_text());
}

// Every byte changed in many ways, every length, zeros from every byte on: errors that name the file, or values.
static void damage(const uint8_t *valid, size_t size, const char *name, enum syzygy_kind kind)
{
    uint8_t bytes[1 << 10];
    assert_true(size <= sizeof bytes);
    GOOD(read_all(valid, size, name, kind));
    size_t refused = 0;
    for (size_t at = 0; at < size; at += sanitized() ? 3 : 1) {
        for (unsigned change = 1; change < 256; change += change < 16 ? 1 : 23) {
            memcpy(bytes, valid, size);
            bytes[at] ^= (uint8_t)change;
            const int code = read_all(bytes, size, name, kind);
            check_read(code, "byte", at);
            refused += code != 0;
        }
        assert_int_not_equal(read_all(valid, at, name, kind), 0);
        check_read(read_all(valid, at, name, kind), "length", at);
        memcpy(bytes, valid, size);
        memset(bytes + at, 0, size - at);
        check_read(read_all(bytes, size, name, kind), "zeros from", at);
        memset(bytes + at, 255, size - at);
        check_read(read_all(bytes, size, name, kind), "ones from", at);
    }
    assert_true(refused > (sanitized() ? 33 : 100));
}

TEST(test_damage)
{
    struct made_file made;
    make_kpvk_rtbz(&made);
    damage(krvk_rtbw, sizeof krvk_rtbw, "KRvK", SYZYGY_OUTCOMES);
    damage(knvk_rtbz, sizeof knvk_rtbz, "KNvK", SYZYGY_DISTANCES);
    damage(made.bytes, made.size, "KPvK", SYZYGY_DISTANCES);
}

TEST(test_refused)
{
    static const struct {
        size_t at;
        uint8_t byte;
        int code;
        const char *says;
    } cases[] = {
        {0, 0, CLTB_E_FOREIGN, "is not a Syzygy table of outcomes"},
        {4, 0x30, CLTB_E_FOREIGN, "does not hold KRvK"},           // symmetric
        {4, 0x33, CLTB_E_FOREIGN, "does not hold KRvK"},           // pawns
        {4, 0x41, CLTB_E_FOREIGN, "does not hold KRvK"},           // 4 men
        {5, 0x10, CLTB_E_CORRUPT, "the order 1 of 1 groups"},      //
        {8, 0x54, CLTB_E_FOREIGN, "does not hold KRvK"},           // a queen for Black to move
        {8, 0x74, CLTB_E_CORRUPT, "the code 7 of a man"},          //
        {11, 5, CLTB_E_CORRUPT, "an outcome is out of range"},     // of a single value
        {13, 13, CLTB_E_CORRUPT, "the head of a sub-table"},       // blocks of 8 KiB
        {14, 0, CLTB_E_CORRUPT, "the head of a sub-table"},        // span of one value
        {14, 31, CLTB_E_CORRUPT, "the head of a sub-table"},       //
        {18, 1, CLTB_E_CORRUPT, "it is too short"},                // more blocks
        {20, 33, CLTB_E_CORRUPT, "the head of a sub-table"},       // code lengths
        {20, 0, CLTB_E_CORRUPT, "the head of a sub-table"},        //
        {21, 0, CLTB_E_CORRUPT, "the head of a sub-table"},        //
        {32, 1, CLTB_E_CORRUPT, "its codes do not number"},        // first[6]
        {30, 3, CLTB_E_CORRUPT, "its codes are not complete"},     // first[5]
        {30, 200, CLTB_E_CORRUPT, "its codes do not number"},      //
        {35, 1, CLTB_E_CORRUPT, "it ends within its head"},        // 266 symbols
        {34, 8, CLTB_E_CORRUPT, "it has more codes than symbols"}, // 8 symbols
        {63, 12, CLTB_E_CORRUPT, "a symbol has no such half"},     // symbol 9 = 12 6
        {36, 0, CLTB_E_CORRUPT, "a symbol has too many values"},   // symbol 0 = 0 4
        {63, 8, CLTB_E_CORRUPT, "a symbol has too many values"},   // symbol 9 = 8 6, a circle
        {51, 5, CLTB_E_CORRUPT, "a value is out of range"},        // the leaf 0
        {66, 9, CLTB_E_CORRUPT, "its index leads nowhere"},        // block 9
        {73, 9, CLTB_E_CORRUPT, "its index leads nowhere"},        // fewer values
    };
    uint8_t bytes[sizeof krvk_rtbw];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memcpy(bytes, krvk_rtbw, sizeof bytes);
        bytes[cases[i].at] = cases[i].byte;
        FAILS(read_all(bytes, sizeof bytes, "KRvK", SYZYGY_OUTCOMES), cases[i].code, cases[i].says);
    }
    FAILS(read_all(krvk_rtbw, sizeof krvk_rtbw, "KRvK", SYZYGY_DISTANCES), CLTB_E_FOREIGN, "distances");
    FAILS(read_all(krvk_rtbw, sizeof krvk_rtbw, "KQvK", SYZYGY_OUTCOMES), CLTB_E_FOREIGN, "does not hold KQvK");
    FAILS(read_all(krvk_rtbw, 192, "KRvK", SYZYGY_OUTCOMES), CLTB_E_CORRUPT, "it has 192 bytes");
    FAILS(read_all(krvk_rtbw, 144, "KRvK", SYZYGY_OUTCOMES), CLTB_E_CORRUPT, "it is too short");
    const struct material material = material_named("KRvK");
    struct syzygy_file *file;
    FAILS(syzygy_open(&file, tmp_path("none"), SYZYGY_OUTCOMES, &material, cache), CLTB_E_MISSING, "none");
    FAILS(syzygy_open(&file, ".", SYZYGY_OUTCOMES, &material, cache), CLTB_E_FOREIGN, "it is not a file");
}

// A file that is cut while it is in use: an error, and no signal.
TEST(test_cut_in_use)
{
    struct syzygy_file *file;
    unsigned value = 9;
    GOOD(open_bytes(&file, krvk_rtbw, sizeof krvk_rtbw, "KRvK", SYZYGY_OUTCOMES));
    assert_int_equal(truncate(memory_file(), 64), 0);
    FAILS(syzygy_value(file, 0, BLACK, 5000, &value), CLTB_E_CORRUPT, "is cut short");
    write_file(memory_file(), krvk_rtbw, sizeof krvk_rtbw);
    GOOD(syzygy_value(file, 0, BLACK, 5000, &value));
    syzygy_close(file);
}

TESTS(set_up, tear_down)
