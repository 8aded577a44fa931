// test_container.c - containers: what goes in comes out, files are written atomically, and no damage goes unnoticed
//
// There are two kinds of damage: bytes changed by accident (every single byte, every length), which the checksums must
// detect; and hostile heads, whose checksum is made right again after numbers were changed, so that only the reader's
// own checks are left.
//
// This program replaces flock(), so that a test can let another writer finish just before a lock is taken.
#include "support/corrupt.h"

#include "table/container.h"
#include "table/container_format.h"
#include "util/threads.h"

#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

// "NAME.part", which must not stay behind.
static const char *part_of(const char *path)
{
    static char part[TEST_PATH_MAX + 8];
    snprintf(part, sizeof part, "%s.part", path);
    return part;
}

// The path of a file that does not exist yet.
static const char *new_path(const char *name)
{
    const char *path = tmp_path(name);
    unlink(path);
    unlink(part_of(path));
    return path;
}

// ---- a sample container ----

// Sections that are no multiple of the block's length, blocks longer than the section, one block a section, both
// widths.
static const struct container_stream sample[] = {
    {"alpha", 1, 7, 3, 17, CODEC_ZSTD, 0},
    {"beta", 2, 5, 2, 5, CODEC_ZSTD, 0},
    {"gamma-longer-15", 2, 100, 4, 33, CODEC_ZSTD, 0},
    {"d", 1, 1, 2, 3, CODEC_ZSTD, 0},
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

static int add_section(struct container_writer *writer, int stream, uint64_t section)
{
    const struct container_stream *shape = &sample[stream];
    uint8_t symbols[200];
    put_symbols(symbols, shape, stream, section, 0, (uint32_t)shape->section_symbols);
    return container_add_symbols(writer, stream, section, symbols, 3, NULL);
}

static struct container_writer *create_sample(const char *path)
{
    struct container_writer *writer;
    GOOD(container_create(&writer, path, sample, SAMPLE_STREAMS, TEXT_SPACE));
    return writer;
}

static struct container_writer *add_all(struct container_writer *writer)
{
    for (int stream = 0; stream < SAMPLE_STREAMS; stream++) {
        for (uint64_t section = 0; section < sample[stream].sections; section++)
            GOOD(add_section(writer, stream, section));
    }
    return writer;
}

static void write_sample(const char *path)
{
    GOOD(container_finish(add_all(create_sample(path)), sample_text));
}

static struct bytes sample_bytes(void)
{
    const char *path = new_path("sample");
    write_sample(path);
    return read_file(path);
}

static int check_block(const struct container *container, int stream, uint64_t block)
{
    const struct container_stream *shape = container_stream(container, stream);
    const uint64_t section_blocks = container_section_blocks(shape);
    const uint32_t length = container_block_length(shape, block);
    const size_t size = (size_t)length * shape->symbol_bytes;
    uint8_t expected[200];
    uint8_t *found = malloc(size); // exactly as large, so that a sanitizer sees any byte too many
    assert_non_null(found);
    put_symbols(expected, shape, stream, block / section_blocks, block % section_blocks * shape->block_symbols, length);
    int code = container_read(container, stream, block, found);
    if (code == 0 && memcmp(found, expected, size) != 0)
        code = error_set(CLTB_E_MISMATCH, "stream %d block %d", stream, (int)block);
    free(found);
    return code;
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
        assert_memory_equal(shape, &sample[i], sizeof *shape);
        assert_int_equal(container_find(container, sample[i].name), i);
        for (uint64_t block = 0; block < container_blocks(shape); block++)
            GOOD(check_block(container, i, block));
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
    const uint64_t head = 48 + 48 * SAMPLE_STREAMS + 8 * sections + 12 * blocks + TEXT_SPACE;
    assert_true(size == head + blocks_bytes);
    GOOD(container_check(container));
    container_close(container);
}

// ---- writing and reading ----

TEST(test_round_trip)
{
    static const uint8_t rubbish[100000] = {0xa5}; // left behind by a killed writer
    const char *path = new_path("round-trip");
    for (int replacing = 0; replacing <= 1; replacing++) {
        if (replacing) {
            write_file(path, "an old file", 11);
            write_file(part_of(path), rubbish, sizeof rubbish);
        }
        write_sample(path);
        assert_false(exists(part_of(path)));
        check_sample(path);
    }
}

TEST(test_block_lengths)
{
    static const struct {
        int blocks;
        uint32_t length[9];
    } streams[SAMPLE_STREAMS] = {
        {9, {7, 7, 3, 7, 7, 3, 7, 7, 3}}, {2, {5, 5}}, {4, {33, 33, 33, 33}}, {6, {1, 1, 1, 1, 1, 1}}};
    for (int i = 0; i < SAMPLE_STREAMS; i++) {
        assert_int_equal(container_blocks(&sample[i]), streams[i].blocks);
        for (int block = 0; block < streams[i].blocks; block++)
            assert_int_equal(container_block_length(&sample[i], (uint64_t)block), streams[i].length[block]);
    }
}

TEST(test_any_order)
{
    const char *path = new_path("backwards");
    struct container_writer *writer = create_sample(path);
    for (int stream = SAMPLE_STREAMS - 1; stream >= 0; stream--) {
        for (uint64_t section = sample[stream].sections; section-- > 0;)
            GOOD(add_section(writer, stream, section));
    }
    assert_true(exists(part_of(path)) && !exists(path));
    GOOD(container_finish(writer, sample_text));
    check_sample(path);
}

// Item n is the n-th section of all streams, taken crosswise.
static int add_item(void *context, uint64_t item, int worker)
{
    item = item * 7 % 11; // the sample has 11 sections
    for (int stream = 0; stream < SAMPLE_STREAMS; stream++) {
        if (item < sample[stream].sections)
            return add_section(context, stream, item);
        item -= sample[stream].sections;
    }
    return CLTB_E_USAGE;
}

static int read_item(void *context, uint64_t item, int worker)
{
    const int stream = (int)(item % SAMPLE_STREAMS);
    return check_block(context, stream, item / SAMPLE_STREAMS % container_blocks(&sample[stream]));
}

TEST(test_threads)
{
    const char *path = new_path("threads");
    struct thread_pool *pool;
    GOOD(threads_open(&pool, 4));
    for (int round = 0; round < 5; round++) {
        struct container_writer *writer = create_sample(path);
        GOOD(threads_each(pool, 11, add_item, writer));
        GOOD(container_finish(writer, sample_text));
        check_sample(path);
    }
    struct container *container;
    GOOD(container_open(&container, path));
    GOOD(threads_each(pool, 4000, read_item, container));
    container_close(container);
    threads_close(pool);
}

// ---- whole or not at all ----

TEST(test_abandoned)
{
    const char *path = new_path("abandoned");
    container_abandon(NULL);
    for (int filled = 0; filled < 2; filled++) {
        struct container_writer *writer = create_sample(path);
        container_abandon(filled ? add_all(writer) : writer);
        assert_false(exists(path) || exists(part_of(path)));
    }
    // An earlier file is left alone.
    write_sample(path);
    container_abandon(create_sample(path));
    assert_false(exists(part_of(path)));
    check_sample(path);
}

TEST(test_failed_finish)
{
    const char *path = new_path("refused");
    char text[TEXT_SPACE + 1];
    struct container *container;
    memset(text, 'x', sizeof text);
    text[TEXT_SPACE] = '\0';
    assert_int_equal(container_finish(add_all(create_sample(path)), text), CLTB_E_USAGE);
    assert_false(exists(path) || exists(part_of(path)));
    text[TEXT_SPACE - 1] = '\0'; // now it fits
    GOOD(container_finish(add_all(create_sample(path)), text));
    GOOD(container_open(&container, path));
    assert_string_equal(container_text(container), text);
    container_close(container);

    // A folder in the way.
    const char *folder = tmp_path("folder");
    mkdir(folder, 0700);
    assert_int_equal(container_finish(add_all(create_sample(folder)), sample_text), CLTB_E_IO);
    assert_false(exists(part_of(folder)));
}

TEST(test_create_fails)
{
    char too_long[10000];
    memset(too_long, 'a', sizeof too_long);
    too_long[sizeof too_long - 1] = '\0';
    const char *const paths[] = {tmp_path("no-such-folder/file"), too_long};
    for (size_t i = 0; i < 2; i++) {
        struct container_writer *writer = (struct container_writer *)1;
        assert_int_equal(container_create(&writer, paths[i], sample, 1, TEXT_SPACE), CLTB_E_IO);
        assert_null(writer);
    }
}

TEST(test_second_writer)
{
    const char *path = new_path("contested");
    struct container_writer *second = (struct container_writer *)1;
    struct container_writer *first = create_sample(path);
    GOOD(add_section(first, 0, 0));
    assert_int_equal(container_create(&second, path, sample, SAMPLE_STREAMS, TEXT_SPACE), CLTB_E_IO);
    assert_null(second);
    assert_true(exists(part_of(path)));
    container_abandon(first);
    first = create_sample(path);
    assert_int_equal(container_create(&second, path, sample, SAMPLE_STREAMS, TEXT_SPACE), CLTB_E_IO);
    GOOD(container_finish(add_all(first), sample_text));
    check_sample(path);
    write_sample(path); // now it may
    check_sample(path);
}

// ---- a stream that is added in the end ----

// With or without room in the head, the bytes are those of a stream that is put into a finished file. Before that the
// rest can be read.
static void extend_one(const uint8_t *data, const struct container_stream *shape, size_t expected, size_t size)
{
    const char *path = new_path("extended");
    const char *whole = new_path("attached");
    struct container_writer *writer;
    struct container *container;
    uint8_t *more;
    size_t bytes;
    GOOD(container_create(&writer, path, shape, 1, TEXT_SPACE));
    if (expected > 0)
        GOOD(container_expect(writer, expected));
    for (uint64_t section = 0; section < shape->sections; section++)
        GOOD(container_add_symbols(writer, 0, section, data + section, 3, NULL));
    GOOD(container_show(writer, sample_text));
    assert_false(exists(path));
    GOOD(container_open(&container, container_shown(writer)));
    assert_string_equal(container_text(container), sample_text);
    GOOD(container_check(container));
    container_close(container);
    if (size > 0)
        GOOD(container_extend(writer, "more", data + 1, size));
    GOOD(container_finish(writer, NULL));
    assert_false(exists(part_of(path)));

    GOOD(container_open(&container, path));
    assert_int_equal(container_text_space(container), TEXT_SPACE);
    GOOD(container_check(container));
    GOOD(container_extra(container, "more", &more, &bytes));
    assert_int_equal(bytes, size);
    assert_true(size == 0 || memcmp(more, data + 1, size) == 0);
    free(more);
    container_close(container);

    GOOD(container_create(&writer, whole, shape, 1, TEXT_SPACE));
    for (uint64_t section = 0; section < shape->sections; section++)
        GOOD(container_add_symbols(writer, 0, section, data + section, 3, NULL));
    GOOD(container_finish(writer, sample_text));
    if (size > 0)
        GOOD(container_attach(whole, whole, "more", data + 1, size));
    const struct bytes found = read_file(path);
    const struct bytes wanted = read_file(whole);
    assert_int_equal(found.size, wanted.size);
    assert_memory_equal(found.data, wanted.data, wanted.size);
    free(found.data);
    free(wanted.data);
}

TEST(test_extended)
{
    enum { BLOCK = 1 << 22, SECTIONS = 3, MOST = 5 << 19 };
    static const struct container_stream large = {"large", 1, BLOCK, SECTIONS, BLOCK, CODEC_ZSTD, 0};
    static const struct {
        size_t expected;
        size_t size;
    } cases[] = {{0, 0}, {0, MOST}, {10, 10}, {10, MOST}, {MOST, 0}, {MOST, 1 << 20}};
    uint8_t *data = malloc(BLOCK + SECTIONS);
    assert_non_null(data);
    for (uint64_t i = 0; i < BLOCK + SECTIONS; i++)
        data[i] = (uint8_t)(i * i * UINT64_C(0x9e3779b97f4a7c15) >> 56);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        extend_one(data, &large, cases[i].expected, cases[i].size);
    free(data);
}

// A writer that has shown the file, and then fails, leaves nothing.
TEST(test_not_extended)
{
    const char *path = new_path("shown");
    struct container_writer *writer = create_sample(path);
    FAILS(container_expect(writer, 0), CLTB_E_USAGE, "no room");
    GOOD(container_expect(writer, 1));
    GOOD(container_show(add_all(writer), sample_text));
    FAILS(container_extend(writer, "more", "", CONTAINER_EXTRA_MAX + 1), CLTB_E_USAGE, "no room");
    container_abandon(writer);
    assert_false(exists(path) || exists(part_of(path)));
}

static struct container_writer *rival;
static bool rival_finishes; // or gives up

static void rival_ends(void)
{
    if (rival_finishes)
        GOOD(container_finish(rival, sample_text));
    else
        container_abandon(rival);
}

// A writer finishes or gives up while another one has opened the temporary file but not locked it yet. The second may
// be refused or may go on; in any case the file of the first stays as it is, and what the second finishes is complete.
TEST(test_late_lock)
{
    const char *path = new_path("between");
    for (int i = 0; i < 2; i++) {
        struct container_writer *writer;
        unlink(path);
        rival = create_sample(path);
        rival_finishes = i == 0;
        if (rival_finishes)
            add_all(rival);
        before_lock = rival_ends;
        const int code = container_create(&writer, path, sample, SAMPLE_STREAMS, TEXT_SPACE);
        if (rival_finishes)
            check_sample(path);
        if (code == 0) {
            add_all(writer);
            if (rival_finishes)
                check_sample(path);
            GOOD(container_finish(writer, sample_text));
            check_sample(path);
        }
        assert_false(exists(part_of(path)));
    }
}

// ---- damage ----

// The first error that opening and checking give.
static int open_and_check(const char *path)
{
    struct container *container = (struct container *)1;
    int code = container_open(&container, path);
    assert_true((code == 0) == (container != NULL));
    if (code == 0)
        code = container_check(container);
    container_close(container);
    return code;
}

TEST(test_damage)
{
    struct bytes bytes = sample_bytes();
    damage_is_noticed(tmp_path("sample"), 1, open_and_check);
    // Cut while it is open.
    const char *path = memory_file();
    struct container *container;
    write_file(path, bytes.data, bytes.size);
    GOOD(container_open(&container, path));
    assert_int_equal(truncate(path, (off_t)bytes.size - 1), 0);
    assert_int_equal(container_check(container), CLTB_E_CORRUPT);
    container_close(container);
    container_close(NULL);
    uint64_t size;
    assert_int_equal(container_size(new_path("no-such-file"), &size), CLTB_E_IO);
    free(bytes.data);
}

// Blocks whose checksums are right and whose contents are not.
TEST(test_wrong_blocks)
{
    static const struct container_stream one = {"one", 2, 50, 1, 50, CODEC_ZSTD, 0};
    static const struct {
        size_t length; // of the symbols that are compressed; 100 is right
        enum { AS_IT_IS, CUT, EMPTY, RUBBISH } frame;
    } blocks[] = {{0, AS_IT_IS},   {2, AS_IT_IS},      {98, AS_IT_IS}, {99, AS_IT_IS}, {100, AS_IT_IS}, {101, AS_IT_IS},
                  {102, AS_IT_IS}, {100000, AS_IT_IS}, {100, CUT},     {100, EMPTY},   {100, RUBBISH}};
    struct container_compressor *compressor;
    static const uint8_t symbols[100000];
    uint8_t *compressed = malloc(container_bound(sizeof symbols));
    assert_non_null(compressed);
    GOOD(container_compressor_open(&compressor, 1));
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        const char *path = new_path("inside");
        struct container_writer *writer;
        size_t size;
        GOOD(container_compress(compressor, symbols, blocks[i].length, compressed, &size));
        if (blocks[i].frame == RUBBISH)
            memset(compressed, 0x5a, size);
        else if (blocks[i].frame != AS_IT_IS)
            size = blocks[i].frame == EMPTY ? 0 : size - 1;
        const struct container_piece piece = {compressed, (uint32_t)size};
        GOOD(container_create(&writer, path, &one, 1, TEXT_SPACE));
        GOOD(container_add(writer, 0, 0, &piece));
        GOOD(container_finish(writer, ""));
        const bool right = blocks[i].frame == AS_IT_IS && blocks[i].length == 100;
        assert_int_equal(open_and_check(path), right ? 0 : CLTB_E_CORRUPT);
    }
    container_compressor_close(compressor);
    free(compressed);
}

// ---- hostile heads ----

// `bytes` with its checksum mended.
static int open_mended(struct bytes *bytes)
{
    mend_checksum(bytes);
    write_file(memory_file(), bytes->data, bytes->size);
    return open_and_check(memory_file());
}

// Without a sanitizer a bound on the process's memory (0: none) turns absurd requests into CLTB_E_MEMORY, which no test
// here expects.
static void bound_memory(rlim_t bytes)
{
    struct rlimit limit;
    if (sanitized() || getrlimit(RLIMIT_AS, &limit) != 0)
        return;
    limit.rlim_cur = bytes == 0 ? limit.rlim_max : bytes;
    setrlimit(RLIMIT_AS, &limit);
}

struct field {
    size_t at;
    int width;
    uint64_t free_from; // a length of blocks that exceeds the section stays without meaning; 0: none
};

static int list_fields(struct field *fields)
{
    static const size_t longs[] = {HEAD_BYTES, HEAD_FILE_BYTES, HEAD_TEXT_BYTES};
    const struct head_parts parts = head_parts(sample, SAMPLE_STREAMS, TEXT_SPACE);
    int count = 0;
    fields[count++] = (struct field){HEAD_VERSION, 4, 0};
    fields[count++] = (struct field){HEAD_STREAMS, 4, 0};
    for (int i = 0; i < 3; i++)
        fields[count++] = (struct field){longs[i], 8, 0};
    for (size_t i = 0; i < SAMPLE_STREAMS; i++) {
        const size_t record = HEAD_FIXED + i * STREAM_RECORD;
        const uint64_t free_from = container_section_blocks(&sample[i]) == 1 ? sample[i].section_symbols : 0;
        const struct field shape[] = {{record + 16, 4, 0}, {record + 20, 4, free_from}, {record + 24, 8, 0},
                                      {record + 32, 8, 0}, {record + 40, 4, 0},         {record + 44, 4, 0}};
        memcpy(fields + count, shape, sizeof shape);
        count += (int)(sizeof shape / sizeof shape[0]);
        for (size_t s = 0; s < sample[i].sections; s++)
            fields[count++] = (struct field){parts.sections[i] + s * SECTION_RECORD, 8, 0};
        for (size_t b = 0; b < container_blocks(&sample[i]); b++) {
            fields[count++] = (struct field){parts.blocks[i] + b * BLOCK_RECORD, 4, 0};
            fields[count++] = (struct field){parts.blocks[i] + b * BLOCK_RECORD + 4, 8, 0};
        }
    }
    return count;
}

// Every number of the head is replaced by hostile ones. The numbers of a stream's shape or place, of a block's length
// or checksum, and of the head's parts can have one value only, so anything else must be noticed.
TEST(test_hostile_numbers)
{
    struct bytes bytes = sample_bytes();
    const struct bytes valid = sample_bytes();
    struct field fields[200];
    const int count = list_fields(fields);
    assert_in_range(count, 6, 200);
    bound_memory((rlim_t)1 << 30);
    for (int f = 0; f < count; f++) {
        const struct field *field = &fields[f];
        const uint64_t mask = UINT64_MAX >> (64 - 8 * field->width);
        const uint64_t old = get_number(valid.data + field->at, field->width);
        for (int n = 0; n < 280; n += n < 256 ? 3 : 1) {
            const uint64_t bit = UINT64_C(1) << n % 64;
            // The fourth kind: the sizes that follow from it overflow to what they were.
            const uint64_t kinds[] = {UINT64_MAX >> n % 64, bit, UINT64_MAX - bit, old + bit};
            const uint64_t near = old + (uint64_t)(n - 268);
            const uint64_t value = (n < 256 ? kinds[n / 64] : near) & mask;
            if (value == old || (field->free_from > 0 && value >= field->free_from && value <= BLOCK_SYMBOLS_MAX))
                continue;
            memcpy(bytes.data, valid.data, valid.size);
            put_number(bytes.data + field->at, field->width, value);
            const int code = open_mended(&bytes);
            if (code != (field->at == HEAD_VERSION ? CLTB_E_FOREIGN : CLTB_E_CORRUPT))
                fail_msg("%llu at %zu: code %d (%s)", (unsigned long long)value, field->at, code, error_text());
        }
    }
    bound_memory(0);
    free(bytes.data);
    free(valid.data);
}

TEST(test_hostile_names)
{
    struct bytes bytes = sample_bytes();
    memset(bytes.data + HEAD_FIXED, 'a', CONTAINER_NAME_MAX); // without an end
    assert_int_equal(open_mended(&bytes), CLTB_E_CORRUPT);
    bytes.data[HEAD_FIXED] = '\0';
    assert_int_equal(open_mended(&bytes), CLTB_E_CORRUPT);
    memcpy(bytes.data + HEAD_FIXED, "other", 6);
    assert_int_equal(open_mended(&bytes), 0); // the mending itself works
    const struct head_parts parts = head_parts(sample, SAMPLE_STREAMS, TEXT_SPACE);
    memset(bytes.data + parts.text, 'x', TEXT_SPACE); // a text without an end
    assert_int_equal(open_mended(&bytes), CLTB_E_CORRUPT);
    free(bytes.data);
}

// A few bytes on disk that claim a head of gigabytes.
TEST(test_head_with_a_hole)
{
    const off_t head = (off_t)8 << 30;
    struct bytes bytes = sample_bytes();
    const char *path = new_path("hole.cltb");
    put_number(bytes.data + HEAD_BYTES, 8, (uint64_t)head);
    put_number(bytes.data + HEAD_FILE_BYTES, 8, (uint64_t)head);
    write_file(path, bytes.data, bytes.size);
    free(bytes.data);
    if (truncate(path, head) != 0)
        skip(); // no such files here
    bound_memory((rlim_t)1 << 30);
    FAILS(open_and_check(path), CLTB_E_CORRUPT, "its head has a hole");
    bound_memory(0);
    unlink(path);
}

// Several numbers at once, so that one hides another: no crash, and no code but these.
TEST(test_hostile_heads)
{
    const struct bytes valid = sample_bytes();
    struct bytes bytes = sample_bytes();
    bound_memory((rlim_t)1 << 30);
    for (int round = 0; round < 4000; round++) {
        memcpy(bytes.data, valid.data, valid.size);
        for (int changes = 1 + round % 4; changes > 0; changes--) {
            const uint64_t random = random_u64();
            const size_t head = HEAD_FIXED + SAMPLE_STREAMS * STREAM_RECORD;
            const size_t at = 12 + (random >> 33) % (head - 12 - 8) / 4 * 4;
            const uint64_t values[] = {
                0, 1, 2, 3, UINT64_MAX, random, random >> (random & 63), valid.size, UINT64_C(1) << 61};
            const uint64_t value = values[(random >> 50) % (sizeof values / sizeof values[0])];
            put_number(bytes.data + at, (random >> 60 & 1) != 0 ? 4 : 8, value);
        }
        const int code = open_mended(&bytes);
        if (code != 0 && code != CLTB_E_CORRUPT)
            fail_msg("round %d: code %d (%s)", round, code, error_text());
    }
    bound_memory(0);
    free(bytes.data);
    free(valid.data);
}

TESTS(NULL, NULL)
