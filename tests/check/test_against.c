// test_against.c - a table compared with Syzygy files: with the published ones, and with one value changed
#include "check/verify.h"
#include "support/compare_tables.h"
#include "syzygy/checksum.h"

static char files_folder[TEST_PATH_MAX];

static struct bytes published(const char *file)
{
    char path[64];
    snprintf(path, sizeof path, "syzygy/%s", file);
    return read_file(data_path(path));
}

// Writes a file to the folder of Syzygy files. `seal`: makes its checksum right.
static void put(const char *file, struct bytes bytes, bool seal)
{
    char path[TEST_PATH_MAX + 16];
    uint8_t digest[32];
    snprintf(path, sizeof path, "%s/%s", files_folder, file);
    if (seal) {
        syzygy_chunk_digest(bytes.data, bytes.size - SYZYGY_CHECKSUM_BYTES, digest);
        syzygy_checksum(digest, 1, bytes.data + bytes.size - SYZYGY_CHECKSUM_BYTES);
    }
    write_file(path, bytes.data, bytes.size);
    free(bytes.data);
}

static int set_up(void **state)
{
    static const char *const files[] = {"KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw", "KRvK.rtbz", "KBvK.rtbw",
                                        "KBvK.rtbz", "KNvK.rtbw", "KNvK.rtbz", "KPvK.rtbw", "KPvK.rtbz"};
    folder_make(state);
    test_folder_make(files_folder);
    make_table("KPvK", false);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        put(files[i], published(files[i]), false);
    return 0;
}

static int tear_down(void **state)
{
    test_folder_remove(files_folder);
    return folder_remove(state);
}

static int compare(const char *name, uint64_t sample, struct verify_result *result)
{
    struct verify_options options = {.sample = sample, .seed = 1};
    const struct material material = material_named(name);
    cltb_tables *tables;
    cltb_tables *others;
    GOOD(threads_open(&options.pool, 2));
    GOOD(cltb_open(&tables, tables_folder, NULL));
    GOOD(cltb_open(&others, files_folder, NULL));
    const int code = verify_against(tables, others, &material, &options, result);
    cltb_close(tables);
    cltb_close(others);
    threads_close(options.pool);
    return code;
}

TEST(test_equal)
{
    struct verify_result result;
    GOOD(compare("KRvK", 0, &result));
    assert_int_equal(result.positions, 51044); // classes; those with both kings on the diagonal count twice
    assert_true(result.rounded > 20000 && result.rounded < 51044);
    GOOD(compare("KBvK", 0, &result));
    assert_int_equal(result.rounded, 0);
    GOOD(compare("KPvK", 5000, &result));
    assert_int_equal(result.positions, 5000);
}

// Gives a value another meaning in the first sub-table behind `at`: the leaf of one of its symbols.
static void change_leaf(struct bytes file, size_t at, uint8_t from, uint8_t to)
{
    const uint8_t *pair = file.data + at;
    uint8_t *symbol = file.data + at + 10 + 2 * (pair[8] - pair[9] + 1);
    int left = symbol[0] | symbol[1] << 8;
    for (symbol += 2; left > 0 && (symbol[0] != from || symbol[1] != 0xf0 || symbol[2] != 0xff); symbol += 3)
        left--;
    assert_true(left > 0);
    *symbol = to;
}

// Wins in 19 and 20 plies get longer.
TEST(test_distances)
{
    struct verify_result result;
    struct bytes file = published("KRvK.rtbz");
    change_leaf(file, 10, 9, 11);
    put("KRvK.rtbz", file, true);
    FAILS(compare("KRvK", 0, &result), CLTB_E_MISMATCH, "the other files say ");
    assert_string_equal(result.fault, error_text());
    FAILS(compare("KRvK", 5000, &result), CLTB_E_MISMATCH, " - - 0 1: the table says ");
    put("KRvK.rtbz", published("KRvK.rtbz"), false);
}

// Black's draws become blessed losses. White's outcomes are a single value, in two bytes.
TEST(test_outcomes)
{
    struct verify_result result;
    struct bytes file = published("KRvK.rtbw");
    change_leaf(file, 12, 2, 1);
    put("KRvK.rtbw", file, true);
    FAILS(compare("KRvK", 0, &result), CLTB_E_MISMATCH, "says draw, the other files say blessed-loss");
    put("KRvK.rtbw", published("KRvK.rtbw"), false);
}

TEST(test_bad_files)
{
    struct verify_result result;
    struct bytes file = published("KPvK.rtbz");
    file.data[file.size / 2] ^= 1;
    put("KPvK.rtbz", file, false);
    FAILS(compare("KPvK", 0, &result), CLTB_E_CORRUPT, "KPvK.rtbz is damaged: its checksum is wrong");
    put("KPvK.rtbz", published("KPvK.rtbz"), false);
    FAILS(compare("KQvKR", 0, &result), CLTB_E_MISSING, "KQvKR");
}

TESTS(set_up, tear_down)
