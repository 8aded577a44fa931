// test_container.c - containers: what goes in comes out, files appear whole or not at all, and no damage goes unnoticed
//
// Damage of two kinds: bytes changed by accident (every single byte, every truncation), which the checksums must show;
// and hostile heads, whose checksum is made right again after numbers were changed, so that only the reader's own sense
// is left.
//
// flock() is taken over by this program, so that a test can let another writer finish just before a lock is taken.
#include "support/support.h"

#include "table/container.h"
#include "table/container_format.h"
#include "util/error.h"
#include "util/threads.h"

#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xxhash.h>

static void (*before_lock)(void);

int flock(int file, int operation)
{
    void (*hook)(void) = before_lock;
    before_lock = NULL;
    if (hook != NULL)
        hook();
    return (int)syscall(SYS_flock, file, operation);
}

// ---- files ----

enum { PATHS_MAX = 600 };

static const char *scratch(const char *name)
{
    static char paths[4][PATHS_MAX];
    static int next;
    char *path = paths[next++ % 4];
    const char *folder = getenv("CLTB_TEST_TMP");
    snprintf(path, PATHS_MAX, "%s/%s", folder == NULL ? "." : folder, name);
    return path;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

// "NAME.part", which must not stay behind.
static bool part_exists(const char *path)
{
    char part[PATHS_MAX + 8];
    snprintf(part, sizeof part, "%s.part", path);
    return exists(part);
}

static void remove_both(const char *path)
{
    char part[PATHS_MAX + 8];
    snprintf(part, sizeof part, "%s.part", path);
    unlink(path);
    unlink(part);
}

// A file in memory under a path of /proc: damaged containers are written by the thousand.
static const char *memory_file(void)
{
    static char path[40];
    if (path[0] == '\0') {
        const int file = memfd_create("damaged", MFD_CLOEXEC);
        assert_true(file >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    return path;
}

// ---- a sample container ----

// Sections that are no multiple of the block's length, blocks longer than the section, one block a section, both
// widths.
static const struct container_stream sample[] = {
    {"alpha", 1, 7, 3, 17},
    {"beta", 2, 5, 2, 5},
    {"gamma-longer-15", 2, 100, 4, 33},
    {"d", 1, 1, 2, 3},
};
enum { SAMPLE_STREAMS = sizeof sample / sizeof sample[0], TEXT_SPACE = 64 };
static const char sample_text[] = "game chess\nmaterial KQvK\n";

// Streams differ in how well they compress.
static unsigned symbol_of(int stream, uint64_t section, uint64_t i)
{
    const uint64_t x = (section * 1000 + i) * UINT64_C(0x9e3779b97f4a7c15);
    if (stream == 0)
        return (unsigned)(i / 5 + section) & 0xff;
    return (unsigned)(x >> 40) & (stream == 3 ? 0xff : 0xffff);
}

static void put_symbols(uint8_t *to, const struct container_stream *shape, int stream, uint64_t section, uint64_t first,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put_number(to + i * shape->symbol_bytes, (int)shape->symbol_bytes, symbol_of(stream, section, first + i));
}

static int add_section(struct container_writer *writer, const struct container_stream *shapes, int stream,
                       uint64_t section)
{
    const struct container_stream *shape = &shapes[stream];
    const uint64_t blocks = container_section_blocks(shape);
    const size_t block_bytes = (size_t)shape->block_symbols * shape->symbol_bytes;
    struct container_piece *pieces = calloc(blocks, sizeof *pieces);
    uint8_t *symbols = malloc(block_bytes);
    struct container_compressor *compressor;
    int code = container_compressor_open(&compressor, 3);
    if (pieces == NULL || symbols == NULL || code != 0)
        abort();
    for (uint64_t i = 0; i < blocks; i++) {
        const uint32_t length = container_block_length(shape, i);
        void *compressed = malloc(container_bound(block_bytes));
        size_t size = 0;
        if (compressed == NULL)
            abort();
        put_symbols(symbols, shape, stream, section, i * shape->block_symbols, length);
        code |= container_compress(compressor, symbols, (size_t)length * shape->symbol_bytes, compressed, &size);
        pieces[i] = (struct container_piece){compressed, (uint32_t)size};
    }
    code |= container_add(writer, stream, section, pieces);
    for (uint64_t i = 0; i < blocks; i++)
        free((void *)(uintptr_t)pieces[i].data);
    container_compressor_close(compressor);
    free(pieces);
    free(symbols);
    return code;
}

static void add_all(struct container_writer *writer)
{
    for (int stream = 0; stream < SAMPLE_STREAMS; stream++) {
        for (uint64_t section = 0; section < sample[stream].sections; section++)
            GOOD(add_section(writer, sample, stream, section));
    }
}

static void make_sample(const char *path)
{
    struct container_writer *writer;
    GOOD(container_create(&writer, path, sample, SAMPLE_STREAMS, TEXT_SPACE));
    add_all(writer);
    GOOD(container_finish(writer, sample_text));
}

static struct bytes sample_bytes(void)
{
    const char *path = scratch("sample");
    remove_both(path);
    make_sample(path);
    return read_file(path);
}

static void check_stream(const struct container *container, int stream)
{
    const struct container_stream *shape = container_stream(container, stream);
    const uint64_t section_blocks = container_section_blocks(shape);
    for (uint64_t block = 0; block < container_blocks(shape); block++) {
        const uint32_t length = container_block_length(shape, block);
        const size_t size = (size_t)length * shape->symbol_bytes;
        uint8_t *found = malloc(size); // of the very size, so that a sanitizer sees any byte too many
        uint8_t *expected = malloc(size);
        assert_true(found != NULL && expected != NULL);
        put_symbols(expected, shape, stream, block / section_blocks, block % section_blocks * shape->block_symbols,
                    length);
        GOOD(container_read(container, stream, block, found));
        assert_memory_equal(found, expected, size);
        free(found);
        free(expected);
    }
}

static void check_sample(const char *path)
{
    struct container *container;
    GOOD(container_open(&container, path));
    assert_string_equal(container_path(container), path);
    assert_string_equal(container_text(container), sample_text);
    assert_int_equal(container_stream_count(container), SAMPLE_STREAMS);
    uint64_t blocks_bytes = 0;
    uint64_t blocks = 0;
    uint64_t sections = 0;
    for (int i = 0; i < SAMPLE_STREAMS; i++) {
        const struct container_stream *shape = container_stream(container, i);
        assert_string_equal(shape->name, sample[i].name);
        assert_int_equal(shape->symbol_bytes, sample[i].symbol_bytes);
        assert_int_equal(shape->block_symbols, sample[i].block_symbols);
        assert_true(shape->sections == sample[i].sections && shape->section_symbols == sample[i].section_symbols);
        assert_int_equal(container_find(container, sample[i].name), i);
        check_stream(container, i);
        blocks_bytes += container_stream_bytes(container, i);
        blocks += container_blocks(shape);
        sections += shape->sections;
    }
    assert_int_equal(container_find(container, "alph"), -1);
    assert_int_equal(container_find(container, ""), -1);
    uint64_t size;
    GOOD(container_size(path, &size));
    assert_true(container_file_bytes(container) == size);
    // docs/format.md: the head, and then nothing but blocks.
    const uint64_t head = 48 + 40 * SAMPLE_STREAMS + 8 * sections + 12 * blocks + TEXT_SPACE;
    assert_true(size == head + blocks_bytes);
    GOOD(container_check(container));
    container_close(container);
}

// ---- writing and reading ----

static void test_round_trip(void **state)
{
    (void)state;
    const char *path = scratch("round-trip");
    remove_both(path);
    make_sample(path);
    assert_false(part_exists(path));
    check_sample(path);
}

static void test_block_lengths(void **state)
{
    (void)state;
    static const uint32_t alpha[] = {7, 7, 3, 7, 7, 3, 7, 7, 3};
    assert_int_equal(container_blocks(&sample[0]), 9);
    for (uint64_t i = 0; i < 9; i++)
        assert_int_equal(container_block_length(&sample[0], i), alpha[i]);
    assert_int_equal(container_blocks(&sample[1]), 2);
    assert_int_equal(container_block_length(&sample[1], 1), 5);
    assert_int_equal(container_blocks(&sample[2]), 4);
    assert_int_equal(container_block_length(&sample[2], 3), 33);
    assert_int_equal(container_blocks(&sample[3]), 6);
    assert_int_equal(container_block_length(&sample[3], 5), 1);
}

static void test_sections_in_any_order(void **state)
{
    (void)state;
    const char *path = scratch("backwards");
    struct container_writer *writer;
    remove_both(path);
    GOOD(container_create(&writer, path, sample, SAMPLE_STREAMS, TEXT_SPACE));
    uint64_t written = container_written(writer);
    for (int stream = SAMPLE_STREAMS - 1; stream >= 0; stream--) {
        for (uint64_t section = sample[stream].sections; section-- > 0;) {
            GOOD(add_section(writer, sample, stream, section));
            assert_true(container_written(writer) > written);
            written = container_written(writer);
        }
    }
    assert_true(part_exists(path) && !exists(path));
    GOOD(container_finish(writer, sample_text));
    uint64_t size;
    GOOD(container_size(path, &size));
    assert_true(size == written);
    check_sample(path);
}

// Item n is the n-th section of all streams, taken crosswise.
static int add_item(void *context, uint64_t item, int worker)
{
    (void)worker;
    item = item * 7 % 11; // the sample has 11 sections
    for (int stream = 0; stream < SAMPLE_STREAMS; stream++) {
        if (item < sample[stream].sections)
            return add_section(context, sample, stream, item);
        item -= sample[stream].sections;
    }
    return CLTB_E_USAGE;
}

static void test_sections_from_threads(void **state)
{
    (void)state;
    const char *path = scratch("threads");
    struct thread_pool *pool;
    GOOD(threads_open(&pool, 4));
    for (int round = 0; round < 20; round++) {
        struct container_writer *writer;
        remove_both(path);
        GOOD(container_create(&writer, path, sample, SAMPLE_STREAMS, TEXT_SPACE));
        GOOD(threads_each(pool, 11, add_item, writer));
        GOOD(container_finish(writer, sample_text));
        check_sample(path);
    }
    threads_close(pool);
}

static int read_item(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct container *container = context;
    const int stream = (int)(item % SAMPLE_STREAMS);
    const struct container_stream *shape = container_stream(container, stream);
    const uint64_t block = item / SAMPLE_STREAMS % container_blocks(shape);
    const uint64_t section_blocks = container_section_blocks(shape);
    uint8_t found[200];
    uint8_t expected[200];
    put_symbols(expected, shape, stream, block / section_blocks, block % section_blocks * shape->block_symbols,
                container_block_length(shape, block));
    int code = container_read(container, stream, block, found);
    if (code == 0 && memcmp(found, expected, (size_t)container_block_length(shape, block) * shape->symbol_bytes) != 0)
        code = error_set(CLTB_E_MISMATCH, "stream %d block %d", stream, (int)block);
    return code;
}

static void test_reading_from_threads(void **state)
{
    (void)state;
    const char *path = scratch("readers");
    struct thread_pool *pool;
    struct container *container;
    remove_both(path);
    make_sample(path);
    GOOD(threads_open(&pool, 4));
    GOOD(container_open(&container, path));
    GOOD(threads_each(pool, 20000, read_item, container));
    container_close(container);
    threads_close(pool);
}

// ---- whole or not at all ----

static void test_abandon_leaves_nothing(void **state)
{
    (void)state;
    const char *path = scratch("abandoned");
    struct container_writer *writer;
    remove_both(path);
    container_abandon(NULL);
    GOOD(container_create(&writer, path, sample, SAMPLE_STREAMS, TEXT_SPACE));
    container_abandon(writer);
    assert_false(exists(path) || part_exists(path));
    GOOD(container_create(&writer, path, sample, SAMPLE_STREAMS, TEXT_SPACE));
    add_all(writer);
    container_abandon(writer);
    assert_false(exists(path) || part_exists(path));
    // A file that was there before is left alone.
    make_sample(path);
    GOOD(container_create(&writer, path, sample, 1, TEXT_SPACE));
    container_abandon(writer);
    assert_false(part_exists(path));
    check_sample(path);
}

static void test_failed_finish_leaves_nothing(void **state)
{
    (void)state;
    const char *path = scratch("refused");
    char text[TEXT_SPACE + 1];
    struct container_writer *writer;
    struct container *container;
    remove_both(path);
    memset(text, 'x', sizeof text);
    text[TEXT_SPACE] = '\0';
    GOOD(container_create(&writer, path, sample, SAMPLE_STREAMS, TEXT_SPACE));
    add_all(writer);
    assert_int_equal(container_finish(writer, text), CLTB_E_USAGE);
    assert_false(exists(path) || part_exists(path));
    text[TEXT_SPACE - 1] = '\0'; // now it fits
    GOOD(container_create(&writer, path, sample, SAMPLE_STREAMS, TEXT_SPACE));
    add_all(writer);
    GOOD(container_finish(writer, text));
    GOOD(container_open(&container, path));
    assert_string_equal(container_text(container), text);
    container_close(container);

    // A folder in the way.
    const char *folder = scratch("folder");
    mkdir(folder, 0700);
    GOOD(container_create(&writer, folder, sample, SAMPLE_STREAMS, TEXT_SPACE));
    add_all(writer);
    assert_int_equal(container_finish(writer, sample_text), CLTB_E_IO);
    assert_false(part_exists(folder));
}

static void test_create_fails(void **state)
{
    (void)state;
    struct container_writer *writer = (struct container_writer *)1;
    assert_int_equal(container_create(&writer, scratch("no-such-folder/file"), sample, 1, TEXT_SPACE), CLTB_E_IO);
    assert_null(writer);
    char *path = malloc(10000);
    assert_non_null(path);
    memset(path, 'a', 9999);
    path[9999] = '\0';
    assert_int_equal(container_create(&writer, path, sample, 1, TEXT_SPACE), CLTB_E_IO);
    assert_null(writer);
    free(path);
}

static void test_new_file_takes_the_old_ones_place(void **state)
{
    (void)state;
    const char *path = scratch("replaced");
    remove_both(path);
    write_file(path, "an old file", 11);
    char part[PATHS_MAX + 8];
    snprintf(part, sizeof part, "%s.part", path);
    uint8_t *rubbish = malloc(100000); // what a killed writer left behind
    assert_non_null(rubbish);
    memset(rubbish, 0xa5, 100000);
    write_file(part, rubbish, 100000);
    free(rubbish);
    make_sample(path);
    assert_false(part_exists(path));
    check_sample(path);
}

static void test_second_writer_is_refused(void **state)
{
    (void)state;
    const char *path = scratch("contested");
    struct container_writer *first;
    struct container_writer *second = (struct container_writer *)1;
    remove_both(path);
    GOOD(container_create(&first, path, sample, SAMPLE_STREAMS, TEXT_SPACE));
    GOOD(add_section(first, sample, 0, 0));
    assert_int_equal(container_create(&second, path, sample, SAMPLE_STREAMS, TEXT_SPACE), CLTB_E_IO);
    assert_null(second);
    assert_true(part_exists(path));
    container_abandon(first);
    GOOD(container_create(&first, path, sample, SAMPLE_STREAMS, TEXT_SPACE));
    assert_int_equal(container_create(&second, path, sample, SAMPLE_STREAMS, TEXT_SPACE), CLTB_E_IO);
    add_all(first);
    GOOD(container_finish(first, sample_text));
    check_sample(path);
    make_sample(path); // now it may
    check_sample(path);
}

static struct container_writer *rival;

static void rival_finishes(void)
{
    GOOD(container_finish(rival, sample_text));
}

static void rival_abandons(void)
{
    container_abandon(rival);
}

// A writer finishes while another one has opened the temporary file but not locked it yet. The second may be refused or
// be let in; in any case the first one's file stays as it is, and what the second one finishes is there.
static void test_writer_that_comes_between_open_and_lock(void **state)
{
    (void)state;
    const char *path = scratch("between");
    struct container_writer *writer;
    remove_both(path);
    GOOD(container_create(&rival, path, sample, SAMPLE_STREAMS, TEXT_SPACE));
    add_all(rival);
    before_lock = rival_finishes;
    int code = container_create(&writer, path, sample, SAMPLE_STREAMS, TEXT_SPACE);
    check_sample(path);
    if (code == 0) {
        add_all(writer);
        check_sample(path);
        GOOD(container_finish(writer, sample_text));
        check_sample(path);
    }
    assert_false(part_exists(path));

    unlink(path);
    GOOD(container_create(&rival, path, sample, SAMPLE_STREAMS, TEXT_SPACE));
    before_lock = rival_abandons;
    code = container_create(&writer, path, sample, SAMPLE_STREAMS, TEXT_SPACE);
    if (code == 0) {
        add_all(writer);
        GOOD(container_finish(writer, sample_text));
        check_sample(path);
    }
    assert_false(part_exists(path));
}

// ---- damage ----

// The first error that opening and checking give.
static int open_and_check(const char *path)
{
    struct container *container = (struct container *)1;
    int code = container_open(&container, path);
    if (code != 0) {
        assert_null(container);
        return code;
    }
    code = container_check(container);
    container_close(container);
    return code;
}

static void test_every_damaged_byte_is_noticed(void **state)
{
    (void)state;
    const char *path = memory_file();
    static const uint8_t flips[] = {0x01, 0x80, 0xff};
    struct bytes bytes = sample_bytes();
    write_file(path, bytes.data, bytes.size);
    assert_int_equal(open_and_check(path), 0);
    for (size_t at = 0; at < bytes.size; at++) {
        for (size_t i = 0; i < sizeof flips; i++) {
            bytes.data[at] ^= flips[i];
            write_file(path, bytes.data, bytes.size);
            const int code = open_and_check(path);
            if (code != (at < HEAD_VERSION + 4 ? CLTB_E_FOREIGN : CLTB_E_CORRUPT))
                fail_msg("byte %zu ^ %02x: code %d", at, flips[i], code);
            bytes.data[at] ^= flips[i];
        }
    }
    free(bytes.data);
}

static void test_every_truncation_is_noticed(void **state)
{
    (void)state;
    const char *path = memory_file();
    struct bytes bytes = sample_bytes();
    for (size_t size = 0; size < bytes.size; size++) {
        write_file(path, bytes.data, size);
        const int code = open_and_check(path);
        if (code != CLTB_E_CORRUPT)
            fail_msg("%zu bytes: code %d", size, code);
    }
    bytes.data[bytes.size] = 0;
    write_file(path, bytes.data, bytes.size + 1);
    assert_int_equal(open_and_check(path), CLTB_E_CORRUPT);

    // Cut while it is open.
    struct container *container;
    write_file(path, bytes.data, bytes.size);
    GOOD(container_open(&container, path));
    assert_int_equal(truncate(path, (off_t)bytes.size - 1), 0);
    assert_int_equal(container_check(container), CLTB_E_CORRUPT);
    container_close(container);
    free(bytes.data);
}

static void test_what_is_no_file_of_ours(void **state)
{
    (void)state;
    struct container *container = (struct container *)1;
    const char *path = scratch("strange");
    remove_both(path);
    assert_int_equal(container_open(&container, path), CLTB_E_MISSING);
    assert_null(container);
    assert_non_null(strstr(error_text(), path));
    const char *folder = scratch("folder");
    mkdir(folder, 0700);
    assert_int_equal(open_and_check(folder), CLTB_E_FOREIGN);
    uint8_t zeros[4096] = {0};
    write_file(path, zeros, sizeof zeros);
    assert_int_equal(open_and_check(path), CLTB_E_FOREIGN);
    write_file(path, zeros, 3);
    assert_int_equal(open_and_check(path), CLTB_E_FOREIGN);
    write_file(path, zeros, 0);
    assert_int_equal(open_and_check(path), CLTB_E_CORRUPT);
    uint64_t size;
    unlink(path);
    assert_int_equal(container_size(path, &size), CLTB_E_IO);
    container_close(NULL);
}

// Blocks whose checksums are right and which are not what they should be.
static void test_blocks_that_are_wrong_inside(void **state)
{
    (void)state;
    static const struct container_stream one = {"one", 2, 50, 1, 50};
    static const size_t lengths[] = {0, 2, 98, 99, 100, 101, 102, 100000};
    const char *path = scratch("inside");
    struct container_compressor *compressor;
    GOOD(container_compressor_open(&compressor, 1));
    uint8_t *symbols = calloc(1, 100000);
    uint8_t *compressed = malloc(container_bound(100000));
    assert_true(symbols != NULL && compressed != NULL);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0] + 3; i++) {
        struct container_writer *writer;
        size_t size = 40;
        remove_both(path);
        if (i < sizeof lengths / sizeof lengths[0]) {
            GOOD(container_compress(compressor, symbols, lengths[i], compressed, &size));
        } else {
            GOOD(container_compress(compressor, symbols, 100, compressed, &size));
            if (i % 3 == 0)
                size--; // an unfinished frame
            else if (i % 3 == 1)
                size = 0; // nothing
            else
                memset(compressed, 0x5a, size); // no frame
        }
        const struct container_piece piece = {compressed, (uint32_t)size};
        GOOD(container_create(&writer, path, &one, 1, TEXT_SPACE));
        GOOD(container_add(writer, 0, 0, &piece));
        GOOD(container_finish(writer, ""));
        const bool right = i < sizeof lengths / sizeof lengths[0] && lengths[i] == 100;
        assert_int_equal(open_and_check(path), right ? 0 : CLTB_E_CORRUPT);
    }
    container_compressor_close(compressor);
    free(symbols);
    free(compressed);
}

// ---- hostile heads ----

// Makes the head's checksum right again, if its length lies inside the file.
static void mend_checksum(struct bytes *bytes)
{
    const uint64_t head = get_number(bytes->data + HEAD_BYTES, 8);
    if (head < HEAD_FIXED || head > bytes->size)
        return;
    put_number(bytes->data + HEAD_HASH, 8, 0);
    put_number(bytes->data + HEAD_HASH, 8, XXH64(bytes->data, head, 0));
}

static int open_altered(const char *path, const struct bytes *sound, size_t at, int width, uint64_t value)
{
    struct bytes bytes = {malloc(sound->size), sound->size};
    assert_non_null(bytes.data);
    memcpy(bytes.data, sound->data, sound->size);
    assert_true(at + (size_t)width <= bytes.size);
    put_number(bytes.data + at, width, value);
    mend_checksum(&bytes);
    write_file(path, bytes.data, bytes.size);
    free(bytes.data);
    return open_and_check(path);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif

// Without a sanitizer a bound on the process's memory turns absurd requests into CLTB_E_MEMORY, which no test here
// expects.
static void bound_memory(void)
{
#if !defined(SANITIZED)
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0) {
        limit.rlim_cur = (rlim_t)1 << 30;
        setrlimit(RLIMIT_AS, &limit);
    }
#endif
}

static void unbound_memory(void)
{
#if !defined(SANITIZED)
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_AS, &limit);
    }
#endif
}

// Every number of the head replaced by hostile ones. Those of a stream's shape or place, of a block's length or
// checksum, and of the head's parts can have one value only, so anything else must be noticed.
static void test_hostile_numbers(void **state)
{
    (void)state;
    const char *path = memory_file();
    const struct bytes sound = sample_bytes();
    const struct head_parts parts = head_parts(sample, SAMPLE_STREAMS, TEXT_SPACE);
    struct field {
        size_t at;
        int width;
    } fields[200] = {{HEAD_VERSION, 4}, {HEAD_STREAMS, 4}, {HEAD_BYTES, 8}, {HEAD_FILE_BYTES, 8}, {HEAD_TEXT_BYTES, 8}};
    size_t count = 5;
    for (size_t i = 0; i < SAMPLE_STREAMS; i++) {
        const size_t record = HEAD_FIXED + i * STREAM_RECORD;
        fields[count++] = (struct field){record + 16, 4};
        fields[count++] = (struct field){record + 20, 4};
        fields[count++] = (struct field){record + 24, 8};
        fields[count++] = (struct field){record + 32, 8};
        for (size_t s = 0; s < sample[i].sections; s++)
            fields[count++] = (struct field){parts.sections[i] + s * SECTION_RECORD, 8};
        for (size_t b = 0; b < container_blocks(&sample[i]); b++) {
            fields[count++] = (struct field){parts.blocks[i] + b * BLOCK_RECORD, 4};
            fields[count++] = (struct field){parts.blocks[i] + b * BLOCK_RECORD + 4, 8};
        }
    }
    assert_true(count < 200);
    bound_memory();
    for (size_t f = 0; f < count; f++) {
        const uint64_t mask = UINT64_MAX >> (64 - 8 * fields[f].width);
        const uint64_t old = get_number(sound.data + fields[f].at, fields[f].width);
        for (int n = 0; n < 364; n++) {
            uint64_t value = UINT64_C(1) << n % 64;
            if (n < 64)
                value = UINT64_MAX >> n;
            else if (n >= 128 && n < 192)
                value = UINT64_MAX - (UINT64_C(1) << n % 64);
            else if (n >= 192 && n < 256)
                value = old + (UINT64_C(1) << n % 64); // the sizes that follow from it overflow to what they were
            else if (n >= 256)
                value = old + (uint64_t)(n - 310); // near by
            value &= mask;
            if (value == old)
                continue;
            // A block's length that the section does not need stays without meaning.
            if (fields[f].at == HEAD_FIXED + 2 * STREAM_RECORD + 20 && value >= 33 && value <= BLOCK_SYMBOLS_MAX)
                continue;
            if (fields[f].at == HEAD_FIXED + STREAM_RECORD + 20 && value >= 5 && value <= BLOCK_SYMBOLS_MAX)
                continue;
            const int code = open_altered(path, &sound, fields[f].at, fields[f].width, value);
            if (code != (fields[f].at == HEAD_VERSION ? CLTB_E_FOREIGN : CLTB_E_CORRUPT))
                fail_msg("%llu at %zu: code %d (%s)", (unsigned long long)value, fields[f].at, code, error_text());
        }
    }
    unbound_memory();
    free(sound.data);
}

static void test_hostile_names(void **state)
{
    (void)state;
    const char *path = memory_file();
    struct bytes bytes = sample_bytes();
    memset(bytes.data + HEAD_FIXED, 'a', CONTAINER_NAME_MAX); // without an end
    mend_checksum(&bytes);
    write_file(path, bytes.data, bytes.size);
    assert_int_equal(open_and_check(path), CLTB_E_CORRUPT);
    bytes.data[HEAD_FIXED] = '\0';
    mend_checksum(&bytes);
    write_file(path, bytes.data, bytes.size);
    assert_int_equal(open_and_check(path), CLTB_E_CORRUPT);
    memcpy(bytes.data + HEAD_FIXED, "other", 6);
    mend_checksum(&bytes);
    write_file(path, bytes.data, bytes.size);
    assert_int_equal(open_and_check(path), 0); // the mending itself works
    const struct head_parts parts = head_parts(sample, SAMPLE_STREAMS, TEXT_SPACE);
    memset(bytes.data + parts.text, 'x', TEXT_SPACE); // a text without an end
    mend_checksum(&bytes);
    write_file(path, bytes.data, bytes.size);
    assert_int_equal(open_and_check(path), CLTB_E_CORRUPT);
    free(bytes.data);
}

// Several numbers at once, so that one hides another: no crash, and no code but these.
static void test_hostile_heads_at_random(void **state)
{
    (void)state;
    const char *path = memory_file();
    const struct bytes sound = sample_bytes();
    struct bytes bytes = {malloc(sound.size), sound.size};
    assert_non_null(bytes.data);
    uint64_t random = 1;
    bound_memory();
    for (int round = 0; round < 20000; round++) {
        memcpy(bytes.data, sound.data, sound.size);
        for (int changes = 1 + round % 4; changes > 0; changes--) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const size_t head = HEAD_FIXED + SAMPLE_STREAMS * STREAM_RECORD;
            const size_t at = 12 + (random >> 33) % (head - 12 - 8) / 4 * 4;
            const uint64_t values[] = {
                0, 1, 2, 3, UINT64_MAX, random, random >> (random & 63), sound.size, UINT64_C(1) << 61};
            const uint64_t value = values[(random >> 50) % (sizeof values / sizeof values[0])];
            put_number(bytes.data + at, (random >> 60 & 1) != 0 ? 4 : 8, value);
        }
        mend_checksum(&bytes);
        write_file(path, bytes.data, bytes.size);
        const int code = open_and_check(path);
        if (code != 0 && code != CLTB_E_CORRUPT)
            fail_msg("round %d: code %d (%s)", round, code, error_text());
    }
    unbound_memory();
    free(bytes.data);
    free(sound.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_block_lengths),
        cmocka_unit_test(test_sections_in_any_order),
        cmocka_unit_test(test_sections_from_threads),
        cmocka_unit_test(test_reading_from_threads),
        cmocka_unit_test(test_abandon_leaves_nothing),
        cmocka_unit_test(test_failed_finish_leaves_nothing),
        cmocka_unit_test(test_create_fails),
        cmocka_unit_test(test_new_file_takes_the_old_ones_place),
        cmocka_unit_test(test_second_writer_is_refused),
        cmocka_unit_test(test_writer_that_comes_between_open_and_lock),
        cmocka_unit_test(test_every_damaged_byte_is_noticed),
        cmocka_unit_test(test_every_truncation_is_noticed),
        cmocka_unit_test(test_what_is_no_file_of_ours),
        cmocka_unit_test(test_blocks_that_are_wrong_inside),
        cmocka_unit_test(test_hostile_numbers),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_hostile_heads_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
