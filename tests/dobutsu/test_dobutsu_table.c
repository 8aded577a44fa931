// test_dobutsu_table.c - the dobutsu table as a file: what goes in comes out, and no damage goes unnoticed
//
// A real table is too large for a unit test. So files of the first few cells are made, with values that a formula gives
// to every position. What each code is, and which codes stand for one position, is found here by the rules alone
// (decode, mirror, sort, encode), not by the sets of dobutsu/cells.h that the writer and the reader use.
#include "dobutsu/table.h"
#include "table/container.h"
#include "util/threads.h"

#include "support/corrupt.h"

#include <pthread.h>
#include <unistd.h>

// An assertion for any thread: those of cmocka only work in the main one.
#define REQUIRE(truth)                                                                                                 \
    do {                                                                                                               \
        if (!(truth)) {                                                                                                \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #truth, error_text());                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

enum {
    GIRAFFE_CELLS = DOBUTSU_PAIRS * DOBUTSU_LION_PAIRS, // all elephants and lions to one pair of giraffes
    CELLS = 13 * GIRAFFE_CELLS,                         // giraffes in hand, one in hand, and two pairs on the board
    FEW_CELLS = GIRAFFE_CELLS,
    TINY_CELLS = 10 * DOBUTSU_BUCKET_CELLS,
    BLOCK = 1 << 14,
    SMALL_BLOCK = 1 << 8,
    CODES = CELLS * DOBUTSU_CELL_CODES,
    LEVEL = 3
};

static uint8_t expected[CODES];
static uint32_t kept_codes[CODES]; // those with a place of their own, rising
static uint32_t kept_count;
static uint32_t kept_tiny;        // of the first TINY_CELLS
static uint64_t in_other_cells;   // duplicates whose value is in another cell
static char large[TEST_PATH_MAX]; // the path of a table of CELLS
static char tiny[TEST_PATH_MAX];  // of TINY_CELLS

// ---- what is right ----

// 1 to 254, all of them; small ones are frequent.
static uint8_t made_up(uint32_t identity)
{
    const uint64_t random = mix(identity);
    return (uint8_t)(1 + (random >> 8) % (random % 8 == 0 ? 254 : 9));
}

static uint32_t code_of(const struct dobutsu *p)
{
    struct dobutsu sorted = *p;
    uint32_t code = 0;
    dobutsu_sort(&sorted);
    REQUIRE(dobutsu_encode(&sorted, &code));
    return code;
}

static uint8_t right_value(uint32_t code, bool *kept)
{
    struct dobutsu p;
    dobutsu_decode(code, &p);
    *kept = false;
    if (dobutsu_overlaps(&p) || dobutsu_rooster_in_hand(&p))
        return DOBUTSU_INVALID;
    if (dobutsu_can_take_lion(&p) || dobutsu_can_ascend(&p))
        return 0;
    const uint32_t own = code_of(&p);
    dobutsu_mirror(&p);
    const uint32_t mirror = code_of(&p);
    const uint32_t identity = own < mirror ? own : mirror; // the smallest code of the position
    *kept = identity == code;
    in_other_cells += identity / DOBUTSU_CELL_CODES != code / DOBUTSU_CELL_CODES;
    return made_up(identity);
}

// ---- files ----

static bool part_exists(const char *path)
{
    char part[TEST_PATH_MAX + 8];
    snprintf(part, sizeof part, "%s.part", path);
    return access(part, F_OK) == 0;
}

static int copy_expected(void *context, uint32_t first, uint32_t count, uint8_t *values)
{
    REQUIRE(first % DOBUTSU_BUCKET_CELLS == 0 && count % DOBUTSU_BUCKET_CELLS == 0 && count > 0 && count <= 1024);
    memcpy(values, expected + (size_t)first * DOBUTSU_CELL_CODES, (size_t)count * DOBUTSU_CELL_CODES);
    return 0;
}

static void write_cells(const char *path, uint32_t cells, uint32_t block_values, struct thread_pool *pool)
{
    const struct dobutsu_writing writing = {
        .source = copy_expected, .level = LEVEL, .pool = pool, .cells = cells, .block_values = block_values};
    GOOD(dobutsu_table_write(path, &writing));
    assert_false(part_exists(path));
}

static struct dobutsu_table *open_large(size_t cache_bytes)
{
    struct dobutsu_table *table;
    GOOD(dobutsu_table_open_cells(&table, large, CELLS, cache_bytes));
    return table;
}

static int setup(void **state)
{
    snprintf(large, sizeof large, "%s", tmp_path("large.cltb"));
    snprintf(tiny, sizeof tiny, "%s", tmp_path("tiny.cltb"));
    if (pool_setup(state) != 0)
        return -1;
    for (uint32_t code = 0; code < CODES; code++) {
        bool kept;
        expected[code] = right_value(code, &kept);
        if (kept)
            kept_codes[kept_count++] = code;
        if (code < TINY_CELLS * DOBUTSU_CELL_CODES)
            kept_tiny = kept_count;
    }
    write_cells(large, CELLS, BLOCK, test_pool);
    write_cells(tiny, TINY_CELLS, SMALL_BLOCK, test_pool);
    return 0;
}

// ---- round trips ----

// Loads all values and compares them.
static void check_cells(struct dobutsu_table *table, uint32_t cells)
{
    const size_t bytes = (size_t)cells * DOBUTSU_CELL_CODES;
    uint8_t *values = malloc(bytes);
    REQUIRE(values != NULL);
    memset(values, 99, bytes);
    REQUIRE(dobutsu_table_load(table, values, test_pool) == 0);
    REQUIRE(memcmp(values, expected, bytes) == 0);
    free(values);
}

static void check_values(struct dobutsu_table *table, uint32_t first, uint32_t last, uint32_t step)
{
    for (uint32_t code = first; code < last; code += step) {
        uint8_t value = 99;
        REQUIRE(dobutsu_table_value(table, code, &value) == 0);
        REQUIRE(value == expected[code]);
    }
}

TEST(test_every_code)
{
    struct dobutsu_table *table = open_large(1 << 24);
    check_cells(table, CELLS);
    check_values(table, 0, CODES, 1);
    check_cells(table, CELLS);
    dobutsu_table_close(table);
    assert_true(in_other_cells > 10000); // there are mirror images
}

TEST(test_codes_probed)
{
    const char *few = tmp_path("few.cltb");
    write_cells(few, FEW_CELLS, SMALL_BLOCK, test_pool);
    const struct {
        const char *path;
        uint32_t cells;
        size_t cache_bytes;
        uint32_t first;
        uint32_t step;
    } cases[] = {{few, FEW_CELLS, 1 << 24, 0, 1}, {few, FEW_CELLS, 0, 3, 97}, {large, CELLS, 1 << 24, 1, 13}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct dobutsu_table *table;
        GOOD(dobutsu_table_open_cells(&table, cases[i].path, cases[i].cells, cases[i].cache_bytes));
        check_values(table, cases[i].first, cases[i].cells * DOBUTSU_CELL_CODES, cases[i].step);
        dobutsu_table_close(table);
    }
}

// The first level by itself: the values of the kept codes, in their order.
TEST(test_first_level)
{
    struct container *container;
    GOOD(container_open(&container, large));
    const int stream = container_find(container, DOBUTSU_STREAM_VALUES);
    assert_true(stream >= 0);
    const struct container_stream *shape = container_stream(container, stream);
    assert_int_equal(shape->section_symbols, kept_count);
    assert_int_equal(shape->block_symbols, BLOCK);
    uint8_t *values = malloc((size_t)container_blocks(shape) * BLOCK);
    assert_non_null(values);
    for (uint64_t block = 0; block < container_blocks(shape); block++)
        GOOD(container_read(container, stream, block, values + block * BLOCK));
    for (uint32_t i = 0; i < kept_count; i++)
        assert_int_equal(values[i], expected[kept_codes[i]]);
    free(values);
    container_close(container);
}

TEST(test_figures)
{
    struct dobutsu_table *table = open_large(0);
    uint64_t count[DOBUTSU_VALUES] = {0};
    for (uint32_t code = 0; code < CODES; code++)
        count[expected[code]]++;
    const struct dobutsu_table_info *info = dobutsu_table_info(table);
    for (int value = 0; value < DOBUTSU_VALUES; value++) {
        assert_true(count[value] > 0);
        assert_int_equal(info->count[value], count[value]);
    }
    uint64_t file_bytes;
    GOOD(container_size(large, &file_bytes));
    assert_int_equal(info->kept, kept_count);
    assert_int_equal(info->file_bytes, file_bytes);
    assert_int_equal(info->block_values, BLOCK);
    assert_true(info->value_bytes > kept_count / 10 && info->value_bytes < kept_count);
    assert_true(info->bucket_bytes > 0 && info->bucket_bytes + info->value_bytes < file_bytes);
    dobutsu_table_close(table);
}

TEST(test_no_such_code)
{
    struct dobutsu_table *table = open_large(0);
    static const uint32_t codes[] = {CODES, UINT32_MAX};
    uint8_t value;
    for (int i = 0; i < 2; i++)
        assert_int_equal(dobutsu_table_value(table, codes[i], &value), CLTB_E_USAGE);
    dobutsu_table_close(table);
}

// ---- threads ----

struct reader {
    pthread_t thread;
    struct dobutsu_table *table;
    unsigned number;
};

static void *read_along(void *context)
{
    const struct reader *reader = context;
    for (int i = 0; i < 40000; i++) {
        const uint32_t code = (uint32_t)(mix(6 * (uint64_t)i + reader->number) % CODES);
        check_values(reader->table, code, code + 1, 1);
    }
    return NULL;
}

TEST(test_many_threads)
{
    struct dobutsu_table *table = open_large(3 * BLOCK);
    struct reader readers[6];
    for (unsigned i = 0; i < 6; i++) {
        readers[i] = (struct reader){.table = table, .number = i};
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_along, &readers[i]), 0);
    }
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
    dobutsu_table_close(table);
}

static void expect_same(const char *path, const struct bytes *before)
{
    const struct bytes after = read_file(path);
    assert_int_equal(after.size, before->size);
    assert_memory_equal(after.data, before->data, before->size);
    free(after.data);
}

TEST(test_writing_threads)
{
    const struct bytes two = read_file(large);
    for (int threads = 1; threads <= 7; threads += 2) {
        struct thread_pool *pool;
        const char *path = tmp_path("again.cltb");
        GOOD(threads_open(&pool, threads));
        write_cells(path, CELLS, BLOCK, pool);
        threads_close(pool);
        expect_same(path, &two);
    }
    free(two.data);
}

// ---- writing that fails ----

static const struct dobutsu_writing few_cells = {
    .source = copy_expected, .level = LEVEL, .cells = FEW_CELLS, .block_values = SMALL_BLOCK};

struct hearing {
    pthread_t thread;
    double last;
    double stop; // at this share
    int calls;
};

static int hear(void *context, double share)
{
    struct hearing *hearing = context;
    REQUIRE(pthread_equal(pthread_self(), hearing->thread));
    REQUIRE(share >= hearing->last && share >= 0 && share <= 1);
    hearing->last = share;
    hearing->calls++;
    return share >= hearing->stop;
}

TEST(test_progress)
{
    const char *path = tmp_path("progress.cltb");
    struct hearing hearing = {.thread = pthread_self(), .stop = 2};
    struct dobutsu_writing writing = few_cells;
    writing.pool = test_pool;
    writing.each = hear;
    writing.each_context = &hearing;
    GOOD(dobutsu_table_write(path, &writing));
    assert_true(hearing.last == 1 && hearing.calls >= 1); // more if it takes longer
    const struct bytes before = read_file(path);
    for (int percent = 0; percent <= 100; percent += 10) {
        struct hearing stopping = {.thread = pthread_self(), .stop = percent / 100.0};
        writing.each_context = &stopping;
        assert_int_equal(dobutsu_table_write(path, &writing), CLTB_E_INTERRUPTED);
        assert_false(part_exists(path));
    }
    expect_same(path, &before); // the old one is kept
    free(before.data);
}

struct spoiling {
    uint32_t code; // gets this value
    uint8_t value;
    bool fail; // the source fails instead
};

static int spoil(void *context, uint32_t first, uint32_t count, uint8_t *values)
{
    const struct spoiling *spoiling = context;
    const uint32_t cell = spoiling->code / DOBUTSU_CELL_CODES;
    TRY(copy_expected(NULL, first, count, values));
    if (cell < first || cell >= first + count)
        return 0;
    if (spoiling->fail)
        return error_set(CLTB_E_DEVICE, "the source has run dry");
    values[spoiling->code - first * DOBUTSU_CELL_CODES] = spoiling->value;
    return 0;
}

// The first code from `from` on that has this value or, for 1, any value of made_up().
static uint32_t find_code(uint32_t from, uint8_t value)
{
    uint32_t code = from;
    while (value == 1 ? expected[code] == 0 || expected[code] == DOBUTSU_INVALID : expected[code] != value)
        code++;
    assert_true(code < FEW_CELLS * DOBUTSU_CELL_CODES);
    return code;
}

TEST(test_bad_sources)
{
    const char *path = tmp_path("bad.cltb");
    struct dobutsu_writing writing = few_cells;
    writing.pool = test_pool;
    writing.source = spoil;
    const uint32_t from = 100 * DOBUTSU_BUCKET_CODES / 2;
    const struct spoiling spoilings[] = {
        {find_code(from, DOBUTSU_INVALID), 0, false},
        {find_code(from, DOBUTSU_INVALID), DOBUTSU_DRAW, false},
        {find_code(from, 0), DOBUTSU_INVALID, false},
        {find_code(from, 0), 2, false},
        {find_code(from, 1), 0, false},
        {find_code(from, 1), DOBUTSU_INVALID, false},
        {from, 0, true},
    };
    unlink(path);
    for (size_t i = 0; i < sizeof spoilings / sizeof spoilings[0]; i++) {
        writing.context = (void *)&spoilings[i];
        assert_int_equal(dobutsu_table_write(path, &writing), spoilings[i].fail ? CLTB_E_DEVICE : CLTB_E_MISMATCH);
        assert_true(!spoilings[i].fail || strcmp(error_text(), "the source has run dry") == 0);
        assert_int_not_equal(access(path, F_OK), 0);
        assert_false(part_exists(path));
    }
    writing = (struct dobutsu_writing){.source = copy_expected, .level = LEVEL, .pool = test_pool};
    assert_int_equal(dobutsu_table_write(tmp_path("no/such/folder.cltb"), &writing), CLTB_E_IO);
}

// ---- damaged and corrupted files ----

static int open_and_check(const char *path)
{
    struct dobutsu_table *table;
    TRY(dobutsu_table_open_cells(&table, path, TINY_CELLS, 0));
    const int code = dobutsu_table_check(table, test_pool);
    dobutsu_table_close(table);
    return code;
}

TEST(test_damage)
{
    damage_is_noticed(tiny, 7, open_and_check);
}

// Where a block lies in the file, according to the file.
static size_t block_offset(const uint8_t *file, const struct container *container, int stream, uint64_t block,
                           size_t *bytes)
{
    struct container_stream shapes[CONTAINER_STREAMS_MAX];
    const int count = container_stream_count(container);
    for (int i = 0; i < count; i++)
        shapes[i] = *container_stream(container, i);
    const struct head_parts parts = head_parts(shapes, count, get_number(file + HEAD_TEXT_BYTES, 8));
    size_t at = get_number(file + parts.sections[stream], 8);
    for (uint64_t i = 0; i < block; i++)
        at += get_number(file + parts.blocks[stream] + i * BLOCK_RECORD, 4);
    *bytes = get_number(file + parts.blocks[stream] + block * BLOCK_RECORD, 4);
    return at;
}

// Bytes change under an open table, in one block after another: a probe of that block notices, others do not.
TEST(test_damaged_block)
{
    const char *path = tmp_path("block.cltb");
    struct bytes bytes = read_file(tiny);
    struct container *container;
    GOOD(container_open(&container, tiny));
    const int stream = container_find(container, DOBUTSU_STREAM_VALUES);
    const struct container_stream shape = *container_stream(container, stream);
    assert_true(container_blocks(&shape) > 10);
    for (uint64_t block = 0; block < container_blocks(&shape); block++) {
        size_t size;
        const size_t at = block_offset(bytes.data, container, stream, block, &size) + block % 20;
        struct dobutsu_table *table;
        bytes.data[at] ^= 0x10;
        write_file(path, bytes.data, bytes.size);
        bytes.data[at] ^= 0x10;
        GOOD(dobutsu_table_open_cells(&table, path, TINY_CELLS, 0));
        for (uint32_t i = 0; i < kept_tiny; i += 37) {
            uint8_t value;
            const int code = dobutsu_table_value(table, kept_codes[i], &value);
            assert_int_equal(code, i / SMALL_BLOCK == block ? CLTB_E_CORRUPT : 0);
            assert_true(code == 0 ? value == expected[kept_codes[i]]
                                  : strstr(error_text(), "cltb build dobutsu makes a new one") != NULL);
        }
        uint8_t values[TINY_CELLS * DOBUTSU_CELL_CODES];
        assert_int_equal(dobutsu_table_check(table, test_pool), CLTB_E_CORRUPT);
        assert_int_equal(dobutsu_table_load(table, values, test_pool), CLTB_E_CORRUPT);
        write_file(path, bytes.data, bytes.size); // mended: the open table can be read again
        check_cells(table, TINY_CELLS);
        dobutsu_table_close(table);
    }
    container_close(container);
    free(bytes.data);
}

// What dobutsu_table_check() notices, a probe of every kept code notices, too, and so does loading.
static int check_every_way(const char *path)
{
    struct dobutsu_table *table;
    uint8_t values[TINY_CELLS * DOBUTSU_CELL_CODES];
    bool noticed = false;
    TRY(dobutsu_table_open_cells(&table, path, TINY_CELLS, 1 << 20));
    for (uint32_t i = 0; i < kept_tiny; i++) {
        uint8_t value;
        const int code = dobutsu_table_value(table, kept_codes[i], &value);
        assert_true(code == 0 || code == CLTB_E_CORRUPT);
        noticed |= code != 0;
    }
    assert_int_equal(dobutsu_table_load(table, values, test_pool), noticed ? CLTB_E_CORRUPT : 0);
    const int code = dobutsu_table_check(table, test_pool);
    assert_int_equal(code, noticed ? CLTB_E_CORRUPT : 0);
    dobutsu_table_close(table);
    return code;
}

static int open_whole(const char *path)
{
    struct dobutsu_table *table;
    TRY(dobutsu_table_open(&table, path, 0));
    dobutsu_table_close(table);
    return 0;
}

TEST(test_corruptions)
{
    const uint32_t some = 1000;
    const uint8_t value = expected[kept_codes[some]];
    const struct corruption cases[] = {
        {.key = "game", .line = "comment made by a test\ngame dobutsu", .accepted = true},
        {.key = "game", .saying = "it does not say of which game"},
        {.key = "game", .line = "game \033[2Jchess", .saying = "its text has control characters"},
        {.key = "game", .line = "game chess", .code = CLTB_E_FOREIGN, .saying = "is a chess table, not dobutsu"},
        {.key = "omitted", .saying = "it leaves out other codes"},
        {.key = "omitted", .line = "omitted invalid", .saying = "it leaves out other codes"},
        {.key = "cells", .saying = "it does not have all codes"},
        {.key = "cells", .line = "cells 176", .saying = "it does not have all codes"},
        {.key = "cells", .line = "cells 160x", .saying = "it does not have all codes"},
        {.key = "kept", .saying = "the number of its values is missing or wrong"},
        {.key = "kept", .line = "kept 99999999999999999999", .saying = "is missing or wrong"},
        {.key = "kept", .line = "kept 1000000", .saying = "is missing or wrong"},
        {.key = "kept", .line = "kept 1", .saying = "a stream is missing or has the wrong length"},
        {.key = "codes-0", .saying = "its counts are missing or wrong"},
        {.key = "codes-255", .line = "codes-255 1", .saying = "its counts are missing or wrong"},
        {.drop = "buckets", .saying = "a stream is missing"},
        {.drop = "values", .saying = "a stream is missing"},
        {.stream = "buckets", .more_symbols = 1, .saying = "has the wrong length"},
        {.stream = "values", .more_symbols = 1, .saying = "has the wrong length"},
        {.stream = "values", .symbol_bytes = 2, .saying = "has the wrong length"},
        {.stream = "buckets", .more_sections = 1, .saying = "has the wrong length"},
        {.stream = "values", .more_sections = 1, .saying = "has the wrong length"},
        {.stream = "buckets", .symbol = 3, .add = 1, .saying = "do not have as many values"},
        {.stream = "buckets", .symbol = 9, .add = -1, .saying = "do not have as many values"},
        {.stream = "buckets", .symbol = 4, .add = 4096, .add_to_next = -4096, .saying = "a bucket has too many values"},
        {.stream = "buckets", .symbol = 5, .add = -1, .add_to_next = 1, .saying = "a bucket has the wrong"},
        {.stream = "values", .symbol = some, .add = -value, .saying = "a value contradicts its code"},
        {.stream = "values", .symbol = some, .add = 255 - value, .saying = "a value contradicts its code"},
    };
    corruptions_are_refused(tiny, cases, sizeof cases / sizeof cases[0], check_every_way);
    FAILS(open_whole(tiny), CLTB_E_CORRUPT, "it does not have all codes");
    const char *path = tmp_path("other.cltb");
    write_properties(path, "material KQvK\n");
    assert_int_equal(open_whole(path), CLTB_E_CORRUPT);
    write_properties(path, "game chess\nmaterial KQvK\nmetric dtz\n");
    assert_int_equal(open_whole(path), CLTB_E_FOREIGN);
}

TESTS(setup, pool_teardown)
