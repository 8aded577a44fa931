// test_write_table.c - tables written with little memory: the same sections from parts, the same files
//
// Tables of four men have sections of four blocks. So the writer's methods for larger sections show only with five men:
// passes by the orbits of the outermost men, of one stream and of both together. These are left out without
// CLTB_TEST_LONG.
#include "support/solving.h"
#include "table/support_made_up.h"

#include "support/writing.h"
#include "table/write/write_passes.h"
#include "util/threads.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TINY = 1 }; // bytes of memory: what the writer needs at least is more

static const uint64_t KEPT = UINT64_C(1) << 9 | UINT64_C(1) << 34 | UINT64_C(1) << 59; // squares

static char scratch[TEST_PATH_MAX];

// The maker of sections under test, and which section it makes.
struct maker {
    section_fill *fill;
    const void *context;
    struct write_pieces pieces;
    int side;
};

// A section of both streams, and its counts.
struct section {
    uint8_t *symbols[2];
    uint64_t counts[TABLE_OUTCOMES];
};

static struct section new_section(uint64_t entries)
{
    const struct section section = {.symbols = {malloc(entries), malloc(2 * entries)}};
    assert_true(section.symbols[0] != NULL && section.symbols[1] != NULL);
    return section;
}

static void free_sections(struct section *a, struct section *b)
{
    for (int stream = 0; stream < 2; stream++) {
        free(a->symbols[stream]);
        free(b->symbols[stream]);
    }
}

// Made at once, with counts unless the order is of a smaller board.
static struct section whole_section(const struct maker *maker, const struct entry_order *order, uint64_t number,
                                    bool small)
{
    struct section section = new_section(order->per_section);
    const struct section_request request = {.side = maker->side,
                                            .outcome = {.order = order, .bytes = 1, .symbols = section.symbols[0]},
                                            .distance = {.order = order, .bytes = 2, .symbols = section.symbols[1]},
                                            .counts = small ? NULL : section.counts};
    GOOD(maker->fill(maker->context, &request, number, 1, test_pool));
    return section;
}

struct cut {
    unsigned bits; // of a block
    uint64_t most; // blocks of a pass
};

// One stream of a section in passes.
static void make_in_passes(struct section *section, int stream, const struct maker *maker,
                           const struct entry_order *order, uint64_t number, const struct cut *cut)
{
    const unsigned bits = cut->bits;
    struct write_passes passes;
    GOOD(write_passes_plan(&passes, order, &maker->pieces, bits, cut->most));
    const unsigned bytes = stream == 0 ? 1 : 2;
    uint32_t *slot = malloc(passes.blocks * sizeof *slot);
    uint8_t *symbols = malloc((passes.most << bits) * bytes);
    assert_true(slot != NULL && symbols != NULL);
    for (size_t i = 0; i < passes.count; i++) {
        const struct write_pass *pass = &passes.pass[i];
        const struct section_target target = {.order = order,
                                              .bytes = bytes,
                                              .symbols = symbols,
                                              .slot = slot,
                                              .slots = (uint32_t)pass->count,
                                              .block_bits = bits};
        struct section_request request = {.side = maker->side, .filter = &pass->filter};
        *(stream == 0 ? &request.outcome : &request.distance) = target;
        request.counts = stream == 0 ? section->counts : NULL;
        memset(slot, 0xff, passes.blocks * sizeof *slot);
        for (uint32_t s = 0; s < pass->count; s++)
            slot[passes.block[pass->first + s]] = s;
        GOOD(maker->fill(maker->context, &request, number, 1, test_pool));
        // The blocks of the pass go where they belong.
        for (uint64_t b = 0; b < pass->count; b++) {
            const uint64_t first = (uint64_t)passes.block[pass->first + b] << bits;
            const uint64_t left = order->per_section - first;
            const uint64_t length = left < UINT64_C(1) << bits ? left : UINT64_C(1) << bits;
            memcpy(section->symbols[stream] + first * bytes, symbols + (b << bits) * bytes, length * bytes);
        }
    }
    free(slot);
    free(symbols);
    write_passes_free(&passes);
}

static void check_parts(const struct maker *maker, const struct entry_order *order, uint64_t number,
                        const struct cut *cuts, size_t count)
{
    struct section whole = whole_section(maker, order, number, false);
    struct section parts = new_section(order->per_section);
    for (size_t i = 0; i < count; i++) {
        memset(parts.counts, 0, sizeof parts.counts);
        for (int stream = 0; stream < 2; stream++)
            make_in_passes(&parts, stream, maker, order, number, &cuts[i]);
        assert_memory_equal(whole.symbols[0], parts.symbols[0], order->per_section);
        assert_memory_equal(whole.symbols[1], parts.symbols[1], 2 * order->per_section);
        assert_memory_equal(whole.counts, parts.counts, sizeof whole.counts);
    }
    free_sections(&whole, &parts);
}

// Each group thinned has the entries of the whole order with its digits.
static void check_thinned(const struct maker *maker, const struct entry_order *order, uint64_t number, int group,
                          uint64_t kept)
{
    struct entry_order small = *order;
    entry_order_thin(&small, group, kept);
    assert_true(small.per_section < order->per_section);
    struct section whole = whole_section(maker, order, number, false);
    struct section board = whole_section(maker, &small, number, true);
    for (uint64_t entry = 0; entry < small.per_section; entry++) {
        uint64_t at = entry / small.per_slice * order->per_slice;
        for (int g = 0; g < order->groups; g++)
            at += entry_whole_digit(&small, g, entry / small.group[g].stride % small.group[g].size) *
                  order->group[g].stride;
        assert_int_equal(board.symbols[0][entry], whole.symbols[0][at]);
        assert_memory_equal(board.symbols[1] + 2 * entry, whole.symbols[1] + 2 * at, 2);
    }
    free_sections(&whole, &board);
}

TEST(test_parts)
{
    static const struct cut cuts[] = {{9, 512}, {9, 48}, {11, 1}, {12, 9}};
    static const struct {
        const char *name;
        const char *order;
        int side;
        uint64_t king;
    } cases[] = {
        {"KQvKR", "k K r Q", WHITE, 1},
        {"KBBvK", "k BB K", BLACK, 4},
        {"KRvKR", "k R K r", WHITE, 5},
        {"KRvK", "k R K", BLACK, 0},
    };
    for (size_t i = sanitized() ? 2 : 0; i < sizeof cases / sizeof *cases; i++) {
        struct solved solved;
        struct entry_order order;
        solve(&solved, cases[i].name, LAYOUT_PAIR, NULL, &keep_all);
        const struct layout *layout = &solved.backend->layout;
        const struct tile_source source = solution_tiles(&solved.solution);
        const struct maker maker = {
            king_sections_fill, &source, {layout->pieces, layout->type, layout->colour}, cases[i].side};
        GOOD(entry_order_read(&order, &layout->material, NULL, cases[i].order));
        check_parts(&maker, &order, cases[i].king, cuts, sizeof cuts / sizeof *cuts);
        for (int group = 0; group < order.groups; group++)
            check_thinned(&maker, &order, 1 + 7 * (uint64_t)(group % 2), group, KEPT);
        unsolve(&solved);
    }
}

TEST(test_slice_parts)
{
    static const struct cut cuts[] = {{12, 8}, {12, 5}, {14, 11}};
    static const struct {
        const char *name;
        const char *pieces;
        const struct codes *codes;
        const char *order;
        uint64_t section;
    } cases[] = {
        {"KRvKP", "KRk", &few_codes, "k R K", 3},
        {"KRvKP", "kKR", &many_codes, "K k R", 23}, // a slice each
        {"KPvKP", "Kk", &far_codes, "K k", 2},
        {"KPvKP", "kK", &few_codes, "k K", 17}, // many slices, the last section not full
    };
    for (size_t i = sanitized() ? 2 : 0; i < sizeof cases / sizeof *cases; i++) {
        struct made_up made;
        struct entry_order order;
        make_up(&made, cases[i].name, cases[i].pieces, cases[i].codes);
        const struct maker maker = {
            slice_sections_fill, &made.source, {made.shape.pieces, made.shape.type, made.shape.colour}, (int)i % 2};
        GOOD(entry_order_read(&order, &made.source.material, made.slices, cases[i].order));
        check_parts(&maker, &order, cases[i].section, cuts, sizeof cuts / sizeof *cuts);
        for (int group = 0; group < order.groups; group++)
            check_thinned(&maker, &order, cases[i].section, group, KEPT);
        forget(&made);
    }
}

static int files_in(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

// A source of tiles that counts how often they are asked for.
struct tile_counter {
    struct tile_source source;
    bool together;  // as of the source
    uint64_t walks; // of each_run()
};

static int count_walks(void *context, int side, unsigned king, const struct tile_filter *filter, int together,
                       struct thread_pool *threads, tile_visit *visit, void *visit_context)
{
    struct tile_counter *counter = context;
    counter->walks++;
    if (!counter->together)
        together = -1;
    return counter->source.each_run(counter->source.context, side, king, filter, together, threads, visit,
                                    visit_context);
}

// The file of a solution or, with NULL for it, of made-up slices. `together`: the source may heed which tiles should
// come together.
static struct bytes written(const struct solved *solved, const struct made_up *made,
                            const struct write_options *options, bool together, uint64_t *walks)
{
    const char *path = table_in(scratch, "new");
    uint64_t bytes;
    *walks = 0;
    if (solved != NULL) {
        struct tile_counter counter = {.source = solution_tiles(&solved->solution), .together = together};
        struct tile_source counted = counter.source;
        counted.context = &counter;
        counted.each_run = count_walks;
        counted.together = together;
        GOOD(write_tiles_table(&counted, path, test_pool, options, &bytes));
        *walks = counter.walks;
    } else {
        GOOD(write_slices_table(&made->source, path, test_pool, options, &bytes));
    }
    const struct bytes file = read_file(path);
    assert_int_equal(bytes, file.size);
    unlink(path);
    assert_int_equal(files_in(scratch), 0);
    return file;
}

// With little memory the same file is written, and in more walks if that is demanded.
static void compare_budgets(const struct solved *solved, const struct made_up *made, struct write_options options,
                            uint64_t memory, bool more_walks)
{
    uint64_t walks;
    uint64_t walks_some;
    options.memory = 0;
    const struct bytes all = written(solved, made, &options, true, &walks);
    options.memory = memory;
    const struct bytes some = written(solved, made, &options, true, &walks_some);
    assert_true(walks_some > walks || !more_walks);
    assert_int_equal(some.size, all.size);
    assert_memory_equal(some.data, all.data, all.size);
    free(some.data);
    free(all.data);
}

// A source that shows tiles in any order gives the same file, in one walk for each square of the king and side.
TEST(test_apart)
{
    static const char *const names[] = {"KQvKR", "KBBvK", "KRvK"};
    const struct write_options options = {.both_sides = true};
    uint64_t saved = 0;
    for (size_t i = sanitized() ? 2 : 0; i < sizeof names / sizeof *names; i++) {
        struct solved solved;
        uint64_t walks[2];
        solve(&solved, names[i], LAYOUT_PAIR, NULL, &keep_all);
        const struct bytes together = written(&solved, NULL, &options, true, &walks[0]);
        const struct bytes apart = written(&solved, NULL, &options, false, &walks[1]);
        assert_true(walks[1] <= walks[0]);
        saved += walks[0] - walks[1];
        assert_int_equal(together.size, apart.size);
        assert_memory_equal(together.data, apart.data, apart.size);
        free(together.data);
        free(apart.data);
        unsolve(&solved);
    }
    assert_true(saved > 0 || sanitized()); // of these, only in KQvKR
}

// Pairs of kings in the solver's layout give the same file; with three identical men the lower two share squares.
TEST(test_kings)
{
    static const char *const names[] = {"KNNNvK", "KQQQvK", "KBBvKN"};
    const struct write_options options = {.both_sides = true};
    for (size_t i = 0; i < (sanitized() ? 1 : sizeof names / sizeof *names); i++) {
        struct bytes file[2];
        for (int kings = 0; kings < 2; kings++) {
            struct solved solved;
            uint64_t walks;
            solve(&solved, names[i], kings == 1 ? LAYOUT_ALIKE | LAYOUT_KINGS : LAYOUT_ALIKE, NULL, &keep_all);
            assert_int_equal(solved.backend->layout.kings, kings == 1);
            file[kings] = written(&solved, NULL, &options, true, &walks);
            unsolve(&solved);
        }
        assert_int_equal(file[0].size, file[1].size);
        assert_memory_equal(file[0].data, file[1].data, file[0].size);
        free(file[0].data);
        free(file[1].data);
    }
}

TEST(test_budgets)
{
    static const struct {
        const char *name;
        uint64_t memory;
        bool five;       // men: only in long tests
        bool keep_black; // its distances, too
        bool both;
        bool best;
    } cases[] = {
        {"KQvKR", TINY, .keep_black = true},
        {"KBBvK", TINY, .keep_black = true, .both = true},
        {"KQQvK", TINY, .both = false},
        {"KRRvK", TINY, .both = false},
        {"KNNvK", TINY, .both = false},
        {"KRvK", TINY, .keep_black = true, .best = true},
        {"KQRvKR", 8 << 20, .five = true},
        {"KRBvKR", 24 << 20, .five = true}, // the orders of White's two streams begin with the same man
        {"KBBvKN", 6 << 20, .five = true},
        {"KQQQvK", 4 << 20, .five = true},
        {"KQQRvK", 4 << 20, .five = true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct write_options options = {.both_sides = cases[i].both, .best = cases[i].best, .scratch = scratch};
        struct solver_options keep = keep_all;
        struct solved solved;
        if ((cases[i].five && getenv("CLTB_TEST_LONG") == NULL) || (sanitized() && i == 0))
            continue;
        keep.keep_distance[BLACK] = cases[i].keep_black;
        solve(&solved, cases[i].name, LAYOUT_PAIR, NULL, &keep);
        const struct memory_need need =
            write_need(&solved.backend->layout.material, 0, &options, threads_count(test_pool));
        assert_true(0 < need.least && need.least <= need.most);
        compare_budgets(&solved, NULL, options, cases[i].memory, cases[i].five);
        unsolve(&solved);
    }
}

TEST(test_slice_budgets)
{
    struct made_up made;
    const struct write_options options = {0};
    make_up(&made, sanitized() ? "KPvK" : "KPvKP", "Kk", &few_codes);
    const struct memory_need need =
        write_need(&made.source.material, made.slices->slices, &options, threads_count(test_pool));
    assert_true(0 < need.least && need.least < need.most);
    compare_budgets(NULL, &made, options, TINY, false);
    compare_budgets(NULL, &made, options, need.least, false);
    forget(&made);
}

TEST(test_errors)
{
    const char *path = table_in(scratch, "new");
    uint64_t bytes;
    struct solved solved;
    struct rlimit limit;
    solve(&solved, "KQvKR", LAYOUT_PAIR, NULL, &keep_all);
    struct write_options options = {.memory = TINY, .scratch = "/nonexistent/folder"};
    FAILS(write_table(&solved.solution, path, test_pool, &options, &bytes), CLTB_E_IO,
          "cannot create a scratch file in /nonexistent/folder: ");
    assert_int_equal(files_in(scratch), 0);
    // A disk that is full: no file may grow.
    options.scratch = scratch;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlim_t before = limit.rlim_cur;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    limit.rlim_cur = 10;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const int code = write_table(&solved.solution, path, test_pool, &options, &bytes);
    limit.rlim_cur = before;
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, handler);
    FAILS(code, CLTB_E_IO, "cannot write a scratch file in ");
    assert_int_equal(files_in(scratch), 0);
    unsolve(&solved);
}

static int setup(void **state)
{
    test_folder_make(scratch);
    return pool_setup(state);
}

TESTS(setup, pool_teardown)
