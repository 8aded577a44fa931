// test_pawn_memory.c - tables with pawns under a limit of memory: arrays that leave for a file and come back, the same table
#include "support/support.h"

#include "disk/paged.h"
#include "make/pawn_memory_runs.h"
#include "util/memory.h"

#include "make/pawn_memory.h"

// ---- arrays ----

static uint64_t random_state = 88172645463325252;

static uint64_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

enum { ARRAYS = 60, ARRAY_LIMIT = 3 << 20, STEPS = 3000 };

struct known {
    struct paged_array *array;
    size_t words;
    uint64_t seed;
};

static void fill(uint64_t *words, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        words[i] = (seed + i) * UINT64_C(0x9e3779b97f4a7c15);
}

static void check_words(const uint64_t *words, const struct known *known)
{
    for (size_t i = 0; i < known->words; i++) {
        if (words[i] != (known->seed + i) * UINT64_C(0x9e3779b97f4a7c15))
            fail_msg("word %zu of %zu", i, known->words);
    }
}

// From 2 KiB to 2 MiB.
static void make_array(struct paged *paged, struct known *known)
{
    void *start;
    known->words = (size_t)(256 + random_word() % 128) << random_word() % 10;
    known->seed = random_word();
    const bool zero = random_word() & 1;
    GOOD(paged_new(paged, known->words * sizeof(uint64_t), zero, &known->array, &start));
    for (size_t i = 0; zero && i < known->words; i++)
        assert_true(((const uint64_t *)start)[i] == 0);
    fill(start, known->words, known->seed);
    paged_put(known->array);
}

static void look_at(const struct known *known)
{
    const void *start;
    GOOD(paged_get(known->array, &start));
    check_words(start, known);
    paged_put(known->array);
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
    GOOD(paged_open(&paged, threads_memory(pool), limit, dir));
    for (int step = 0; step < STEPS; step++) {
        struct known *one = &known[random_word() % ARRAYS];
        const struct known *two = &known[random_word() % ARRAYS];
        if (one->array == NULL) {
            make_array(paged, one);
        } else if (random_word() % 8 == 0) {
            paged_free(one->array);
            one->array = NULL;
        } else if (two->array != NULL) {
            look_at_two(paged, one, two);
        } else {
            look_at(one);
        }
    }
    for (int i = 0; i < ARRAYS; i++)
        paged_free(known[i].array);
    paged_close(paged);
}

static void test_arrays(void **state)
{
    (void)state;
    run_arrays(ARRAY_LIMIT, tables);
    run_arrays(0, nowhere);
    DIR *folder = opendir(tables); // the file has no name
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        assert_true(entry->d_name[0] == '.' && entry->d_name[1 + (entry->d_name[1] == '.')] == '\0');
    closedir(folder);
}

// Where nothing can leave the next array is an error, and those that are there stay good.
static void test_no_place(void **state)
{
    (void)state;
    struct paged *paged;
    struct known known[16] = {{.array = NULL}};
    int code = 0;
    GOOD(paged_open(&paged, threads_memory(pool), ARRAY_LIMIT, nowhere));
    for (int i = 0; code == 0 && i < 16; i++) {
        void *start;
        known[i].words = 64 << 10;
        known[i].seed = random_word();
        code = paged_new(paged, known[i].words * sizeof(uint64_t), false, &known[i].array, &start);
        fill(start, known[i].words, known[i].seed);
        check_words(start, &known[i]);
        paged_put(known[i].array);
    }
    assert_int_equal(code, CLTB_E_IO);
    assert_non_null(strstr(error_text(), nowhere));
    for (int i = 0; i < 16; i++)
        paged_free(known[i].array);
    paged_close(paged);
}

// Arrays of the pool under a limit: kept ones are given up first, then it asks.
struct relief {
    void *array;
    size_t bytes;
    size_t asked;
};

static void relieve(void *context, size_t bytes)
{
    struct relief *relief = context;
    relief->asked += bytes;
    memory_give(threads_memory(pool), relief->array, relief->bytes);
    relief->array = NULL;
}

static void test_pooled_arrays(void **state)
{
    (void)state;
    enum { MIB = 1 << 20 };
    struct memory_pool *memory = threads_memory(pool);
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

// ---- a table ----

// Slices of 32 KiB a plane; test_slow_pawn_memory.c has pawns of both sides.
static void test_table(void **state)
{
    (void)state;
    check_limits("KRPvK");
    check_interrupted("KRPvK");
}

// ---- what is said before ----

static void test_figures(void **state)
{
    (void)state;
    static const char *const names[] = {"KPvK", "KRPvKR", "KPPvKP", "KRBPvKR", "KPPvKPP"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct pawn_memory free_of_it;
        struct pawn_memory memory;
        struct material material;
        struct build_options options = {.dir = bases, .threads = 2, .memory = UINT64_C(1) << 50};
        GOOD(material_parse(&material, names[i], NULL));
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
    struct material material;
    const struct build_options options = {.dir = bases, .threads = 2};
    GOOD(material_parse(&material, "KRBPvKR", NULL));
    pawn_memory(&large, &material, &options, true);
    assert_true(large.least > UINT64_C(24) << 27 && large.least < UINT64_C(48) << 27);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays), cmocka_unit_test(test_no_place), cmocka_unit_test(test_pooled_arrays),
        cmocka_unit_test(test_table),  cmocka_unit_test(test_figures),
    };
    return cmocka_run_group_tests_name("pawn tables and memory", tests, setup, teardown);
}
