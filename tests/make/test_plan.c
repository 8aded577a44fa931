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
#include "util/peers.h"
#include "util/units.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/file.h>
#include <unistd.h>

enum { LIST_MAX = 200 };

static char empty_dir[TEST_PATH_MAX];
static char table_dir[TEST_PATH_MAX];

static const char *path_in(const char *dir, const char *file)
{
    static char path[TEST_PATH_MAX + 40];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    return path;
}

static bool exists(const char *file)
{
    return access(path_in(table_dir, file), F_OK) == 0;
}

static struct plan *plan_of(const char *name, const struct build_options *options)
{
    const struct material material = material_named(name);
    struct plan *plan;
    GOOD(plan_make(&plan, &material, 1, options, NULL));
    return plan;
}

// ---- slices ----

TEST(test_slices)
{
    enum { PAWNS = 4 };
    for (int white = 0; white <= PAWNS_MAX; white++) {
        for (int black = white == 0 ? 1 : 0; white + black <= (white == 0 ? PAWNS_MAX : PAWNS); black++) {
            const struct material material = {
                .count = {{[KING] = 1, [PAWN] = (uint8_t)white}, {[KING] = 1, [PAWN] = (uint8_t)black}}};
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

TEST(test_graph)
{
    static const size_t counts[] = {5, 35, 145};
    static const char *const names[] = {"KQvK", "KPvK", "KPvKP", "KRPvKR", "KPPvKP", "KBNvKP", "KPPPvK", "KRRvKQ"};
    const struct build_options options = {.dir = empty_dir, .threads = 1};
    static struct list all;
    for (int men = 3; men <= 5; men++) {
        GOOD(material_each(men, add, &all));
        struct list wanted = all;
        struct plan *plan;
        GOOD(plan_make(&plan, all.material, all.count, &options, NULL));
        assert_int_equal(plan->to_make, counts[men - 3]);
        check_plan(plan, &wanted, &all);
        plan_free(plan);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        // Twice the same changes nothing.
        struct list wanted = {{material_named(names[i]), material_named(names[i])}, 2};
        struct plan *plan;
        GOOD(plan_make(&plan, wanted.material, wanted.count, &options, NULL));
        wanted.count = 1;
        check_plan(plan, &wanted, &all);
        assert_true(material_equal(&plan->table[plan->count - 1].material, &wanted.material[0]));
        plan_free(plan);
    }
}

TEST(test_entries)
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
        struct plan *plan = plan_of(facts[i].name, &options);
        uint64_t files = 0;
        double seconds = 0;
        for (size_t j = 0; j < plan->count; j++) {
            files += plan->table[j].file_bytes;
            seconds += plan->table[j].seconds;
            assert_true(plan->table[j].solve_seconds > 0 && plan->table[j].solve_seconds < plan->table[j].seconds);
            assert_true(plan->table[j].memory <= plan->memory && plan->table[j].work_bytes <= plan->work_bytes);
        }
        assert_int_equal(plan->table[plan->count - 1].entries, facts[i].entries);
        assert_int_equal(plan->file_bytes, files);
        assert_true(plan->seconds > 0.999 * seconds && plan->seconds < 1.001 * seconds);
        plan_free(plan);
    }
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

struct file_size {
    const char *name;
    uint64_t bytes;
};

// Are estimates less than `most` times too large or too small, and half of them less than `median` times?
static void check_sizes(double (*estimate)(const struct material *), enum metric metric, const struct file_size *facts,
                        size_t count, double most, double median)
{
    double factor[64];
    assert_in_range(count, 1, 64);
    for (size_t i = 0; i < count; i++) {
        struct material material = material_named(facts[i].name);
        material.metric = (uint8_t)metric;
        const double ratio = estimate(&material) / (double)facts[i].bytes;
        factor[i] = ratio < 1 ? 1 / ratio : ratio;
        if (!(factor[i] < most))
            fail_msg("%s: not %" PRIu64 " bytes, but %.2f times as many", facts[i].name, facts[i].bytes, ratio);
    }
    qsort(factor, count, sizeof *factor, compare_doubles);
    assert_true(factor[count / 2] < median);
}

// Published Syzygy files of some tables, both of each.
TEST(test_syzygy_sizes)
{
    static const struct file_size facts[] = {
        {"KBBvK", 194272},    {"KBNvK", 469472},   {"KQvKR", 329504},    {"KRvKN", 193248},
        {"KQRvKR", 3701792},  {"KQRBvK", 2507296}, {"KRNvKB", 23129440}, {"KBBvKN", 13201312},
        {"KBNvKN", 5402592},  {"KRRvKQ", 5196384}, {"KRPvKP", 5854496},  {"KRPvKR", 30104032},
        {"KQPvKQ", 37099424}, {"KNPPvK", 297824},  {"KPPvKP", 8168864},  {"KRPvK", 18080}};
    check_sizes(plan_syzygy_bytes, METRIC_DTZ, facts, sizeof facts / sizeof facts[0], 8, 1.8);
    // Only those of the named table, and no other file of it.
    const struct build_options options = {.dir = empty_dir, .threads = 1, .syzygy = empty_dir};
    struct plan *plan = plan_of("KQvKR", &options);
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        assert_int_equal(table->syzygy, i + 1 == plan->count);
        assert_int_equal(table->write, i + 1 < plan->count);
        assert_int_equal(table->syzygy_bytes, table->syzygy ? (uint64_t)plan_syzygy_bytes(&table->material) : 0);
        bytes += table->file_bytes + table->syzygy_bytes;
    }
    assert_int_equal(plan->file_bytes, bytes);
    plan_free(plan);
}

// True sizes: every fifth table of 3 to 5 men by name, and those that are hardest to estimate; and tables of distances
// to mate.
TEST(test_file_sizes)
{
    static const struct file_size facts[] = {
        {"KBBBvK", 2038257},  {"KBBvKB", 413284},   {"KBBvKN", 9403504},  {"KBNPvK", 929060},   {"KBNvKN", 6122927},
        {"KBNvKQ", 11881077}, {"KBPvKN", 17979030}, {"KBvKB", 4317},      {"KBvKN", 4331},      {"KBvKP", 69480},
        {"KNNvK", 4432},      {"KNNvKB", 83449},    {"KNNvKR", 403482},   {"KNPvKP", 17087787}, {"KNvKN", 3614},
        {"KNvKP", 110894},    {"KPPvKP", 5014176},  {"KQBBvK", 3205759},  {"KQBvKN", 3224249},  {"KQNPvK", 1530405},
        {"KQNvKQ", 3139378},  {"KQPvKB", 2135126},  {"KQPvKN", 2554675},  {"KQQNvK", 874082},   {"KQQvKB", 961044},
        {"KQRBvK", 2849746},  {"KQRvKB", 1947265},  {"KQvK", 7164},       {"KQvKR", 265343},    {"KRBvKB", 13795929},
        {"KRNNvK", 4728308},  {"KRNvKP", 8475317},  {"KRPvKB", 18720520}, {"KRRBvK", 2622325},  {"KRRvKB", 4540363},
        {"KRvK", 8716},       {"KRvKN", 154841}};
    static const struct file_size to_mate[] = {
        {"KBBBvK", 2112862},  {"KBBvKQ", 12587397}, {"KBNvKN", 5226396},  {"KBPvKN", 41355021}, {"KBNPvK", 36360639},
        {"KNNvKP", 22747815}, {"KNPvKP", 49223321}, {"KPPvKP", 18413589}, {"KQBvKN", 12775471}, {"KQNvKR", 17557369},
        {"KQPvKR", 52848723}, {"KQRBvK", 2828385},  {"KQvKR", 371436},    {"KRBvKN", 18567599}, {"KRNNvK", 4094808},
        {"KRNvKR", 4527518},  {"KRPvKB", 68940201}, {"KRPvKQ", 75152515}, {"KRRvKB", 9297521},  {"KRvKP", 701998}};
    check_sizes(plan_file_bytes, METRIC_DTZ, facts, sizeof facts / sizeof facts[0], 5, 1.3);
    check_sizes(plan_file_bytes, METRIC_DTM, to_mate, sizeof to_mate / sizeof to_mate[0], 5, 1.3);
    const struct build_options options = {.dir = empty_dir, .threads = 1};
    struct plan *plan = plan_of("KRPvKR", &options);
    const struct plan_table *last = &plan->table[plan->count - 1];
    assert_int_equal(last->file_bytes, (uint64_t)plan_file_bytes(&last->material));
    plan_free(plan);
}

// ---- what cannot be made ----

TEST(test_limits)
{
    struct build_options options = {.dir = empty_dir, .threads = 1};
    struct plan *plan = plan_of("KQRvKR", &options);
    options.memory = plan->memory;
    GOOD(plan_check(plan, &options));
    options.memory = plan->memory - 1;
    FAILS(plan_check(plan, &options), CLTB_E_MEMORY, "KQRvKR");
    plan_free(plan);
    // Men and pawns are limited by memory alone, and no sum of bytes exceeds 64 bits.
    static const char *const large[] = {"KPPPvKPP", "KQRBBNvK", "KQRBvKRN", "KPPPvKPPP", "KQRBNvKRN", "KQRBNvKRP"};
    options.memory = (uint64_t)4 << 30;
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        plan = plan_of(large[i], &options);
        char wanted[100];
        snprintf(wanted, sizeof wanted, " needs about %s of memory, 4.29 GB are allowed",
                 unit_bytes(plan->memory).text);
        FAILS(plan_check(plan, &options), CLTB_E_MEMORY, wanted);
        uint64_t before = 0;
        for (size_t t = 0; t < plan->count; t++) {
            const struct plan_table *table = &plan->table[t];
            const struct material *material = &table->material;
            assert_true(table->entries < UINT64_C(1) << 50 && table->entries > plan_file_entries(material) / 8);
            assert_true(table->memory > 0 && table->memory < (uint64_t)1 << 50);
            assert_true(table->work_bytes < (uint64_t)1 << 50 && table->seconds < 1e10);
            before += table->file_bytes;
        }
        assert_true(before == plan->file_bytes);
        plan_free(plan);
    }
    plan = plan_of("KQQQQQvK", &options); // 792 tiles of the queens, not 32,768
    assert_true(plan->memory <= options.memory);
    plan_free(plan);
}

// The plan of KQRvKR with its planes on disk, which must be possible unless blocks of the requested size are not.
static struct plan_stream stream_of(const struct build_options *options, bool blocks_fit)
{
    struct plan *plan = plan_of("KQRvKR", options);
    const struct plan_stream stream = plan->table[plan->count - 1].stream;
    assert_true(stream.streamed);
    if (blocks_fit)
        GOOD(plan_check(plan, options));
    else
        FAILS(plan_check(plan, options), CLTB_E_MEMORY, "--block");
    plan_free(plan);
    return stream;
}

// Blocks on disk are as large as memory allows; a minimum size for them is a reason for more memory.
TEST(test_blocks)
{
    struct build_options options = {.dir = empty_dir, .device = "cpu", .threads = 1, .memory = 64 << 20};
    struct plan_stream stream = stream_of(&options, true);
    assert_true(stream.block_bytes > 0 && stream.block_bytes < PLAN_BLOCK_BYTES);
    assert_true(stream.block_memory > options.memory);
    options.block = stream.block_bytes;
    assert_true(stream_of(&options, true).block_memory == 0);
    options.block = 1 << 20;
    options.memory = stream_of(&options, false).block_memory;
    stream = stream_of(&options, true);
    assert_true(stream.block_bytes >= options.block && stream.block_memory == 0);
}

// More memory is of no use if the device is too small.
TEST(test_blocks_of_device)
{
    const struct build_options options = {.dir = empty_dir, .threads = 1, .block = 2 << 20};
    const struct device_limits device = {.memory = 100 << 20, .allocation = 100 << 20};
    const struct material rooks = material_named("KQRvKR");
    struct plan_stream stream;
    GOOD(plan_stream(&stream, &rooks, &options, true, UINT64_C(16) << 30, &device));
    assert_true(stream.streamed && stream.block_bytes < options.block);
    assert_true(stream.block_memory == PLAN_NO_MEMORY);
}

TEST(test_on_one_device)
{
    const uint64_t gigabyte = UINT64_C(1) << 30;
    assert_int_equal(plan_on_device(145, 5, 12, 80 * gigabyte), 12);
    assert_int_equal(plan_on_device(3, 4, 16, 80 * gigabyte), 3);
    assert_int_equal(plan_on_device(145, 5, 1, 80 * gigabyte), 2);
    assert_int_equal(plan_on_device(145, 5, 64, 1000 * gigabyte), DEVICES_MAX);
    assert_int_equal(plan_on_device(145, 5, 16, 5 * gigabyte), 2);
    assert_int_equal(plan_on_device(145, 6, 16, 80 * gigabyte), 1); // a table may need all of it
    assert_int_equal(plan_on_device(145, 5, 16, gigabyte), 1);
    assert_int_equal(plan_on_device(145, 5, 16, 0), 1); // unknown
}

// ---- what is there ----

// Processes on one machine share futurebases: each needs memory for its part of them.
TEST(test_neighbours)
{
    const struct device_limits none = {0};
    struct peers peers = {.ranks = 4, .neighbours = 1};
    struct build_options options = {.threads = 1, .peers = &peers};
    const struct material queens = material_named("KQRvKR");
    struct plan_stream apart;
    struct plan_stream here;
    GOOD(plan_stream(&apart, &queens, &options, PLAN_TABLE, UINT64_C(1) << 30, &none));
    peers.neighbours = 4;
    GOOD(plan_stream(&here, &queens, &options, PLAN_TABLE, UINT64_C(1) << 30, &none));
    assert_true(apart.streamed && here.streamed);
    assert_int_equal(here.base_memory, apart.base_memory / 4 + 1);
    assert_int_equal(here.window_memory - apart.window_memory, apart.base_memory - here.base_memory);
}

// With little memory, planes are on disk. With more, each of several processes keeps its share of them, however small
// the blocks of many processes are.
TEST(test_kept_planes)
{
    const struct device_limits none = {0};
    struct peers peers = {.ranks = 4, .neighbours = 1};
    struct build_options options = {.threads = 1, .peers = &peers};
    const struct material queens = material_named("KQRvKR");
    const uint64_t plane = UINT64_C(336) * 1000 * 1000 / 2 / 8;
    uint64_t kept = 0;
    for (uint64_t memory = UINT64_C(1) << 26; memory <= UINT64_C(1) << 30; memory *= 2) {
        struct plan_stream plan;
        GOOD(plan_stream(&plan, &queens, &options, PLAN_TABLE, memory, &none));
        assert_true(plan.memory <= memory && plan.kept_memory >= kept);
        assert_int_equal(plan.kept_memory > 0, memory > UINT64_C(1) << 26);
        kept = plan.kept_memory;
    }
    assert_true(kept > 17 * plane / 4 && kept < 20 * plane / 4);
    for (peers.ranks = 8; peers.ranks <= 64; peers.ranks *= 2) {
        struct plan_stream plan;
        GOOD(plan_stream(&plan, &queens, &options, PLAN_TABLE, UINT64_C(1) << 30, &none));
        assert_true(plan.kept_memory > 0);
    }
    options.peers = NULL;
    struct plan_stream alone;
    GOOD(plan_stream(&alone, &queens, &options, PLAN_TABLE, UINT64_C(1) << 26, &none));
    assert_true(alone.streamed && alone.kept_memory == 0);
}

// Compares the plan for some names ("KRvK KNvK") with a text such as "KQvK present, KQvKR make write".
static void check_states(const char *names, const struct build_options *options, const char *expected)
{
    static const char *const states[] = {[PLAN_MAKE] = "make", [PLAN_REPLACE] = "replace", [PLAN_PRESENT] = "present"};
    char text[200] = "";
    struct material materials[3];
    size_t count = 0;
    size_t make = 0;
    size_t write = 0;
    struct plan *plan;
    for (const char *name = names; *name != '\0'; name += strspn(name, " ")) {
        char one[MATERIAL_NAME_MAX];
        snprintf(one, sizeof one, "%.*s", (int)strcspn(name, " "), name);
        materials[count++] = material_named(one);
        name += strlen(one);
    }
    GOOD(plan_make(&plan, materials, count, options, NULL));
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        char material[MATERIAL_NAME_MAX];
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s %s%s", i > 0 ? ", " : "",
                 material_name(&table->material, material), states[table->state], table->write ? " write" : "");
        assert_int_equal(table->reason != NULL, table->state == PLAN_REPLACE);
        make += table->state != PLAN_PRESENT;
        write += table->write;
    }
    assert_string_equal(text, expected);
    assert_int_equal(plan->to_make, make);
    assert_int_equal(plan->to_write, write);
    plan_free(plan);
}

TEST(test_presence)
{
    char both[2 * TEST_PATH_MAX + 1];
    snprintf(both, sizeof both, "%s:%s", empty_dir, table_dir);
    const struct {
        const char *names;
        const char *expected;
        const char *dir;
        const char *search;
        bool force;
        bool solve_only;
    } cases[] = {
        {"KQvKR", "KRvK make write, KQvK present, KQvKR make write", table_dir, NULL, false, false},
        // What is only a futurebase is never forced, and written even if the table itself is only solved.
        {"KQvKR", "KRvK make write, KQvK present, KQvKR make write", table_dir, NULL, true, false},
        {"KQvK", "KQvK make write", table_dir, NULL, true, false},
        {"KQvKR", "KRvK make write, KQvK present, KQvKR make", table_dir, NULL, false, true},
        {"KQvK", "KQvK make", table_dir, NULL, false, true},
        // Other folders are searched as well.
        {"KQvK", "KQvK present", empty_dir, both, false, false},
        {"KQvK", "KQvK make write", empty_dir, NULL, false, false},
        // A table that others need and that was to be solved only is written after all.
        {"KRvK KNvK KRvKR", "KRvK make write, KNvK make, KRvKR make", empty_dir, NULL, false, true},
    };
    struct build_options options = {.dir = table_dir, .device = "cpu", .threads = 1};
    const struct material queen = material_named("KQvK");
    test_folder_clear(table_dir);
    GOOD(build_table(&queen, &options));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        options.dir = cases[i].dir;
        options.search = cases[i].search;
        options.force = cases[i].force;
        options.solve_only = cases[i].solve_only;
        check_states(cases[i].names, &options, cases[i].expected);
    }
    options = (struct build_options){.dir = table_dir, .device = "cpu", .threads = 1};
    assert_int_equal(truncate(table_in(table_dir, "KQvK"), 100), 0);
    check_states("KQvKR", &options, "KRvK make write, KQvK replace write, KQvKR make write");
}

// ---- the folder ----

static void touch(const char *file)
{
    write_file(path_in(table_dir, file), "", 0);
}

TEST(test_folder)
{
    // One of a run that was killed, then those that stay: of a run that writes, without a standard name, no part file.
    static const char *const files[] = {"KQvK.cltb.part",  "KRvK.cltb.part",  "KRvKQ.cltb.part",
                                        "notes.cltb.part", "KBvK.cltb.part~", "KQvK.cltb.work"};
    struct folder *folder;
    struct folder *second;
    test_folder_clear(table_dir);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        touch(files[i]);
    const int writer = open(path_in(table_dir, "KRvK.cltb.part"), O_RDWR);
    assert_int_equal(flock(writer, LOCK_EX | LOCK_NB), 0);
    GOOD(folder_open(&folder, table_dir, false));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        assert_int_equal(exists(files[i]), i > 0);
    close(writer);
    FAILS(folder_open(&second, table_dir, false), CLTB_E_IO, "another build is running in");
    assert_null(second);
    GOOD(folder_open(&second, empty_dir, false));
    folder_close(second);
    folder_close(folder);
    assert_false(exists(".cltb.lock"));
    touch(".cltb.lock"); // of a run that was killed
    GOOD(folder_open(&folder, table_dir, false));
    assert_false(exists("KRvK.cltb.part"));
    folder_close(folder);
}

// With nothing to write there is nothing to lock. What a killed run left beside a finished table is removed.
TEST(test_build_and_lock)
{
    struct build_options options = {.dir = table_dir, .device = "cpu", .threads = 1};
    const struct material queen = material_named("KQvK");
    const struct material rook = material_named("KRvK");
    struct folder *folder;
    test_folder_clear(table_dir);
    GOOD(build_table(&queen, &options));
    GOOD(folder_open(&folder, table_dir, false));
    touch("KQvK.cltb.work");
    GOOD(build_table(&queen, &options));
    assert_true(exists("KQvK.cltb.work")); // the other run's
    FAILS(build_table(&rook, &options), CLTB_E_IO, "another build is running in");
    options.solve_only = true;
    GOOD(build_table(&rook, &options));
    options.solve_only = false;
    folder_close(folder);
    GOOD(build_table(&queen, &options));
    assert_false(exists("KQvK.cltb.work"));
    assert_false(exists(".cltb.lock"));
    GOOD(build_table(&rook, &options));
    assert_false(exists(".cltb.lock"));
    touch(".cltb.lock");
    GOOD(build_table(&rook, &options)); // afterwards the table exists, and nothing else
    assert_false(exists(".cltb.lock"));
}

// Tables of distances to mate are reduced to one side's, unless both have the same men or the distances of both stay.
TEST(test_one_side)
{
    struct build_options options = {.dir = empty_dir};
    struct plan *reduced = plan_of("KQvKR.dtm", &options);
    for (size_t i = 0; i < reduced->count; i++)
        assert_true(reduced->table[i].reduce);
    options.both_sides = true;
    struct plan *both = plan_of("KQvKR.dtm", &options);
    for (size_t i = 0; i < both->count; i++)
        assert_false(both->table[i].reduce);
    assert_true(reduced->file_bytes < both->file_bytes / 10 * 6);
    plan_free(reduced);
    plan_free(both);
    options.both_sides = false;
    reduced = plan_of("KQvKQ.dtm", &options);
    assert_false(reduced->table[reduced->count - 1].reduce);
    plan_free(reduced);
}

static int setup(void **state)
{
    test_folder_make(empty_dir);
    test_folder_make(table_dir);
    return 0;
}

static int teardown(void **state)
{
    test_folder_remove(empty_dir);
    test_folder_remove(table_dir);
    return 0;
}

TESTS(setup, teardown)
