// test_dobutsu_table.c - the dobutsu table as a file: what goes in comes out, and no damage goes unnoticed
//
// A real table is too large for a unit test, so files of the first few cells are made, with values that a formula gives to
// every position. What each code is, and which codes mean one position, is worked out here by the rules alone (decode,
// mirror, sort, encode), not by the sets of dobutsu/cells.h that the writer and the reader go by.
#include "support/support.h"

#include "dobutsu/table.h"
#include "table/container.h"
#include "table/container_format.h"
#include "util/error.h"
#include "util/threads.h"

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
    PATHS_MAX = 600,
    GIRAFFE_CELLS = DOBUTSU_PAIRS * DOBUTSU_LION_PAIRS, // all elephants and lions to one pair of giraffes
    CELLS = 13 * GIRAFFE_CELLS,                         // giraffes in hand, one in hand, and two pairs on the board
    FEW_CELLS = GIRAFFE_CELLS,
    TINY_CELLS = 10 * DOBUTSU_BUCKET_CELLS,
    BLOCK = 1 << 14,
    SMALL_BLOCK = 1 << 8,
    CODES = CELLS * DOBUTSU_CELL_CODES,
    LEVEL = 3
};

static struct thread_pool *pool; // of four threads
static uint8_t *expected;        // [CODES]
static uint32_t *kept_codes;     // those with a place of their own, rising
static uint32_t kept_count;
static uint64_t in_other_cells; // duplicates whose value stands in another cell

// ---- what is right ----

static uint32_t mix32(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    return x ^ x >> 16;
}

// 1..254, every one of them; small ones are frequent.
static uint8_t made_up(uint32_t identity)
{
    const uint32_t random = mix32(identity);
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

// The smallest code of a valid position.
static uint32_t identity_of(uint32_t code)
{
    struct dobutsu p;
    dobutsu_decode(code, &p);
    const uint32_t own = code_of(&p);
    dobutsu_mirror(&p);
    const uint32_t mirror = code_of(&p);
    return own < mirror ? own : mirror;
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
    const uint32_t identity = identity_of(code);
    *kept = identity == code;
    in_other_cells += identity / DOBUTSU_CELL_CODES != code / DOBUTSU_CELL_CODES;
    return made_up(identity);
}

static int work_out(void)
{
    expected = malloc(CODES);
    kept_codes = malloc(CODES * sizeof *kept_codes);
    if (expected == NULL || kept_codes == NULL)
        return -1;
    for (uint32_t code = 0; code < CODES; code++) {
        bool kept;
        expected[code] = right_value(code, &kept);
        if (kept)
            kept_codes[kept_count++] = code;
    }
    return 0;
}

// The kept codes of the first cells.
static uint32_t kept_in(uint32_t cells)
{
    uint32_t low = 0;
    uint32_t high = kept_count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (kept_codes[middle] < cells * DOBUTSU_CELL_CODES)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// ---- files ----

static const char *scratch(const char *name)
{
    static char paths[4][PATHS_MAX];
    static int next;
    char *path = paths[next++ % 4];
    const char *folder = getenv("CLTB_TEST_TMP");
    snprintf(path, PATHS_MAX, "%s/%s", folder == NULL ? "." : folder, name);
    return path;
}

static bool part_exists(const char *path)
{
    char part[PATHS_MAX + 8];
    snprintf(part, sizeof part, "%s.part", path);
    return access(part, F_OK) == 0;
}

static int copy_expected(void *context, uint32_t first, uint32_t count, uint8_t *values)
{
    (void)context;
    REQUIRE(first % DOBUTSU_BUCKET_CELLS == 0 && count % DOBUTSU_BUCKET_CELLS == 0 && count > 0 && count <= 1024);
    memcpy(values, expected + (size_t)first * DOBUTSU_CELL_CODES, (size_t)count * DOBUTSU_CELL_CODES);
    return 0;
}

static void write_cells(const char *path, uint32_t cells, uint32_t block_values)
{
    const struct dobutsu_shape shape = {cells, block_values};
    GOOD(dobutsu_table_write_shape(path, &shape, copy_expected, NULL, LEVEL, pool, NULL, NULL));
    assert_false(part_exists(path));
}

static const char *large_path(void)
{
    return scratch("large.cltb");
}

static int setup(void **state)
{
    (void)state;
    if (work_out() != 0 || threads_open(&pool, 4) != 0)
        return -1;
    write_cells(large_path(), CELLS, BLOCK);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    threads_close(pool);
    free(kept_codes);
    free(expected);
    return 0;
}

// ---- round trips ----

static void check_cells(struct dobutsu_table *table, uint32_t first, uint32_t count)
{
    const size_t bytes = (size_t)count * DOBUTSU_CELL_CODES;
    uint8_t *values = malloc(bytes + 1);
    REQUIRE(values != NULL);
    memset(values, 99, bytes);
    REQUIRE(dobutsu_table_cells(table, first, count, values) == 0);
    REQUIRE(memcmp(values, expected + (size_t)first * DOBUTSU_CELL_CODES, bytes) == 0);
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

static void test_every_code_in_bulk(void **state)
{
    (void)state;
    struct dobutsu_table *table;
    GOOD(dobutsu_table_open_cells(&table, large_path(), CELLS, 0));
    check_cells(table, 0, CELLS); // loads by itself
    check_cells(table, CELLS, 0);
    check_cells(table, 777, 1);
    GOOD(dobutsu_table_load(table, pool));
    check_values(table, 0, CODES, 1);
    dobutsu_table_close(table);
    GOOD(dobutsu_table_open_cells(&table, large_path(), CELLS, 0));
    GOOD(dobutsu_table_load(table, pool));
    GOOD(dobutsu_table_load(table, pool));
    check_cells(table, 0, CELLS);
    dobutsu_table_close(table);
    assert_true(in_other_cells > 10000); // the mirror images were not left out
}

static void test_codes_probed(void **state)
{
    (void)state;
    struct dobutsu_table *table;
    const char *path = scratch("few.cltb");
    write_cells(path, FEW_CELLS, SMALL_BLOCK);
    GOOD(dobutsu_table_open_cells(&table, path, FEW_CELLS, 1 << 24));
    check_values(table, 0, FEW_CELLS * DOBUTSU_CELL_CODES, 1);
    dobutsu_table_close(table);
    GOOD(dobutsu_table_open_cells(&table, path, FEW_CELLS, 0));
    check_values(table, 3, FEW_CELLS * DOBUTSU_CELL_CODES, 97);
    dobutsu_table_close(table);
    GOOD(dobutsu_table_open_cells(&table, large_path(), CELLS, 1 << 24));
    check_values(table, 1, CODES, 13);
    dobutsu_table_close(table);
}

// The first level by itself: the values of the kept codes, in their order.
static void test_first_level(void **state)
{
    (void)state;
    struct container *container;
    GOOD(container_open(&container, large_path()));
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

static void test_figures(void **state)
{
    (void)state;
    struct dobutsu_table *table;
    uint64_t count[DOBUTSU_VALUES] = {0};
    for (uint32_t code = 0; code < CODES; code++)
        count[expected[code]]++;
    GOOD(dobutsu_table_open_cells(&table, large_path(), CELLS, 0));
    const struct dobutsu_table_info *info = dobutsu_table_info(table);
    for (int value = 0; value < DOBUTSU_VALUES; value++) {
        assert_true(count[value] > 0);
        assert_int_equal(info->count[value], count[value]);
    }
    uint64_t file_bytes;
    GOOD(container_size(large_path(), &file_bytes));
    assert_int_equal(info->kept, kept_count);
    assert_int_equal(info->file_bytes, file_bytes);
    assert_int_equal(info->block_values, BLOCK);
    assert_true(info->value_bytes > kept_count / 10 && info->value_bytes < kept_count);
    assert_true(info->bucket_bytes > 0 && info->bucket_bytes + info->value_bytes < file_bytes);
    dobutsu_table_close(table);
}

static void test_no_such_code(void **state)
{
    (void)state;
    struct dobutsu_table *table;
    uint8_t value;
    GOOD(dobutsu_table_open_cells(&table, large_path(), CELLS, 0));
    assert_int_equal(dobutsu_table_value(table, CODES, &value), CLTB_E_USAGE);
    assert_int_equal(dobutsu_table_value(table, UINT32_MAX, &value), CLTB_E_USAGE);
    assert_int_equal(dobutsu_table_cells(table, CELLS, 1, &value), CLTB_E_USAGE);
    assert_int_equal(dobutsu_table_cells(table, CELLS + 1, 0, &value), CLTB_E_USAGE);
    assert_int_equal(dobutsu_table_cells(table, 1, CELLS, &value), CLTB_E_USAGE);
    assert_int_equal(dobutsu_table_cells(table, 1, UINT32_MAX, &value), CLTB_E_USAGE);
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
    uint32_t random = reader->number;
    for (int i = 0; i < 40000; i++) {
        random = random * 1664525 + 1013904223;
        const uint32_t code = (uint32_t)((uint64_t)random * CODES >> 32);
        check_values(reader->table, code, code + 1, 1);
        if (reader->number % 2 == 0 && i >= 20000 && i % 100 == 0) // half of the threads load on their way
            check_cells(reader->table, code / DOBUTSU_CELL_CODES, 1);
    }
    return NULL;
}

static void test_many_threads(void **state)
{
    (void)state;
    struct dobutsu_table *table;
    struct reader readers[6];
    const unsigned count = sizeof readers / sizeof readers[0];
    GOOD(dobutsu_table_open_cells(&table, large_path(), CELLS, 3 * BLOCK));
    for (unsigned i = 0; i < count; i++) {
        readers[i] = (struct reader){.table = table, .number = i};
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_along, &readers[i]), 0);
    }
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
    dobutsu_table_close(table);
}

static void test_any_number_of_threads_writes_the_same(void **state)
{
    (void)state;
    const struct bytes four = read_file(large_path());
    for (int threads = 1; threads <= 7; threads += 2) {
        struct thread_pool *other;
        const struct dobutsu_shape shape = {CELLS, BLOCK};
        const char *path = scratch("again.cltb");
        GOOD(threads_open(&other, threads));
        GOOD(dobutsu_table_write_shape(path, &shape, copy_expected, NULL, LEVEL, other, NULL, NULL));
        threads_close(other);
        const struct bytes again = read_file(path);
        assert_int_equal(again.size, four.size);
        assert_memory_equal(again.data, four.data, four.size);
        free(again.data);
    }
    free(four.data);
}

// ---- writing that fails ----

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
    REQUIRE(share >= hearing->last && share > 0 && share <= 1);
    hearing->last = share;
    hearing->calls++;
    return share >= hearing->stop;
}

static void test_progress(void **state)
{
    (void)state;
    const char *path = scratch("progress.cltb");
    const struct dobutsu_shape shape = {FEW_CELLS, SMALL_BLOCK};
    struct hearing hearing = {.thread = pthread_self(), .stop = 2};
    GOOD(dobutsu_table_write_shape(path, &shape, copy_expected, NULL, LEVEL, pool, hear, &hearing));
    assert_true(hearing.last == 1);
    assert_true(hearing.calls > 10);
    const struct bytes before = read_file(path);
    for (int percent = 0; percent <= 100; percent += 10) {
        struct hearing stopping = {.thread = pthread_self(), .stop = percent / 100.0};
        const int code = dobutsu_table_write_shape(path, &shape, copy_expected, NULL, LEVEL, pool, hear, &stopping);
        assert_int_equal(code, CLTB_E_INTERRUPTED);
        assert_false(part_exists(path));
    }
    const struct bytes after = read_file(path); // the old one stands
    assert_int_equal(after.size, before.size);
    assert_memory_equal(after.data, before.data, before.size);
    free(before.data);
    free(after.data);
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

// The first code from `from` on that has the value, or, if it is `made_up`'s, any such.
static uint32_t find_code(uint32_t from, uint8_t value)
{
    uint32_t code = from;
    while (value == 1 ? expected[code] == 0 || expected[code] == DOBUTSU_INVALID : expected[code] != value)
        code++;
    assert_true(code < FEW_CELLS * DOBUTSU_CELL_CODES);
    return code;
}

static void test_bad_sources(void **state)
{
    (void)state;
    const char *path = scratch("bad.cltb");
    const struct dobutsu_shape shape = {FEW_CELLS, SMALL_BLOCK};
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
        struct spoiling spoiling = spoilings[i];
        const int code = dobutsu_table_write_shape(path, &shape, spoil, &spoiling, LEVEL, pool, NULL, NULL);
        assert_int_equal(code, spoiling.fail ? CLTB_E_DEVICE : CLTB_E_MISMATCH);
        assert_true(!spoiling.fail || strcmp(error_text(), "the source has run dry") == 0);
        assert_int_not_equal(access(path, F_OK), 0);
        assert_false(part_exists(path));
    }
    assert_int_equal(dobutsu_table_write(scratch("no/such/folder.cltb"), copy_expected, NULL, LEVEL, pool, NULL, NULL),
                     CLTB_E_IO);
}

// ---- files that are no dobutsu table ----

static void expect_open(const char *path, int code, const char *words)
{
    struct dobutsu_table *table;
    assert_int_equal(dobutsu_table_open(&table, path, 0), code);
    assert_null(table);
    if (strstr(error_text(), words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error_text(), words);
}

static void write_text(const char *path, const char *text)
{
    struct container_writer *writer;
    const struct container_stream stream = {"values", 1, 16, 1, 16};
    struct container_compressor *compressor;
    static const uint8_t symbols[16] = {1};
    uint8_t compressed[256];
    size_t bytes;
    assert_true(container_bound(sizeof symbols) <= sizeof compressed);
    GOOD(container_compressor_open(&compressor, 1));
    GOOD(container_compress(compressor, symbols, sizeof symbols, compressed, &bytes));
    container_compressor_close(compressor);
    const struct container_piece piece = {compressed, (uint32_t)bytes};
    GOOD(container_create(&writer, path, &stream, 1, strlen(text) + 1));
    GOOD(container_add(writer, 0, 0, &piece));
    GOOD(container_finish(writer, text));
}

static void test_other_files(void **state)
{
    (void)state;
    const char *path = scratch("other.cltb");
    unlink(path);
    expect_open(path, CLTB_E_MISSING, "cannot open");
    expect_open(scratch("."), CLTB_E_FOREIGN, "it is not a file");
    write_file(path, "", 0);
    expect_open(path, CLTB_E_CORRUPT, "it has 0 bytes");
    write_file(path, "#!/bin/sh\necho hello\n", 21);
    expect_open(path, CLTB_E_FOREIGN, "is not a table of this program");
    write_text(path, "game chess\nmaterial KQvK\nmetric dtz\n");
    expect_open(path, CLTB_E_FOREIGN, "other.cltb is a chess table, not dobutsu");
    write_text(path, "material KQvK\n");
    expect_open(path, CLTB_E_CORRUPT, "it does not say of which game");
    write_text(path, "game \033[2Jchess\n");
    expect_open(path, CLTB_E_CORRUPT, "it does not say of which game");
    write_cells(path, TINY_CELLS, SMALL_BLOCK);
    expect_open(path, CLTB_E_CORRUPT, "it does not have all codes");
    struct bytes bytes = read_file(path);
    bytes.data[HEAD_VERSION]++;
    write_file(path, bytes.data, bytes.size);
    expect_open(path, CLTB_E_FOREIGN, "has format version 2; this program reads version 1");
    free(bytes.data);
}

// ---- damage ----

// Opens and checks: the first error.
static int open_and_check(const char *path)
{
    struct dobutsu_table *table;
    TRY(dobutsu_table_open_cells(&table, path, TINY_CELLS, 0));
    const int code = dobutsu_table_check(table, pool);
    dobutsu_table_close(table);
    return code;
}

static void test_cut_short(void **state)
{
    (void)state;
    const char *path = scratch("short.cltb");
    write_cells(path, TINY_CELLS, SMALL_BLOCK);
    struct bytes bytes = read_file(path);
    GOOD(open_and_check(path));
    for (size_t size = 0; size < bytes.size; size += size < 100 || size > bytes.size - 10 ? 1 : 61) {
        write_file(path, bytes.data, size);
        assert_int_equal(open_and_check(path), CLTB_E_CORRUPT);
    }
    free(bytes.data);
}

// Where a block lies in the file, by its own account.
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

static void test_any_byte_changed(void **state)
{
    (void)state;
    const char *path = scratch("changed.cltb");
    write_cells(path, TINY_CELLS, SMALL_BLOCK);
    struct bytes bytes = read_file(path);
    for (size_t at = 0; at < bytes.size; at += at < 600 ? 1 : 7) {
        bytes.data[at] ^= (uint8_t)(1 << at % 8);
        write_file(path, bytes.data, bytes.size);
        const int code = open_and_check(path);
        bytes.data[at] ^= (uint8_t)(1 << at % 8);
        if (code != (at < HEAD_STREAMS ? CLTB_E_FOREIGN : CLTB_E_CORRUPT))
            fail_msg("byte %zu: code %d", at, code);
    }
    write_file(path, bytes.data, bytes.size);
    GOOD(open_and_check(path));
    free(bytes.data);
}

// Bytes change under an open table, in one block after another: a probe of that block notices, others do not care.
static void test_a_damaged_block_is_noticed_when_probed(void **state)
{
    (void)state;
    const char *path = scratch("block.cltb");
    write_cells(path, TINY_CELLS, SMALL_BLOCK);
    struct bytes bytes = read_file(path);
    struct container *container;
    GOOD(container_open(&container, path));
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
        for (uint32_t i = 0; i < kept_in(TINY_CELLS); i += 37) {
            uint8_t value;
            const int code = dobutsu_table_value(table, kept_codes[i], &value);
            assert_int_equal(code, i / SMALL_BLOCK == block ? CLTB_E_CORRUPT : 0);
            assert_true(code == 0 ? value == expected[kept_codes[i]]
                                  : strstr(error_text(), "cltb build dobutsu makes a new one") != NULL);
        }
        uint8_t values[DOBUTSU_CELL_CODES];
        assert_int_equal(dobutsu_table_check(table, pool), CLTB_E_CORRUPT);
        assert_int_equal(dobutsu_table_load(table, pool), CLTB_E_CORRUPT);
        assert_int_equal(dobutsu_table_cells(table, 0, 1, values), CLTB_E_CORRUPT);
        write_file(path, bytes.data, bytes.size); // mended: the table that is open can be read
        check_cells(table, 0, TINY_CELLS);
        dobutsu_table_close(table);
    }
    container_close(container);
    free(bytes.data);
}

// ---- tables that lie: all checksums are right ----

struct lie {
    const char *key;    // the line of the properties with this key
    const char *line;   // is replaced by this; NULL: taken away
    const char *drop;   // a stream to leave out, or NULL
    const char *spoil;  // a stream that is changed, or NULL
    uint32_t symbol;    // number of the symbol
    int add;            // to it
    int add_to_next;    // and to the one behind it
    uint32_t more;      // symbols that the stream is longer
    bool wide;          // its symbols have two bytes
    bool two_sections;  // it is there twice
    bool opens;         // only reading tells
    const char *saying; // a part of the sentence
};

// `to` has `size` bytes.
static void edit_text(char *to, size_t size, const char *from, const struct lie *lie)
{
    const size_t length = lie->key == NULL ? 0 : strlen(lie->key);
    bool found = lie->key == NULL;
    size_t at = 0;
    *to = '\0';
    for (const char *line = from; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const bool changed = lie->key != NULL && strncmp(line, lie->key, length) == 0 && line[length] == ' ';
        found |= changed;
        if (!changed)
            at += (size_t)snprintf(to + at, size - at, "%.*s\n", (int)strcspn(line, "\n"), line);
        else if (lie->line != NULL)
            at += (size_t)snprintf(to + at, size - at, "%s\n", lie->line);
        assert_true(at < size);
    }
    assert_true(found);
}

static void add_to(uint8_t *symbols, uint32_t bytes, uint32_t symbol, int add)
{
    put_number(symbols + (size_t)symbol * bytes, (int)bytes,
               get_number(symbols + (size_t)symbol * bytes, (int)bytes) + (uint64_t)add);
}

// The symbols of a whole stream, with room behind them, changed as the lie wants; `shape` becomes what is written.
static uint8_t *lying_symbols(const struct container *from, int stream, const struct lie *lie,
                              struct container_stream *shape)
{
    const struct container_stream *old = container_stream(from, stream);
    const size_t bytes = (size_t)(container_blocks(old) + 1) * old->block_symbols * old->symbol_bytes;
    uint8_t *symbols = calloc(1, 4 * bytes);
    assert_non_null(symbols);
    for (uint64_t block = 0; block < container_blocks(old); block++)
        GOOD(container_read(from, stream, block, symbols + block * old->block_symbols * old->symbol_bytes));
    *shape = *old;
    if (lie->spoil == NULL || strcmp(lie->spoil, old->name) != 0)
        return symbols;
    add_to(symbols, old->symbol_bytes, lie->symbol, lie->add);
    add_to(symbols, old->symbol_bytes, lie->symbol + 1, lie->add_to_next);
    shape->section_symbols += lie->more;
    shape->symbol_bytes = lie->wide ? 2 : shape->symbol_bytes;
    shape->sections = lie->two_sections ? 2 : 1;
    return symbols;
}

static void put_stream(struct container_writer *writer, int to, const struct container_stream *shape,
                       const uint8_t *symbols)
{
    const uint64_t blocks = container_section_blocks(shape);
    struct container_piece *pieces = calloc(blocks, sizeof *pieces);
    struct container_compressor *compressor;
    GOOD(container_compressor_open(&compressor, 1));
    assert_non_null(pieces);
    for (uint64_t i = 0; i < blocks; i++) {
        const size_t size = (size_t)container_block_length(shape, i) * shape->symbol_bytes;
        uint8_t *compressed = malloc(container_bound(size));
        size_t compressed_size;
        assert_non_null(compressed);
        GOOD(container_compress(compressor, symbols + i * shape->block_symbols * shape->symbol_bytes, size, compressed,
                                &compressed_size));
        pieces[i] = (struct container_piece){compressed, (uint32_t)compressed_size};
    }
    for (uint64_t section = 0; section < shape->sections; section++)
        GOOD(container_add(writer, to, section, pieces));
    for (uint64_t i = 0; i < blocks; i++)
        free((void *)(uintptr_t)pieces[i].data);
    container_compressor_close(compressor);
    free(pieces);
}

static void write_lie(const char *path, const char *from_path, const struct lie *lie)
{
    enum { TEXT_MAX = 16384 };
    struct container *from;
    struct container_writer *writer;
    struct container_stream shapes[CONTAINER_STREAMS_MAX];
    uint8_t *symbols[CONTAINER_STREAMS_MAX];
    int count = 0;
    char *text = malloc(TEXT_MAX);
    GOOD(container_open(&from, from_path));
    assert_non_null(text);
    edit_text(text, TEXT_MAX, container_text(from), lie);
    for (int i = 0; i < container_stream_count(from); i++) {
        if (lie->drop != NULL && strcmp(lie->drop, container_stream(from, i)->name) == 0)
            continue;
        symbols[count] = lying_symbols(from, i, lie, &shapes[count]);
        count++;
    }
    GOOD(container_create(&writer, path, shapes, count, TEXT_MAX));
    for (int i = 0; i < count; i++) {
        put_stream(writer, i, &shapes[i], symbols[i]);
        free(symbols[i]);
    }
    GOOD(container_finish(writer, text));
    container_close(from);
    free(text);
}

// Probes every kept code: did one notice?
static bool a_probe_notices(struct dobutsu_table *table)
{
    bool noticed = false;
    for (uint32_t i = 0; i < kept_in(TINY_CELLS); i++) {
        uint8_t value;
        const int code = dobutsu_table_value(table, kept_codes[i], &value);
        assert_true(code == 0 || code == CLTB_E_CORRUPT);
        noticed |= code != 0;
    }
    return noticed;
}

static void expect_refused(const char *path, const struct lie *lie)
{
    struct dobutsu_table *table;
    int code = dobutsu_table_open_cells(&table, path, TINY_CELLS, 1 << 20);
    assert_int_equal(code == 0, lie->opens);
    if (code == 0) {
        uint8_t values[DOBUTSU_CELL_CODES];
        assert_true(a_probe_notices(table));
        assert_int_equal(dobutsu_table_load(table, pool), CLTB_E_CORRUPT);
        assert_int_equal(dobutsu_table_cells(table, 0, 1, values), CLTB_E_CORRUPT);
        code = dobutsu_table_check(table, pool);
        dobutsu_table_close(table);
    }
    assert_int_equal(code, CLTB_E_CORRUPT);
    if (strstr(error_text(), lie->saying) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error_text(), lie->saying);
}

static void test_lies_are_refused(void **state)
{
    (void)state;
    const char *honest = scratch("honest.cltb");
    const char *path = scratch("lie.cltb");
    write_cells(honest, TINY_CELLS, SMALL_BLOCK);
    const uint32_t some = 1000;
    const uint8_t value = expected[kept_codes[some]];
    const struct lie lies[] = {
        {.key = "game", .saying = "it does not say of which game"},
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
        {.spoil = "buckets", .more = 1, .saying = "has the wrong length"},
        {.spoil = "values", .more = 1, .saying = "has the wrong length"},
        {.spoil = "values", .wide = true, .saying = "has the wrong length"},
        {.spoil = "buckets", .two_sections = true, .saying = "has the wrong length"},
        {.spoil = "values", .two_sections = true, .saying = "has the wrong length"},
        {.spoil = "buckets", .symbol = 3, .add = 1, .saying = "do not have as many values"},
        {.spoil = "buckets", .symbol = 9, .add = -1, .saying = "do not have as many values"},
        {.spoil = "buckets", .symbol = 4, .add = 4096, .add_to_next = -4096, .saying = "a bucket has too many values"},
        {.spoil = "buckets",
         .symbol = 5,
         .add = -1,
         .add_to_next = 1,
         .opens = true,
         .saying = "a bucket has the wrong"},
        {.spoil = "values", .symbol = some, .add = -value, .opens = true, .saying = "a value contradicts its code"},
        {.spoil = "values",
         .symbol = some,
         .add = 255 - value,
         .opens = true,
         .saying = "a value contradicts its code"},
    };
    // The same copying with nothing changed, and with changes that are none of the reader's business.
    static const struct lie truths[] = {{0}, {.key = "game", .line = "comment made by a test\ngame dobutsu"}};
    for (size_t i = 0; i < sizeof truths / sizeof truths[0]; i++) {
        write_lie(path, honest, &truths[i]);
        GOOD(open_and_check(path));
    }
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        write_lie(path, honest, &lies[i]);
        expect_refused(path, &lies[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_in_bulk),
        cmocka_unit_test(test_codes_probed),
        cmocka_unit_test(test_first_level),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_no_such_code),
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_any_number_of_threads_writes_the_same),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_bad_sources),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_any_byte_changed),
        cmocka_unit_test(test_a_damaged_block_is_noticed_when_probed),
        cmocka_unit_test(test_lies_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
