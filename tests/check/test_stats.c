// test_stats.c - counting positions: zugzwangs and longest lines are the published ones; statistics in files
#include "check/stats_kept.h"
#include "check/verify.h"
#include "support/compare_tables.h"
#include "table/container.h"
#include "table/path.h"
#include "util/threads.h"

// Classes of a kind.
static size_t listed(const struct stats *stats, int white, int black)
{
    size_t n = 0;
    for (size_t i = 0; i < stats->zugzwang_count; i++)
        n += stats->zugzwang[i].outcome[WHITE] == white && stats->zugzwang[i].outcome[BLACK] == black;
    return n;
}

// Reciprocal zugzwangs of KPvK, KPvKP and KRvKB: 80, 121 (15 of them full-point) and 5 classes in the literature, which
// counts a pair with flipped colours once.
TEST(test_zugzwangs)
{
    static const char *const names[] = {"KPvK", "KRvKB"};
    static const size_t classes[] = {80, 5};
    struct stats *stats;
    for (int i = 0; i < (sanitized() ? 1 : 2); i++) {
        make_table(names[i], false);
        stats = count_stats(names[i]);
        assert_int_equal(stats->zugzwang_count, classes[i]);
        assert_true(i > 0 || stats->zugzwangs[CLTB_DRAW + 2][CLTB_LOSS + 2] == 160);
        check_examples(stats);
        stats_free(stats);
    }
    if (sanitized())
        return;
    make_table("KPvKP", false);
    stats = count_stats("KPvKP");
    assert_int_equal(listed(stats, CLTB_LOSS, CLTB_LOSS), 2 * 15);
    assert_int_equal(listed(stats, CLTB_DRAW, CLTB_LOSS), 106);
    assert_int_equal(listed(stats, CLTB_LOSS, CLTB_DRAW), 106);
    assert_int_equal(stats->zugzwangs[CLTB_LOSS + 2][CLTB_LOSS + 2], 60);
    assert_int_equal(stats->zugzwangs[CLTB_LOSS + 2][CLTB_DRAW + 2], stats->zugzwangs[CLTB_DRAW + 2][CLTB_LOSS + 2]);
    check_examples(stats);
    stats_free(stats);
}

// A missing table, and a missing futurebase.
TEST(test_missing)
{
    cltb_tables *tables;
    struct thread_pool *pool;
    struct stats *stats;
    const struct material material = material_named("KBBvKQ");
    GOOD(cltb_open(&tables, tables_folder, NULL));
    GOOD(threads_open(&pool, 1));
    FAILS(stats_count(&stats, tables, &material, pool, NULL), CLTB_E_MISSING, "KBBvKQ");
    assert_null(stats);
    threads_close(pool);
    cltb_close(tables);
}

// Reads the statistics of a table's file, or compares them with its values.
static int read_kept(const char *name, struct stats **kept)
{
    const struct material material = material_named(name);
    cltb_tables *tables;
    GOOD(cltb_open(&tables, tables_folder, NULL));
    const int code = stats_read(kept, tables, &material);
    cltb_close(tables);
    return code;
}

static int verify_some(const char *name, uint64_t sample)
{
    const struct material material = material_named(name);
    cltb_tables *tables;
    struct thread_pool *pool;
    GOOD(cltb_open(&tables, tables_folder, NULL));
    GOOD(threads_open(&pool, 2));
    const struct verify_options options = {.sample = sample, .seed = 1, .pool = pool};
    struct verify_result result;
    const int code = verify_table(tables, &material, &options, &result);
    threads_close(pool);
    cltb_close(tables);
    return code;
}

static int verify_kept(const char *name)
{
    return verify_some(name, 0);
}

// What is kept is read back, twice from the same file; what does not agree with the values or the file's head is found.
TEST(test_kept)
{
    static const char *const names[] = {"KPvK", "KNvK", "KRvK.dtm"};
    for (size_t i = sanitized() ? 1 : 0; i < sizeof names / sizeof names[0]; i++) {
        char path[TEST_PATH_MAX];
        const struct material material = material_named(names[i]);
        struct stats *kept;
        make_table(names[i], false);
        GOOD(table_path(path, sizeof path, tables_folder, &material));
        GOOD(read_kept(names[i], &kept));
        assert_null(kept);
        GOOD(verify_kept(names[i]));
        struct stats *counted = count_stats(names[i]);
        GOOD(stats_keep(counted, path, path));
        GOOD(stats_keep(counted, path, path));
        GOOD(read_kept(names[i], &kept));
        assert_non_null(kept);
        GOOD(stats_compare(kept, counted));
        for (int side = WHITE; side <= BLACK; side++)
            assert_string_equal(kept->longest[side][4].fen, counted->longest[side][4].fen);
        stats_free(kept);
        GOOD(verify_kept(names[i]));

        counted->zugzwangs[2][0]++;
        GOOD(stats_keep(counted, path, path));
        FAILS(verify_kept(names[i]), CLTB_E_MISMATCH, "mutual zugzwangs");
        counted->zugzwangs[2][0]--;
        counted->longest[WHITE][4].key ^= 1;
        GOOD(stats_keep(counted, path, path));
        if (counted->longest[WHITE][4].plies >= 0)
            FAILS(verify_kept(names[i]), CLTB_E_MISMATCH, "another longest win of White");
        counted->longest[WHITE][4].key ^= 1;
        counted->bin[BLACK][2][0].diagonal++;
        GOOD(stats_keep(counted, path, path));
        FAILS(verify_kept(names[i]), CLTB_E_MISMATCH, "with Black to move and the value draw 0");
        counted->bin[BLACK][2][0].diagonal--;
        counted->bin[BLACK][2][0].count++;
        GOOD(stats_keep(counted, path, path));
        FAILS(read_kept(names[i], &kept), CLTB_E_CORRUPT, "do not fit its head");
        counted->bin[BLACK][2][0].count--;
        GOOD(stats_keep(counted, path, path));
        stats_free(counted);
    }
}

// Neither a list of more zugzwangs than are counted nor more bytes than could be compressed so well are believed.
TEST(test_kept_bombs)
{
    const struct material material = material_named("KPvK");
    char path[TEST_PATH_MAX];
    struct stats *kept;
    make_table("KPvK", false);
    GOOD(table_path(path, sizeof path, tables_folder, &material));
    struct stats *counted = count_stats("KPvK");
    assert_true(counted->zugzwang_count > 0);
    const struct stats_zugzwang *first = &counted->zugzwang[0];
    uint64_t *count = &counted->zugzwangs[first->outcome[WHITE] + 2][first->outcome[BLACK] + 2];
    const uint64_t right = *count;
    *count = 0;
    GOOD(stats_keep(counted, path, path));
    FAILS(read_kept("KPvK", &kept), CLTB_E_CORRUPT, "do not fit its head");
    *count = right;
    GOOD(stats_keep(counted, path, path));
    GOOD(read_kept("KPvK", &kept));
    stats_free(kept);
    stats_free(counted);

    uint8_t *zeros = calloc(CONTAINER_EXTRA_MAX, 1);
    assert_non_null(zeros);
    GOOD(container_attach(path, path, TABLE_STATISTICS, zeros, CONTAINER_EXTRA_MAX));
    free(zeros);
    FAILS(read_kept("KPvK", &kept), CLTB_E_CORRUPT, "a stream has the wrong length");
}

// Bytes that are no statistics, and a file that is damaged: it stays as it is.
TEST(test_kept_damaged)
{
    const struct material material = material_named("KPvK");
    uint8_t bytes[700] = {0};
    char path[TEST_PATH_MAX];
    struct stats *kept;
    make_table("KPvK", false);
    GOOD(table_path(path, sizeof path, tables_folder, &material));
    struct stats *counted = count_stats("KPvK");
    for (size_t size = 1; size <= sizeof bytes; size += 233) {
        memset(bytes, size & 2 ? 0xff : 0, sizeof bytes);
        GOOD(container_attach(path, path, TABLE_STATISTICS, bytes, size));
        FAILS(read_kept("KPvK", &kept), CLTB_E_CORRUPT, "do not fit its head");
    }
    FAILS(container_attach(path, path, TABLE_STATISTICS, bytes, 0), CLTB_E_USAGE, "no room");
    GOOD(stats_keep(counted, path, path));
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, -200, SEEK_END), 0); // in the statistics themselves: they can be replaced
    assert_int_equal(fputc(0x5a, file), 0x5a);
    assert_int_equal(fclose(file), 0);
    FAILS(read_kept("KPvK", &kept), CLTB_E_CORRUPT, "does not match its checksum");
    GOOD(stats_keep(counted, path, path));
    GOOD(verify_kept("KPvK"));
    file = fopen(path, "r+b");
    assert_non_null(file);
    struct container *container;
    uint32_t count;
    GOOD(container_open(&container, path));
    const uint64_t at = container_block_place(container, 0, 0, &count);
    container_close(container);
    assert_int_equal(fseek(file, (long)at + 4, SEEK_SET), 0);
    const int old = fgetc(file);
    assert_int_equal(fseek(file, -1, SEEK_CUR), 0);
    assert_int_equal(fputc(old ^ 1, file), old ^ 1);
    assert_int_equal(fclose(file), 0);
    FAILS(stats_keep(counted, path, path), CLTB_E_CORRUPT, "does not match its checksum");
    GOOD(read_kept("KPvK", &kept));
    GOOD(stats_compare(kept, counted));
    stats_free(kept);
    stats_free(counted);
}

// A sample finds examples that are none, and missing distances of its own positions.
TEST(test_kept_sample)
{
    enum { LOSS = CLTB_LOSS + 2, DRAW = CLTB_DRAW + 2, WIN = CLTB_WIN + 2, SAMPLE = 20000 };
    const struct material material = material_named("KPvK");
    char path[TEST_PATH_MAX];
    make_table("KPvK", false);
    GOOD(table_path(path, sizeof path, tables_folder, &material));
    struct stats *counted = count_stats("KPvK");
    GOOD(stats_keep(counted, path, path));
    GOOD(verify_some("KPvK", SAMPLE));

    struct stats_longest *longest = &counted->longest[BLACK][LOSS];
    const struct stats_longest right = *longest;
    longest->key = counted->longest[WHITE][WIN].key; // another position
    GOOD(stats_keep(counted, path, path));
    FAILS(verify_some("KPvK", SAMPLE), CLTB_E_MISMATCH, "a wrong example of the longest loss of Black to move");
    longest->key = UINT64_MAX; // no position
    GOOD(stats_keep(counted, path, path));
    FAILS(verify_some("KPvK", SAMPLE), CLTB_E_MISMATCH, "a wrong example of the longest loss of Black to move");
    *longest = right;

    counted->zugzwang[0].key = counted->longest[WHITE][WIN].key;
    GOOD(stats_keep(counted, path, path));
    FAILS(verify_some("KPvK", SAMPLE), CLTB_E_MISMATCH, "list a wrong mutual zugzwang");
    stats_free(counted);

    counted = count_stats("KPvK");
    struct stats_bin *bin = counted->bin[WHITE][WIN];
    bin[1].count += bin[3].count; // the head's sum remains
    bin[3].count = 0;
    GOOD(stats_keep(counted, path, path));
    FAILS(verify_some("KPvK", SAMPLE), CLTB_E_MISMATCH, "the table says win 3, its statistics have no such position");
    FAILS(verify_kept("KPvK"), CLTB_E_MISMATCH, "with White to move and the value win 1");
    stats_free(counted);
}

TESTS(folder_make, folder_remove)
