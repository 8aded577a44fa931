// test_streamed.c - endgames of four men solved with their planes on disk, against the same in memory
//
// Windows of many sizes, kills between plies and within them, checkpoints that are damaged or cut short. All of it must end
// in the very values that the solver finds in memory.
#include "support/by_solving.h"
#include "support/support.h"

#include "solve/disk/streamed.h"
#include "solve/solution.h"
#include "solve/solver.h"
#include "util/error.h"
#include "util/threads.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *folder;

static const struct solver_options keep_all = {.keep_distance = {true, true}, .keep_resolved = true};

// ---- what a solution says ----

// By side to move: values and resolved bits of every entry.
struct answers {
    struct layout layout;
    solver_value *value[COLOURS];
    uint8_t *resolved[COLOURS];
    int longest[COLOURS][5];
};

struct collecting {
    struct answers *answers;
    const struct tile_source *source;
    int side;
};

static int collect_tiles(void *context, const struct tile_run *run, int worker)
{
    (void)worker;
    const struct collecting *collecting = context;
    struct answers *answers = collecting->answers;
    const uint64_t lanes = answers->layout.tile_lanes;
    for (uint64_t i = 0; i < run->count; i++) {
        const uint64_t tile = run->number != NULL ? run->number[i] : run->first + i;
        solver_value *value = answers->value[collecting->side] + tile * lanes;
        assert_int_equal(answers->resolved[collecting->side][tile * lanes], 0xff); // seen for the first time
        planes_values(&run->planes, collecting->source->value[collecting->side], i * lanes / 64, lanes / 64, value);
        for (uint64_t lane = 0; lane < lanes; lane++) {
            const uint64_t word = run->planes.resolved[(i * lanes + lane) / 64];
            answers->resolved[collecting->side][tile * lanes + lane] = word >> lane % 64 & 1;
        }
    }
    return 0;
}

static void collect(struct answers *answers, const struct tile_source *source, const struct solution *solution)
{
    answers->layout = *source->layout;
    memcpy(answers->longest, solution->longest, sizeof answers->longest);
    for (int side = WHITE; side <= BLACK; side++) {
        struct collecting collecting = {answers, source, side};
        answers->value[side] = malloc(layout_bits(source->layout) * sizeof(solver_value));
        answers->resolved[side] = malloc(layout_bits(source->layout));
        if (answers->value[side] == NULL || answers->resolved[side] == NULL)
            abort();
        memset(answers->resolved[side], 0xff, layout_bits(source->layout));
        for (unsigned king = 0; king < TRIANGLE_SQUARES; king++)
            GOOD(source->each_run(source->context, side, king, NULL, test_pool, collect_tiles, &collecting));
    }
}

static void answers_free(struct answers *answers)
{
    for (int side = WHITE; side <= BLACK; side++) {
        free(answers->value[side]);
        free(answers->resolved[side]);
    }
}

static void same(const struct answers *a, const struct answers *b)
{
    assert_memory_equal(a->longest, b->longest, sizeof a->longest);
    for (int side = WHITE; side <= BLACK; side++) {
        const uint64_t entries = layout_bits(&a->layout);
        for (uint64_t i = 0; i < entries; i++) {
            if (a->value[side][i] != b->value[side][i] || a->resolved[side][i] != b->resolved[side][i])
                fail_msg("side %d, entry %llu: value %u and %u, resolved %u and %u", side, (unsigned long long)i,
                         a->value[side][i], b->value[side][i], a->resolved[side][i], b->resolved[side][i]);
        }
    }
}

static void make_layout(struct layout *layout, const char *name)
{
    struct material material;
    GOOD(material_parse(&material, name, NULL));
    GOOD(layout_init(layout, &material, LAYOUT_PAIR));
}

static void solve_in_memory(struct answers *answers, const char *name, const struct solver_options *options)
{
    struct layout layout;
    struct backend *backend;
    struct solution solution;
    make_layout(&layout, name);
    GOOD(backend_cpu_open(&backend, &layout, test_pool, NULL));
    GOOD(solver_solve(&solution, backend, &by_solving, options));
    const struct tile_source source = solution_tiles(&solution);
    collect(answers, &source, &solution);
    solution_free(&solution);
    backend->ops->close(backend);
}

// ---- on disk ----

static int open_cpu(void *context, const struct layout *layout, uint64_t tiles, struct backend **inner)
{
    (void)context;
    return backend_cpu_open_windows(inner, layout, test_pool, NULL, tiles);
}

static struct scratch_shape shape_of(const struct layout *layout, uint32_t rows, uint32_t columns)
{
    struct stream_grid grid;
    const struct scratch_shape coarse = {1, TRIANGLE_SQUARES, 1};
    GOOD(stream_grid_make(&grid, layout, &coarse));
    const uint64_t row = (grid.at[BLACK].blocks + rows - 1) / rows;
    const uint64_t column = (grid.at[WHITE].blocks + columns - 1) / columns;
    const struct scratch_shape shape = {rows, columns,
                                        row * column * grid.tile_bytes + stream_flag_bytes(row * column)};
    stream_grid_free(&grid);
    return shape;
}

struct run {
    const char *name;
    uint32_t rows;
    uint32_t columns;
    struct solver_options options;
    double interval;
    int (*stop)(void *context);
    enum scratch_start start; // result
};

// A code or 0 with the answers.
static int solve_on_disk(struct run *run, struct answers *answers)
{
    struct layout layout;
    struct backend *backend;
    struct solution solution;
    make_layout(&layout, run->name);
    const struct streamed_options options = {.dir = folder,
                                             .name = run->name,
                                             .identity = run->name,
                                             .shape = shape_of(&layout, run->rows, run->columns),
                                             .interval = run->interval,
                                             .stop = run->stop,
                                             .open = open_cpu};
    int code = backend_streamed_open(&backend, &layout, &options, &run->start);
    if (code != 0)
        return code;
    code = solver_solve(&solution, backend, &by_solving, &run->options);
    const bool solved = code == 0;
    if (solved)
        code = streamed_settle(&solution, test_pool);
    if (code == 0) {
        uint64_t memory;
        const struct tile_source source = streamed_tiles(&solution, &memory);
        collect(answers, &source, &solution);
        streamed_finished(backend);
    }
    if (solved)
        solution_free(&solution);
    backend->ops->close(backend);
    return code;
}

static bool left_over(const char *name)
{
    static const char *const endings[] = {"planes", "log", "check", "check.old", "check.part"};
    bool any = false;
    for (int i = 0; i < 5; i++) {
        char path[512];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s.cltb.%s", folder, name, endings[i]);
        any |= stat(path, &status) == 0;
    }
    return any;
}

static void windows_of_all_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t rows;
        uint32_t columns;
    } cases[] = {{"KQvKR", 1, 10},  {"KQvKR", 3, 20}, {"KQvKR", 8, 80},
                 {"KBNvK", 64, 10}, {"KBBvK", 5, 10}, {"KRvKR", 8, 30}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct answers memory;
        struct answers disk;
        struct run run = {.name = cases[i].name, .rows = cases[i].rows, .columns = cases[i].columns};
        run.options = keep_all;
        run.options.last_attacker = (int)(i & 1);
        run.interval = 1000;
        struct layout layout;
        struct stream_grid grid;
        make_layout(&layout, run.name);
        const struct scratch_shape coarse = {1, TRIANGLE_SQUARES, 1};
        GOOD(stream_grid_make(&grid, &layout, &coarse));
        if (run.rows > grid.at[BLACK].blocks)
            run.rows = (uint32_t)grid.at[BLACK].blocks;
        if (run.columns > grid.at[WHITE].blocks)
            run.columns = (uint32_t)grid.at[WHITE].blocks;
        stream_grid_free(&grid);
        solve_in_memory(&memory, run.name, &run.options);
        GOOD(solve_on_disk(&run, &disk));
        assert_int_equal(run.start, SCRATCH_NEW);
        same(&memory, &disk);
        assert_false(left_over(run.name));
        answers_free(&memory);
        answers_free(&disk);
    }
}

// ---- kills ----

static int calls_left;

static int die_later(void *context)
{
    (void)context;
    if (--calls_left == 0)
        _exit(7);
    return 0;
}

static int die_after_ply(void *context, const struct solver_ply *ply)
{
    (void)ply;
    return die_later(context);
}

static int stop_after_ply(void *context, const struct solver_ply *ply)
{
    (void)context;
    (void)ply;
    return --calls_left == 0;
}

// Runs in a process of its own, which dies at call number `calls` of one of the functions above, if it gets there.
static bool killed(const struct run *run, int calls)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct answers answers;
        struct run copy = *run;
        test_pool = NULL; // its threads are not here
        if (threads_open(&test_pool, 1) != 0)
            _exit(1);
        calls_left = calls;
        solve_on_disk(&copy, &answers);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 1);
    return WEXITSTATUS(status) == 7;
}

static struct run kill_run(const char *name)
{
    struct run run = {.name = name, .rows = 2, .columns = 10};
    run.options = keep_all;
    return run;
}

static void kills_are_survived(void **state)
{
    (void)state;
    struct answers memory;
    struct answers disk;
    solve_in_memory(&memory, "KQvKR", &keep_all);
    const int plies[] = {1, 2, 40};
    for (size_t i = 0; i < sizeof plies / sizeof plies[0]; i++) {
        struct run run = kill_run("KQvKR");
        run.options.progress = die_after_ply;
        const bool dead = killed(&run, plies[i]);
        run.options.progress = NULL;
        run.interval = 1000;
        GOOD(solve_on_disk(&run, &disk));
        assert_int_equal(run.start, dead && plies[i] > 1 ? SCRATCH_RESUMED : SCRATCH_NEW);
        same(&memory, &disk);
        answers_free(&disk);
    }
    // In the middle of a sweep, several times in the same run.
    const int windows[] = {60, 130, 71};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        struct run run = kill_run("KQvKR");
        run.stop = die_later;
        killed(&run, windows[i]);
    }
    struct run run = kill_run("KQvKR");
    run.interval = 1000;
    GOOD(solve_on_disk(&run, &disk));
    assert_int_equal(run.start, SCRATCH_RESUMED);
    same(&memory, &disk);
    answers_free(&disk);
    answers_free(&memory);
}

// A stop that is asked for, with long intervals between checkpoints.
static void stops_are_gone_on_from(void **state)
{
    (void)state;
    struct answers memory;
    struct answers disk;
    solve_in_memory(&memory, "KBNvK", &keep_all);
    for (int plies = 1; plies < 40; plies += 19) {
        struct run run = kill_run("KBNvK");
        run.interval = 1000;
        run.options.progress = stop_after_ply;
        calls_left = plies;
        assert_int_equal(solve_on_disk(&run, &disk), CLTB_E_INTERRUPTED);
        run.options.progress = NULL;
        GOOD(solve_on_disk(&run, &disk));
        assert_int_equal(run.start, plies >= 2 ? SCRATCH_RESUMED : SCRATCH_NEW);
        same(&memory, &disk);
        answers_free(&disk);
    }
    answers_free(&memory);
}

static int count_calls(void *context)
{
    (void)context;
    calls_left++;
    return 0;
}

static int stop_later(void *context)
{
    (void)context;
    return --calls_left == 0;
}

// Whenever it comes: while the last checkpoint is read, in a sweep, or before the table is written.
static void stops_come_at_any_time(void **state)
{
    (void)state;
    struct answers memory;
    struct answers disk;
    struct run run = kill_run("KBNvK");
    run.stop = count_calls;
    calls_left = 0;
    GOOD(solve_on_disk(&run, &memory));
    const int last = calls_left;
    run.stop = stop_later;
    const int stops[] = {last, 1, 2}; // the second and the third are reading
    for (int i = 0; i < 3; i++) {
        calls_left = stops[i];
        assert_int_equal(solve_on_disk(&run, &disk), CLTB_E_INTERRUPTED);
        assert_non_null(strstr(error_text(), i == 0 ? "before the table" : "while a checkpoint is read"));
    }
    run.stop = NULL;
    GOOD(solve_on_disk(&run, &disk));
    assert_int_equal(run.start, SCRATCH_RESUMED);
    same(&memory, &disk);
    answers_free(&disk);
    answers_free(&memory);
}

// ---- damage ----

static void change_byte(const char *name, const char *ending, long at)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.cltb.%s", folder, name, ending);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
    fputc(byte ^ 0x10, file);
    fclose(file);
}

static void cut(const char *name, const char *ending, long bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.cltb.%s", folder, name, ending);
    assert_int_equal(truncate(path, bytes), 0);
}

static void damage_is_noticed(void **state)
{
    (void)state;
    struct answers memory;
    struct answers disk;
    solve_in_memory(&memory, "KQvKR", &keep_all);
    for (int kind = 0; kind < 7; kind++) {
        struct run run = kill_run("KQvKR");
        run.options.progress = die_after_ply;
        assert_true(killed(&run, 8));
        run.options.progress = NULL;
        run.interval = 1000;
        if (kind == 0)
            change_byte("KQvKR", "check", 200);
        else if (kind == 1)
            change_byte("KQvKR", "check", -3);
        else if (kind == 2)
            cut("KQvKR", "check", 1000);
        else if (kind == 3) {
            change_byte("KQvKR", "check", 5000);
            change_byte("KQvKR", "check.old", 5000);
        } else if (kind == 4)
            cut("KQvKR", "log", 100);
        else if (kind == 5)
            cut("KQvKR", "planes", 8192);
        else
            change_byte("KQvKR", "log", 60);
        GOOD(solve_on_disk(&run, &disk));
        assert_int_equal(run.start, kind < 3 ? SCRATCH_RESUMED_OLDER : SCRATCH_DAMAGED);
        same(&memory, &disk);
        assert_false(left_over("KQvKR"));
        answers_free(&disk);
    }
    answers_free(&memory);
}

static void put_loop(const char *ending)
{
    char path[512];
    snprintf(path, sizeof path, "%s/KQvKR.cltb.%s", folder, ending);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(path, path), 0);
}

// The disk gives an error, as with a bad sector.
static void what_cannot_be_read_is_not_thrown_away(void **state)
{
    (void)state;
    struct answers memory;
    struct answers disk;
    struct run run = kill_run("KQvKR");
    run.options.progress = die_after_ply;
    assert_true(killed(&run, 8));
    run.options.progress = NULL;
    run.interval = 1000;
    put_loop("check");
    solve_in_memory(&memory, "KQvKR", &keep_all);
    GOOD(solve_on_disk(&run, &disk));
    assert_int_equal(run.start, SCRATCH_RESUMED_OLDER);
    same(&memory, &disk);
    answers_free(&disk);
    answers_free(&memory);

    run.options.progress = die_after_ply;
    run.interval = 0;
    assert_true(killed(&run, 8));
    put_loop("check");
    change_byte("KQvKR", "check.old", 5000);
    assert_int_equal(solve_on_disk(&run, &disk), CLTB_E_IO);
    assert_non_null(strstr(error_text(), "KQvKR.cltb.check"));
    assert_true(left_over("KQvKR"));
    scratch_remove(folder, "KQvKR");
    assert_false(left_over("KQvKR"));
}

static void other_work_is_not_thrown_away(void **state)
{
    (void)state;
    struct layout layout;
    struct backend *backend;
    enum scratch_start start;
    struct answers disk;
    struct run run = kill_run("KQvKR");
    run.options.progress = die_after_ply;
    assert_true(killed(&run, 5));
    make_layout(&layout, "KQvKR");
    struct streamed_options options = {
        .dir = folder, .name = "KQvKR", .identity = "other", .shape = shape_of(&layout, 2, 10), .open = open_cpu};
    assert_int_equal(backend_streamed_open(&backend, &layout, &options, &start), CLTB_E_USAGE);
    assert_non_null(strstr(error_text(), "other options"));
    run.options.progress = NULL;
    GOOD(solve_on_disk(&run, &disk));
    assert_int_equal(run.start, SCRATCH_RESUMED);
    answers_free(&disk);
}

static void one_run_at_a_time(void **state)
{
    (void)state;
    struct layout layout;
    struct backend *first;
    struct backend *second;
    enum scratch_start start;
    make_layout(&layout, "KQvKR");
    const struct streamed_options options = {
        .dir = folder, .name = "KQvKR", .identity = "x", .shape = shape_of(&layout, 2, 10), .open = open_cpu};
    GOOD(backend_streamed_open(&first, &layout, &options, &start));
    assert_int_equal(backend_streamed_open(&second, &layout, &options, &start), CLTB_E_IO);
    assert_non_null(strstr(error_text(), "another run"));
    first->ops->close(first);
    assert_false(left_over("KQvKR"));
}

int main(void)
{
    folder = getenv("CLTB_TEST_TMP");
    if (folder == NULL)
        folder = ".";
    if (threads_open(&test_pool, 2) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_of_all_sizes),
        cmocka_unit_test(kills_are_survived),
        cmocka_unit_test(stops_are_gone_on_from),
        cmocka_unit_test(stops_come_at_any_time),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(what_cannot_be_read_is_not_thrown_away),
        cmocka_unit_test(other_work_is_not_thrown_away),
        cmocka_unit_test(one_run_at_a_time),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    threads_close(test_pool);
    return failed;
}
