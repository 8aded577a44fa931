// test_plan.c - which tables a build makes and in what order, what it finds in its folder, and who may write there
#include "support/support.h"

#include "index/layout.h"
#include "index/pawns.h"
#include "make/build.h"
#include "make/folder.h"
#include "make/plan.h"
#include "make/plan_material.h"
#include "make/plan_stream.h"
#include "util/error.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATHS_MAX = 700, LIST_MAX = 200 };

static char empty_dir[PATHS_MAX];
static char table_dir[PATHS_MAX];

static struct material material_from(const char *name)
{
    struct material material;
    GOOD(material_parse(&material, name, NULL));
    return material;
}

static const char *path_in(const char *dir, const char *file)
{
    static char path[PATHS_MAX + 40];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    return path;
}

static bool exists(const char *dir, const char *file)
{
    return access(path_in(dir, file), F_OK) == 0;
}

static void remove_files(const char *dir)
{
    static const char *const files[] = {"KQvK.cltb",       "KQvK.cltb.part", "KRvK.cltb",  "KRvK.cltb.part",
                                        "KQvKR.cltb",      "KQvK.cltb.work", ".cltb.lock", "KRvKQ.cltb.part",
                                        "notes.cltb.part", "KBvK.cltb.part~"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        unlink(path_in(dir, files[i]));
}

// ---- slices ----

static void test_slices(void **state)
{
    for (int white = 0; white <= PAWNS_MAX; white++) {
        for (int black = white == 0 ? 1 : 0; white + black <= PAWNS_MAX; black++) {
            const struct material material = {
                {{[KING] = 1, [PAWN] = (uint8_t)white}, {[KING] = 1, [PAWN] = (uint8_t)black}}};
            struct pawn_slices *slices;
            uint64_t level[PAWNS_MAX * PAWN_RANKS] = {0};
            uint64_t largest = 0;
            uint64_t most;
            GOOD(pawn_slices_open(&slices, white, black));
            for (uint32_t i = 0; i < slices->slices; i++)
                level[slices->advance[i]]++;
            for (size_t i = 0; i < sizeof level / sizeof level[0]; i++)
                largest = level[i] > largest ? level[i] : largest;
            assert_int_equal(plan_slices(&material, &most), slices->slices);
            assert_int_equal(most, largest);
            pawn_slices_close(slices);
        }
    }
}

// ---- the graph ----

struct list {
    struct material material[LIST_MAX];
    size_t count;
};

static bool listed(const struct list *list, const struct material *material)
{
    for (size_t i = 0; i < list->count; i++)
        if (material_equal(&list->material[i], material))
            return true;
    return false;
}

static int add(void *context, const struct material *material)
{
    struct list *list = context;
    assert_true(list->count < LIST_MAX);
    list->material[list->count++] = *material;
    return 0;
}

// Does one man less, one pawn turned into a piece, or both make `sub` of `material`? By trying everything.
static bool leads_to(const struct material *material, const struct material *sub)
{
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int taken = KING; taken <= PAWN; taken++) { // KING: nothing is taken
            for (int promoted = KING; promoted <= KNIGHT; promoted++) {
                struct material after = *material;
                uint8_t *own = after.count[colour];
                uint8_t *enemy = after.count[colour ^ 1];
                if ((taken == KING && promoted == KING) || (taken != KING && enemy[taken]-- == 0) ||
                    (promoted != KING && own[PAWN]-- == 0))
                    continue;
                if (promoted != KING)
                    own[promoted]++;
                material_normalise(&after);
                if (material_equal(&after, sub))
                    return true;
            }
        }
    }
    return false;
}

// Everything of 3..5 men that some chain of zeroing moves leads to, found without plan_futurebases().
static void close_list(struct list *list, const struct list *all)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = 0; j < all->count; j++)
            if (leads_to(&list->material[i], &all->material[j]) && !listed(list, &all->material[j]))
                add(list, &all->material[j]);
}

static void check_plan(const struct plan *plan, struct list *wanted, const struct list *all)
{
    const size_t named = wanted->count;
    struct list before = {.count = 0};
    close_list(wanted, all);
    assert_int_equal(plan->count, wanted->count);
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        bool asked = false;
        assert_true(listed(wanted, &table->material));
        assert_false(listed(&before, &table->material));
        for (size_t j = 0; j < all->count; j++)
            if (leads_to(&table->material, &all->material[j]))
                assert_true(listed(&before, &all->material[j]));
        for (size_t j = 0; j < named; j++)
            asked = asked || material_equal(&wanted->material[j], &table->material);
        assert_int_equal(table->named, asked);
        assert_int_equal(table->state, PLAN_MAKE);
        assert_true(table->write && table->entries > 0 && table->memory > 0 && table->seconds > 0);
        assert_int_equal(table->work_bytes > 0, material_has_pawns(&table->material));
        add(&before, &table->material);
    }
}

static void test_graph(void **state)
{
    static const size_t counts[] = {5, 35, 145};
    static const char *const names[] = {"KQvK", "KPvK", "KPvKP", "KRPvKR", "KPPvKP", "KBNvKP", "KPPPvK", "KRRvKQ"};
    const struct build_options options = {.dir = empty_dir, .threads = 1};
    static struct list all;
    for (int men = 3; men <= 5; men++) {
        GOOD(material_each(men, add, &all));
        struct list wanted = all;
        struct plan *plan;
        GOOD(plan_make(&plan, all.material, all.count, &options));
        assert_int_equal(plan->to_make, counts[men - 3]);
        check_plan(plan, &wanted, &all);
        plan_free(plan);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        // Twice the same changes nothing.
        struct list wanted = {{material_from(names[i]), material_from(names[i])}, 2};
        struct plan *plan;
        GOOD(plan_make(&plan, wanted.material, wanted.count, &options));
        wanted.count = 1;
        check_plan(plan, &wanted, &all);
        assert_true(material_equal(&plan->table[plan->count - 1].material, &wanted.material[0]));
        plan_free(plan);
    }
}

static void test_entries(void **state)
{
    const struct build_options options = {.dir = empty_dir, .threads = 1};
    static const struct {
        const char *name;
        uint64_t entries;
    } facts[] = {
        {"KQRvKR", UINT64_C(2) * 10 * 64 * 64 * 64 * 64},
        {"KRRvKB", UINT64_C(2) * 10 * 36 * 64 * 64 * 64}, // 36 of 64 pairs of u digits are kept
        {"KPvK", UINT64_C(2) * 24 * 64 * 64},
        {"KRPvKR", UINT64_C(2) * 24 * 64 * 64 * 64 * 64},
        {"KPPvK", UINT64_C(2) * (48 * 47 / 2 + 24) / 2 * 64 * 64}, // 24 are their own mirror image
        {"KPvKP", UINT64_C(2) * (48 * 47) / 2 * 64 * 64},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct material material = material_from(facts[i].name);
        struct plan *plan;
        GOOD(plan_make(&plan, &material, 1, &options));
        uint64_t files = 0;
        double seconds = 0;
        for (size_t j = 0; j < plan->count; j++) {
            files += plan->table[j].file_bytes;
            seconds += plan->table[j].seconds;
            assert_true(plan->table[j].memory <= plan->memory && plan->table[j].work_bytes <= plan->work_bytes);
        }
        assert_int_equal(plan->table[plan->count - 1].entries, facts[i].entries);
        assert_int_equal(plan->file_bytes, files);
        assert_true(plan->seconds > 0.999 * seconds && plan->seconds < 1.001 * seconds);
        plan_free(plan);
    }
}

// ---- what cannot be made ----

static void test_limits(void **state)
{
    struct build_options options = {.dir = empty_dir, .threads = 1};
    const struct material rooks = material_from("KQRvKR");
    const struct material pawns = material_from("KPPPvKPP");
    struct plan *plan;
    GOOD(plan_make(&plan, &rooks, 1, &options));
    options.memory = plan->memory;
    GOOD(plan_check(plan, &options));
    options.memory = plan->memory - 1;
    assert_int_equal(plan_check(plan, &options), CLTB_E_MEMORY);
    assert_non_null(strstr(error_text(), "KQRvKR"));
    plan_free(plan);
    GOOD(plan_make(&plan, &pawns, 1, &options));
    assert_int_equal(plan_check(plan, &options), CLTB_E_USAGE);
    assert_non_null(strstr(error_text(), "KPPPvKPP"));
    plan_free(plan);
}

// Blocks on disk are as large as memory allows; a least size of them is a reason for more memory.
static void test_blocks(void **state)
{
    struct build_options options = {.dir = empty_dir, .device = "cpu", .threads = 1, .memory = 64 << 20};
    const struct material rooks = material_from("KQRvKR");
    struct plan *plan;
    const struct plan_stream *stream;
    GOOD(plan_make(&plan, &rooks, 1, &options));
    GOOD(plan_check(plan, &options));
    stream = &plan->table[plan->count - 1].stream;
    assert_true(stream->streamed && stream->block_bytes > 0 && stream->block_bytes < PLAN_BLOCK_BYTES);
    assert_true(stream->block_memory > options.memory);
    options.block = stream->block_bytes;
    plan_free(plan);

    GOOD(plan_make(&plan, &rooks, 1, &options));
    GOOD(plan_check(plan, &options));
    assert_true(plan->table[plan->count - 1].stream.block_memory == 0);
    plan_free(plan);

    options.block = 1 << 20;
    GOOD(plan_make(&plan, &rooks, 1, &options));
    assert_int_equal(plan_check(plan, &options), CLTB_E_MEMORY);
    assert_non_null(strstr(error_text(), "--block"));
    options.memory = plan->table[plan->count - 1].stream.block_memory;
    plan_free(plan);
    GOOD(plan_make(&plan, &rooks, 1, &options));
    GOOD(plan_check(plan, &options));
    stream = &plan->table[plan->count - 1].stream;
    assert_true(stream->streamed && stream->block_bytes >= options.block && stream->block_memory == 0);
    plan_free(plan);
}

// More memory is of no use where the device is too small.
static void test_blocks_of_device(void **state)
{
    const struct build_options options = {.dir = empty_dir, .threads = 1, .block = 2 << 20};
    const struct device_limits device = {.memory = 100 << 20, .allocation = 100 << 20};
    const struct material rooks = material_from("KQRvKR");
    struct plan_stream stream;
    GOOD(plan_stream(&stream, &rooks, &options, true, UINT64_C(16) << 30, &device));
    assert_true(stream.streamed && stream.block_bytes < options.block);
    assert_true(stream.block_memory == PLAN_NO_MEMORY);
}

// ---- what is there ----

struct expected {
    const char *name;
    enum plan_state state;
    bool write;
};

static void check_states(const char *name, const struct build_options *options, const struct expected *expected,
                         size_t count)
{
    const struct material material = material_from(name);
    struct plan *plan;
    GOOD(plan_make(&plan, &material, 1, options));
    assert_int_equal(plan->count, count);
    size_t make = 0;
    for (size_t i = 0; i < count; i++) {
        char text[MATERIAL_NAME_MAX];
        assert_string_equal(material_name(&plan->table[i].material, text), expected[i].name);
        assert_int_equal(plan->table[i].state, expected[i].state);
        assert_int_equal(plan->table[i].write, expected[i].write);
        assert_int_equal(plan->table[i].reason != NULL, expected[i].state == PLAN_REPLACE);
        make += expected[i].state != PLAN_PRESENT;
    }
    assert_int_equal(plan->to_make, make);
    plan_free(plan);
}

#define CHECK_STATES(name, ...)                                                                                        \
    do {                                                                                                               \
        const struct expected list[] = __VA_ARGS__;                                                                    \
        check_states(name, &options, list, sizeof list / sizeof list[0]);                                              \
    } while (0)

static void test_presence(void **state)
{
    struct build_options options = {.dir = table_dir, .device = "cpu", .threads = 1};
    const struct material queen = material_from("KQvK");
    remove_files(table_dir);
    GOOD(build_table(&queen, &options));
    CHECK_STATES("KQvKR", {{"KRvK", PLAN_MAKE, true}, {"KQvK", PLAN_PRESENT, false}, {"KQvKR", PLAN_MAKE, true}});
    // What is only a futurebase is never forced, and written even if the table itself is only solved.
    options.force = true;
    CHECK_STATES("KQvKR", {{"KRvK", PLAN_MAKE, true}, {"KQvK", PLAN_PRESENT, false}, {"KQvKR", PLAN_MAKE, true}});
    CHECK_STATES("KQvK", {{"KQvK", PLAN_MAKE, true}});
    options.force = false;
    options.solve_only = true;
    CHECK_STATES("KQvKR", {{"KRvK", PLAN_MAKE, true}, {"KQvK", PLAN_PRESENT, false}, {"KQvKR", PLAN_MAKE, false}});
    CHECK_STATES("KQvK", {{"KQvK", PLAN_MAKE, false}});
    options.solve_only = false;
    // Other folders are looked into as well.
    char both[2 * PATHS_MAX + 1];
    snprintf(both, sizeof both, "%s:%s", empty_dir, table_dir);
    options.dir = empty_dir;
    options.search = both;
    CHECK_STATES("KQvK", {{"KQvK", PLAN_PRESENT, false}});
    options.search = NULL;
    CHECK_STATES("KQvK", {{"KQvK", PLAN_MAKE, true}});
    options.dir = table_dir;
    assert_int_equal(truncate(path_in(table_dir, "KQvK.cltb"), 100), 0);
    CHECK_STATES("KQvKR", {{"KRvK", PLAN_MAKE, true}, {"KQvK", PLAN_REPLACE, true}, {"KQvKR", PLAN_MAKE, true}});
}

// A table that others need and that was to be solved only is written after all.
static void test_solve_only_of_many(void **state)
{
    const struct build_options options = {.dir = empty_dir, .threads = 1, .solve_only = true};
    const struct material materials[] = {material_from("KRvK"), material_from("KNvK"), material_from("KRvKR")};
    struct plan *plan;
    GOOD(plan_make(&plan, materials, 3, &options));
    assert_int_equal(plan->count, 3);
    assert_true(plan->table[0].write);
    assert_false(plan->table[1].write);
    assert_false(plan->table[2].write);
    assert_int_equal(plan->to_write, 1);
    plan_free(plan);
}

// ---- the folder ----

static void touch(const char *dir, const char *file)
{
    const int created = open(path_in(dir, file), O_CREAT | O_WRONLY, 0600);
    assert_true(created >= 0);
    close(created);
}

static void test_folder(void **state)
{
    struct folder *folder;
    struct folder *second;
    remove_files(table_dir);
    touch(table_dir, "KQvK.cltb.part");
    touch(table_dir, "KRvK.cltb.part");
    touch(table_dir, "KRvKQ.cltb.part"); // no standard name
    touch(table_dir, "notes.cltb.part");
    touch(table_dir, "KBvK.cltb.part~");
    touch(table_dir, "KQvK.cltb.work");
    const int writer = open(path_in(table_dir, "KRvK.cltb.part"), O_RDWR);
    assert_int_equal(flock(writer, LOCK_EX | LOCK_NB), 0);
    GOOD(folder_open(&folder, table_dir));
    assert_false(exists(table_dir, "KQvK.cltb.part"));
    assert_true(exists(table_dir, "KRvK.cltb.part"));
    assert_true(exists(table_dir, "KRvKQ.cltb.part"));
    assert_true(exists(table_dir, "notes.cltb.part"));
    assert_true(exists(table_dir, "KBvK.cltb.part~"));
    assert_true(exists(table_dir, "KQvK.cltb.work"));
    close(writer);
    assert_int_equal(folder_open(&second, table_dir), CLTB_E_IO);
    assert_null(second);
    assert_non_null(strstr(error_text(), "another build is running in"));
    GOOD(folder_open(&second, empty_dir));
    folder_close(second);
    folder_close(folder);
    assert_false(exists(table_dir, ".cltb.lock"));
    touch(table_dir, ".cltb.lock"); // of a run that was killed
    GOOD(folder_open(&folder, table_dir));
    assert_false(exists(table_dir, "KRvK.cltb.part"));
    folder_close(folder);
    remove_files(table_dir);
}

// With nothing to write there is nothing to lock, and what a killed run left beside a finished table goes.
static void test_build_and_lock(void **state)
{
    struct build_options options = {.dir = table_dir, .device = "cpu", .threads = 1};
    const struct material queen = material_from("KQvK");
    const struct material rook = material_from("KRvK");
    struct folder *folder;
    remove_files(table_dir);
    GOOD(build_table(&queen, &options));
    GOOD(folder_open(&folder, table_dir));
    touch(table_dir, "KQvK.cltb.work");
    GOOD(build_table(&queen, &options));
    assert_true(exists(table_dir, "KQvK.cltb.work")); // the other run's
    assert_int_equal(build_table(&rook, &options), CLTB_E_IO);
    assert_non_null(strstr(error_text(), "another build is running in"));
    options.solve_only = true;
    GOOD(build_table(&rook, &options));
    options.solve_only = false;
    folder_close(folder);
    GOOD(build_table(&queen, &options));
    assert_false(exists(table_dir, "KQvK.cltb.work"));
    assert_false(exists(table_dir, ".cltb.lock"));
    GOOD(build_table(&rook, &options));
    assert_false(exists(table_dir, ".cltb.lock"));
    touch(table_dir, ".cltb.lock");
    GOOD(build_table(&rook, &options)); // it is there, and so is nothing else afterwards
    assert_false(exists(table_dir, ".cltb.lock"));
    remove_files(table_dir);
}

static void set_folder(char *path, const char *name)
{
    const char *folder = getenv("CLTB_TEST_TMP");
    snprintf(path, PATHS_MAX, "%s/%s", folder == NULL ? "." : folder, name);
    assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
    remove_files(path);
}

static int setup(void **state)
{
    set_folder(empty_dir, "plan_empty");
    set_folder(table_dir, "plan_tables");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slices),   cmocka_unit_test(test_graph),
        cmocka_unit_test(test_entries),  cmocka_unit_test(test_limits),
        cmocka_unit_test(test_blocks),   cmocka_unit_test(test_blocks_of_device),
        cmocka_unit_test(test_presence), cmocka_unit_test(test_solve_only_of_many),
        cmocka_unit_test(test_folder),   cmocka_unit_test(test_build_and_lock),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
