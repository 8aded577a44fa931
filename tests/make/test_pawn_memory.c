// test_pawn_memory.c - tables with pawns under a memory limit: arrays go to a file and come back, and the table is the
// same
#include "support/support.h"

#include "disk/paged.h"
#include "make/build.h"
#include "make/pawn_memory.h"
#include "make/table_job.h"
#include "table/path.h"
#include "util/memory.h"
#include "util/threads.h"

#include <dirent.h>
#include <limits.h>
#include <unistd.h>

// Folders: tables that were built without a limit; tables under a limit; one that does not exist.
static char free_tables[TEST_PATH_MAX];
static char limited_tables[TEST_PATH_MAX];
static char no_folder[TEST_PATH_MAX + 20];

static int setup(void **state)
{
    test_folder_make(free_tables);
    test_folder_make(limited_tables);
    snprintf(no_folder, sizeof no_folder, "%s/nowhere", limited_tables);
    return pool_setup(state);
}

static int teardown(void **state)
{
    test_folder_remove(free_tables);
    test_folder_remove(limited_tables);
    return pool_teardown(state);
}

enum { ARRAYS = 60, ARRAY_LIMIT = 3 << 20, STEPS = 1000 };

struct known {
    struct paged_array *array;
    size_t words;
    uint64_t seed;
};

static void check_words(const uint64_t *words, const struct known *known)
{
    for (size_t i = 0; i < known->words; i++) {
        if (words[i] != mix(known->seed + i))
            fail_msg("word %zu of %zu", i, known->words);
    }
}

static int make_array(struct paged *paged, struct known *known, size_t words, bool zero)
{
    void *start;
    *known = (struct known){.words = words, .seed = random_u64()};
    const int code = paged_new(paged, words * sizeof(uint64_t), zero, &known->array, &start);
    uint64_t *word = start;
    for (size_t i = 0; i < words; i++) {
        assert_true(!zero || word[i] == 0);
        word[i] = mix(known->seed + i);
    }
    check_words(word, known);
    paged_put(known->array);
    return code;
}

// Two at a time, one of them opened twice.
static void look_at_two(const struct paged *paged, const struct known *one, const struct known *two)
{
    const void *start[3];
    GOOD(paged_get(one->array, &start[0]));
    GOOD(paged_get(two->array, &start[1]));
    GOOD(paged_get(one->array, &start[2]));
    assert_ptr_equal(start[0], start[2]);
    const size_t bytes = (one->words + (one == two ? 0 : two->words)) * sizeof(uint64_t);
    assert_int_equal(paged_open_bytes(paged), bytes);
    check_words(start[0], one);
    check_words(start[1], two);
    paged_put(one->array);
    paged_put(two->array);
    check_words(start[2], one);
    paged_put(one->array);
    assert_int_equal(paged_open_bytes(paged), 0);
}

static void run_arrays(size_t limit, const char *dir)
{
    static struct known known[ARRAYS];
    struct paged *paged;
    memset(known, 0, sizeof known);
    GOOD(paged_open(&paged, threads_memory(test_pool), limit, dir));
    for (int step = 0; step < (sanitized() ? STEPS / 4 : STEPS); step++) {
        struct known *one = &known[random_u64() % ARRAYS];
        const struct known *other = &known[random_u64() % ARRAYS];
        if (one->array == NULL) {
            // From 2 KiB to 2 MiB.
            GOOD(make_array(paged, one, (size_t)(256 + random_u64() % 128) << random_u64() % 10, random_u64() & 1));
        } else if (random_u64() % 8 == 0) {
            paged_free(one->array);
            one->array = NULL;
        } else {
            look_at_two(paged, one, other->array != NULL ? other : one);
        }
    }
    for (int i = 0; i < ARRAYS; i++)
        paged_free(known[i].array);
    paged_close(paged);
}

TEST(test_arrays)
{
    run_arrays(ARRAY_LIMIT, limited_tables);
    run_arrays(0, no_folder);
    DIR *folder = opendir(limited_tables); // the file has no name
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        assert_true(entry->d_name[0] == '.' && entry->d_name[1 + (entry->d_name[1] == '.')] == '\0');
    closedir(folder);
}

// If nothing can be put on disk, the next array is an error, and those that exist remain valid.
TEST(test_no_place)
{
    struct paged *paged;
    struct known known[16] = {{.array = NULL}};
    int code = 0;
    GOOD(paged_open(&paged, threads_memory(test_pool), ARRAY_LIMIT, no_folder));
    for (int i = 0; code == 0 && i < 16; i++)
        code = make_array(paged, &known[i], 64 << 10, false);
    FAILS(code, CLTB_E_IO, no_folder);
    for (int i = 0; i < 16; i++)
        paged_free(known[i].array);
    paged_close(paged);
}

// Arrays of the pool under a limit: arrays that it keeps are freed first, then it asks for memory.
struct relief {
    void *array;
    size_t bytes;
    size_t asked;
};

static void relieve(void *context, size_t bytes)
{
    struct relief *relief = context;
    relief->asked += bytes;
    memory_give(threads_memory(test_pool), relief->array, relief->bytes);
    relief->array = NULL;
}

TEST(test_pooled_arrays)
{
    enum { MIB = 1 << 20 };
    struct memory_pool *memory = threads_memory(test_pool);
    struct relief relief = {.bytes = 2 * MIB};
    memory_pool_limit(memory, 6 * MIB, relieve, &relief);
    relief.array = memory_take(memory, relief.bytes, NULL);
    void *one = memory_take(memory, MIB, NULL);
    memory_give(memory, one, MIB); // is kept
    one = memory_take(memory, 4 * MIB, NULL);
    assert_non_null(one);
    assert_int_equal(relief.asked, 0);
    memory_claim(memory, MIB / 2);
    assert_int_equal(relief.asked, MIB / 2);
    assert_null(relief.array);
    void *two = memory_take(memory, MIB, NULL);
    assert_int_equal(relief.asked, MIB / 2);
    memory_unclaim(memory, MIB / 2);
    memory_give(memory, one, 4 * MIB);
    memory_give(memory, two, MIB);
    memory_pool_limit(memory, 0, NULL, NULL);
}

// Arrays that cannot leave memory count, too: what the pool keeps makes room for them.
TEST(test_counted_arrays)
{
    struct memory_pool *memory = threads_memory(test_pool);
    struct relief relief = {.bytes = 2 << 20};
    struct paged *paged;
    struct known known[2];
    GOOD(paged_open(&paged, memory, 0, NULL));
    relief.array = memory_take(memory, relief.bytes, NULL);
    memory_pool_limit(memory, 3 << 20, relieve, &relief);
    GOOD(make_array(paged, &known[0], (512 << 10) / sizeof(uint64_t), false));
    assert_int_equal(relief.asked, 0);
    GOOD(make_array(paged, &known[1], (768 << 10) / sizeof(uint64_t), false));
    assert_true(relief.asked >= 256 << 10);
    assert_null(relief.array);
    paged_free(known[0].array);
    paged_free(known[1].array);
    paged_close(paged);
}

struct run {
    struct build_options options;
    uint64_t left; // batches until it is interrupted; 0: never
    struct table_job making;
    struct build_event last;
};

static int on_event(void *context, const struct build_event *event)
{
    struct run *run = context;
    run->last = *event;
    return event->kind == BUILD_PLY && event->ply == 1 && run->left > 0 && --run->left == 0;
}

static int make_table(struct run *run, const char *name, uint64_t memory, const char *scratch)
{
    const struct plan_table table = {.material = material_named(name), .write = true};
    run->options = (struct build_options){.dir = limited_tables,
                                          .search = free_tables,
                                          .scratch = scratch,
                                          .memory = memory,
                                          .threads = 2,
                                          .event = on_event,
                                          .context = run};
    run->making = (struct table_job){.job = {.options = &run->options, .pool = test_pool, .device = {.number = -1}}};
    GOOD(table_path(run->making.job.path, sizeof run->making.job.path, limited_tables, &table.material));
    GOOD(table_work_path(run->making.work, sizeof run->making.work, limited_tables, &table.material));
    table_job_begin(&run->making, &table);
    return pawn_table_make(&run->making);
}

static void check_same(const struct run *run, const char *name)
{
    char path[PATH_MAX];
    const struct material material = material_named(name);
    GOOD(table_path(path, sizeof path, free_tables, &material));
    const struct bytes is = read_file(run->making.job.path);
    const struct bytes should = read_file(path);
    assert_int_equal(is.size, should.size);
    assert_memory_equal(is.data, should.data, is.size);
    free(is.data);
    free(should.data);
    assert_int_equal(access(run->making.work, F_OK), -1);
    unlink(run->making.job.path);
}

// Under a limit, and where nothing can leave, which is an error: so something leaves under such a limit.
static void check_limit(const char *name)
{
    static struct run run;
    const struct build_options options = {.dir = free_tables, .device = "cpu", .threads = 2};
    const struct material material = material_named(name);
    GOOD(build_table(&material, &options));
    GOOD(make_table(&run, name, 1 << 20, limited_tables));
    check_same(&run, name);
    FAILS(make_table(&run, name, 1 << 20, no_folder), CLTB_E_IO, no_folder);
    assert_int_equal(access(run.making.job.path, F_OK), -1);
    unlink(run.making.work);
}

// Stopped under one limit, it resumes under another one.
static void check_interrupted(const char *name)
{
    static struct run run;
    run.left = 8;
    assert_int_equal(make_table(&run, name, 1 << 20, limited_tables), CLTB_E_INTERRUPTED);
    assert_int_equal(access(run.making.job.path, F_OK), -1);
    run.left = 8;
    assert_int_equal(make_table(&run, name, 2 << 20, limited_tables), CLTB_E_INTERRUPTED);
    assert_true(run.last.slices_resumed > 0);
    run.left = 0;
    GOOD(make_table(&run, name, 1 << 20, limited_tables));
    assert_true(run.last.slices_resumed > 0 && run.last.slices_done == run.last.slices_total);
    check_same(&run, name);
}

TEST(test_tables)
{
    check_limit(sanitized() ? "KPvK" : "KPvKP"); // cli/pawn_memory.sh makes KRPvK
    if (!sanitized())
        check_interrupted("KPvKP");
}

TEST(test_figures)
{
    static const char *const names[] = {"KPvK", "KRPvKR", "KPPvKP", "KRBPvKR", "KPPvKPP"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct pawn_memory free_of_it;
        struct pawn_memory memory;
        const struct material material = material_named(names[i]);
        struct build_options options = {.dir = free_tables, .threads = 2, .memory = UINT64_C(1) << 50};
        pawn_memory(&free_of_it, &material, &options, true);
        assert_true(free_of_it.fixed < free_of_it.least && free_of_it.least <= free_of_it.most);
        assert_true(free_of_it.taken == free_of_it.most);
        options.memory = (free_of_it.least + free_of_it.most) / 2;
        pawn_memory(&memory, &material, &options, true);
        assert_true(memory.taken == options.memory && memory.arrays > 0 && memory.arrays < memory.limit);
        options.memory = free_of_it.least - 1;
        pawn_memory(&memory, &material, &options, true);
        assert_true(memory.taken == free_of_it.least);
        // Solving alone takes no more.
        pawn_memory(&memory, &material, &options, false);
        assert_true(memory.least <= free_of_it.least);
    }
    // One slice of five pieces has planes of 128 MiB.
    struct pawn_memory large;
    const struct material material = material_named("KRBPvKR");
    const struct build_options options = {.dir = free_tables, .threads = 2};
    pawn_memory(&large, &material, &options, true);
    assert_true(large.least > UINT64_C(24) << 27 && large.least < UINT64_C(48) << 27);
}

TESTS(setup, teardown)
