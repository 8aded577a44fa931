// test_block_cache.c - cached symbols are those of the files, however small the cache is and whoever else reads
//
// One container has a stream of outcomes and one that zstd has coded, both with a short last block.
#include "support/corrupt.h"

#include "table/block_cache.h"
#include "table/block_code.h"
#include "table/write/context_encode.h"
#include "util/threads.h"

enum {
    BLOCK = 65536,
    SECTIONS = 3,
    SECTION = 2 * BLOCK + 20000,
    OTHER_BLOCK = 3000,
    OTHERS = 40000, // symbols in a section of the other stream
    OUTCOME_STREAM = 0,
    OTHER_STREAM = 1
};

static uint8_t outcomes[SECTIONS][SECTION];
static char path[TEST_PATH_MAX + 8];
static char folder[TEST_PATH_MAX];

static unsigned other_symbol(uint64_t section, uint64_t i)
{
    return (unsigned)(section * 7 + i / 3) & 0xffff;
}

// Areas with noisy borders; all five outcomes in some units, one in others.
static void make_outcomes(void)
{
    for (int section = 0; section < SECTIONS; section++) {
        for (size_t i = 0; i < SECTION; i++) {
            const size_t unit = i / 8192;
            const uint64_t random = random_u64();
            outcomes[section][i] = i / 64 % 8 < 3 ? 4 : 2;
            if (unit % 4 == 1)
                outcomes[section][i] = 2;
            else if (random % 16 == 0)
                outcomes[section][i] = (uint8_t)(unit % 4 == 2 ? random / 16 % 5 : random / 16 % 2 * 2);
        }
    }
}

static void add_outcomes(struct container_writer *writer, const struct context_model *model, int section)
{
    static uint8_t coded[3][8 * BLOCK];
    struct container_piece pieces[3];
    for (size_t i = 0; i < 3; i++) {
        const size_t count = i < 2 ? BLOCK : SECTION - 2 * BLOCK;
        size_t bytes;
        assert_true(context_bound(count) <= sizeof coded[i]);
        GOOD(context_encode(model, outcomes[section] + i * BLOCK, NULL, NULL, count, NULL, coded[i], &bytes));
        pieces[i] = (struct container_piece){coded[i], (uint32_t)bytes};
    }
    GOOD(container_add(writer, OUTCOME_STREAM, (uint64_t)section, pieces));
}

static int write_container(void **state)
{
    struct context_model model;
    uint8_t *data;
    size_t bytes;
    const struct context_sample sample = {.symbols = outcomes[0],
                                          .block = BLOCK,
                                          .blocks = 1,
                                          .occurs = {true, true, true, true, true},
                                          .candidate = {1, 64, 512},
                                          .candidates = 3,
                                          .contexts = 4096,
                                          .places = 20000,
                                          .symbols_in_all = 1 << 20};
    struct container_stream streams[] = {{"outcome-w", 1, BLOCK, SECTIONS, SECTION, CODEC_CONTEXT, 0},
                                         {"other", 2, OTHER_BLOCK, SECTIONS, OTHERS, CODEC_ZSTD, 0}};
    struct container_writer *writer;
    test_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.cltb", folder);
    make_outcomes();
    GOOD(context_train(&model, &sample, NULL, &data, &bytes));
    streams[OUTCOME_STREAM].model_bytes = (uint32_t)bytes;
    GOOD(container_create(&writer, path, streams, 2, 10));
    container_put_model(writer, OUTCOME_STREAM, data);
    for (int section = 0; section < SECTIONS; section++) {
        static uint8_t others[2 * OTHERS];
        add_outcomes(writer, &model, section);
        for (size_t i = 0; i < OTHERS; i++)
            put_number(others + 2 * i, 2, other_symbol((uint64_t)section, i));
        GOOD(container_add_symbols(writer, OTHER_STREAM, (uint64_t)section, others, 3, NULL));
    }
    GOOD(container_finish(writer, ""));
    context_model_free(&model);
    free(data);
    return 0;
}

static int remove_container(void **state)
{
    test_folder_remove(folder);
    return 0;
}

// Two readers of the same file in one cache.
struct readers {
    struct block_cache *cache;
    struct container *container;
    struct cached_container *cached[2];
};

static void open_readers(struct readers *readers, size_t bytes)
{
    GOOD(block_cache_open(&readers->cache, bytes));
    GOOD(container_open(&readers->container, path));
    for (int i = 0; i < 2; i++)
        GOOD(cached_container_open(&readers->cached[i], readers->cache, readers->container));
}

static void close_readers(struct readers *readers)
{
    for (int i = 0; i < 2; i++)
        cached_container_close(readers->cached[i]);
    container_close(readers->container);
    block_cache_close(readers->cache);
}

static void check_outcome(const struct readers *readers, int reader, uint64_t section, uint64_t i)
{
    unsigned value;
    GOOD(cached_symbol(readers->cached[reader], OUTCOME_STREAM, section, i, &value));
    assert_int_equal(value, outcomes[section][i]);
}

static void check_any(const struct readers *readers, uint64_t random)
{
    const int reader = (int)(random & 1);
    const uint64_t section = random / 4 % SECTIONS;
    unsigned value;
    if (random & 2) {
        check_outcome(readers, reader, section, random / 16 % SECTION);
        return;
    }
    GOOD(cached_symbol(readers->cached[reader], OTHER_STREAM, section, random / 16 % OTHERS, &value));
    assert_int_equal(value, other_symbol(section, random / 16 % OTHERS));
}

TEST(test_in_order)
{
    struct readers readers;
    open_readers(&readers, 1 << 20);
    for (uint64_t section = 0; section < SECTIONS; section++)
        for (uint64_t i = 0; i < SECTION; i++)
            check_outcome(&readers, 0, section, i);
    for (uint64_t section = SECTIONS; section-- > 0;)
        for (uint64_t i = SECTION; i-- > 2; i -= 2)
            check_outcome(&readers, 1, section, i);
    close_readers(&readers);
}

// What is first known of a unit ends at the row of the first symbol that was asked for.
TEST(test_rest_of_unit)
{
    struct readers readers;
    for (uint64_t first = 0; first < SECTION; first += sanitized() ? 28969U : 8969U) {
        open_readers(&readers, 1 << 20);
        const uint64_t unit = first / 8192 * 8192;
        const uint64_t end = unit + 8192 < SECTION ? unit + 8192 : SECTION;
        check_outcome(&readers, 0, 1, first);
        check_outcome(&readers, 0, 1, unit);
        check_outcome(&readers, 0, 1, end - 1);
        for (uint64_t i = unit; i < end; i++)
            check_outcome(&readers, 0, 1, i);
        close_readers(&readers);
    }
}

TEST(test_small_caches)
{
    static const size_t bounds[] = {1, 20000, 100000, 32 << 20};
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        struct readers readers;
        open_readers(&readers, bounds[b]);
        for (int i = 0; i < (sanitized() ? 1000 : 10000); i++)
            check_any(&readers, random_u64());
        // The blocks of a reader that is closed make room.
        cached_container_close(readers.cached[0]);
        GOOD(cached_container_open(&readers.cached[0], readers.cache, readers.container));
        for (int i = 0; i < (sanitized() ? 500 : 5000); i++)
            check_any(&readers, random_u64());
        close_readers(&readers);
    }
}

struct job {
    const struct readers *readers;
    int wrong;
};

static int read_some(void *context, uint64_t item, int worker)
{
    struct job *job = context;
    uint64_t random = (item + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < (sanitized() ? 200 : 2000); i++) {
        unsigned value;
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        const uint64_t section = random >> 33 & 1;
        const uint64_t at = (random >> 34) % SECTION;
        TRY(cached_symbol(job->readers->cached[random >> 63], OUTCOME_STREAM, section, at, &value));
        if (value != outcomes[section][at])
            __atomic_fetch_add(&job->wrong, 1, __ATOMIC_RELAXED);
    }
    return 0;
}

TEST(test_threads)
{
    static const size_t bounds[] = {1, 10000, 1 << 20};
    struct thread_pool *pool;
    GOOD(threads_open(&pool, 4));
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        struct readers readers;
        open_readers(&readers, bounds[b]);
        struct job job = {&readers, 0};
        GOOD(threads_each(pool, 16, read_some, &job));
        assert_int_equal(job.wrong, 0);
        close_readers(&readers);
    }
    threads_close(pool);
}

TESTS(write_container, remove_container)
