// test_streamed.c - endgames of four men solved with their planes on disk, against the same in memory
//
// Windows of many sizes, kills between plies and within them, work files that are damaged, cut short or cannot be read.
// All of it must end in the very values that the solver finds in memory.
#include "support/by_solving.h"
#include "support/support.h"

#include "disk/journal.h"
#include "solve/disk/streamed.h"
#include "solve/solution.h"
#include "solve/solver.h"
#include "util/error.h"
#include "util/threads.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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

static struct layout layout_of(const char *name)
{
    const struct material material = material_named(name);
    struct layout layout;
    GOOD(layout_init(&layout, &material, LAYOUT_PAIR));
    return layout;
}

static struct answers solve_in_memory(const char *name, const struct solver_options *options)
{
    const struct layout layout = layout_of(name);
    struct backend *backend;
    struct solution solution;
    struct answers answers;
    GOOD(backend_cpu_open(&backend, &layout, test_pool, NULL));
    GOOD(solver_solve(&solution, backend, &by_solving, options));
    const struct tile_source source = solution_tiles(&solution);
    collect(&answers, &source, &solution);
    solution_free(&solution);
    backend->ops->close(backend);
    return answers;
}

// ---- on disk ----

static int open_cpu(void *context, const struct layout *layout, uint64_t tiles, struct backend **inner)
{
    (void)context;
    return backend_cpu_open_windows(inner, layout, test_pool, NULL, tiles);
}

// As many groups as there are rows or columns, at most.
static struct scratch_shape shape_of(const struct layout *layout, uint64_t rows, uint64_t columns)
{
    struct stream_grid grid;
    const struct scratch_shape coarse = {1, TRIANGLE_SQUARES, 1};
    GOOD(stream_grid_make(&grid, layout, &coarse));
    rows = rows < grid.at[BLACK].blocks ? rows : grid.at[BLACK].blocks;
    columns = columns < grid.at[WHITE].blocks ? columns : grid.at[WHITE].blocks;
    const uint64_t tiles =
        (grid.at[BLACK].blocks + rows - 1) / rows * ((grid.at[WHITE].blocks + columns - 1) / columns);
    const struct scratch_shape shape = {(uint32_t)rows, (uint32_t)columns,
                                        tiles * grid.tile_bytes + stream_flag_bytes(tiles)};
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

static const char *file_of(const char *name, const char *ending)
{
    char file[100];
    snprintf(file, sizeof file, "%s.cltb.%s", name, ending);
    return tmp_path(file);
}

static int open_streamed(const struct run *run, const char *identity, struct backend **backend,
                         enum scratch_start *start)
{
    const struct layout layout = layout_of(run->name);
    const struct streamed_options options = {.path = file_of(run->name, "work"),
                                             .identity = identity,
                                             .shape = shape_of(&layout, run->rows, run->columns),
                                             .interval = run->interval,
                                             .stop = run->stop,
                                             .open = open_cpu};
    return backend_streamed_open(backend, &layout, &options, start);
}

// A code or 0 with the answers.
static int solve_on_disk(struct run *run, struct answers *answers)
{
    struct backend *backend;
    struct solution solution;
    int code = open_streamed(run, run->name, &backend, &run->start);
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
    return access(file_of(name, "work"), F_OK) == 0 || access(file_of(name, "planes"), F_OK) == 0;
}

// Solves with one of two starts, finds the values that the solver finds in memory, and leaves nothing.
static void check_run(struct run *run, enum scratch_start start, enum scratch_start other, const struct answers *memory)
{
    struct answers disk;
    GOOD(solve_on_disk(run, &disk));
    assert_true(run->start == start || run->start == other);
    same(memory, &disk);
    answers_free(&disk);
    assert_false(left_over(run->name));
}

static void windows_of_all_sizes(void **state)
{
    static const struct {
        const char *name;
        uint32_t rows;
        uint32_t columns;
    } cases[] = {{"KQvKR", 1, 10},  {"KQvKR", 3, 20}, {"KQvKR", 8, 80},
                 {"KBNvK", 64, 10}, {"KBBvK", 5, 10}, {"KRvKR", 8, 30}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run run = {.name = cases[i].name, .rows = cases[i].rows, .columns = cases[i].columns};
        run.options = keep_all;
        run.options.last_attacker = (int)(i & 1);
        run.interval = 1000;
        struct answers memory = solve_in_memory(run.name, &run.options);
        check_run(&run, SCRATCH_NEW, SCRATCH_NEW, &memory);
        answers_free(&memory);
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

static int stop_later(void *context)
{
    (void)context;
    return --calls_left == 0;
}

static int stop_after_ply(void *context, const struct solver_ply *ply)
{
    (void)ply;
    return stop_later(context);
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

static struct run run_of(const char *name, double interval)
{
    return (struct run){.name = name, .rows = 2, .columns = 10, .options = keep_all, .interval = interval};
}

// A run of KQvKR that was killed after so many plies, with a checkpoint after each.
static struct run kill_after_plies(int plies)
{
    struct run run = run_of("KQvKR", 0);
    run.options.progress = die_after_ply;
    assert_true(killed(&run, plies));
    return run_of("KQvKR", 1000);
}

static void kills_are_survived(void **state)
{
    struct answers memory = solve_in_memory("KQvKR", &keep_all);
    const int plies[] = {1, 2, 40};
    for (size_t i = 0; i < sizeof plies / sizeof plies[0]; i++) {
        struct run run = kill_after_plies(plies[i]);
        const enum scratch_start start = plies[i] > 1 ? SCRATCH_RESUMED : SCRATCH_NEW;
        check_run(&run, start, start, &memory);
    }
    // In the middle of a sweep, several times in the same run.
    const int windows[] = {60, 130, 71};
    struct run run = run_of("KQvKR", 0);
    run.stop = die_later;
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++)
        killed(&run, windows[i]);
    run = run_of("KQvKR", 1000);
    check_run(&run, SCRATCH_RESUMED, SCRATCH_RESUMED, &memory);
    answers_free(&memory);
}

// A stop that is asked for, with long intervals between checkpoints.
static void stops_can_be_resumed(void **state)
{
    struct answers memory = solve_in_memory("KBNvK", &keep_all);
    for (int plies = 1; plies < 40; plies += 19) {
        struct answers disk;
        struct run run = run_of("KBNvK", 1000);
        const enum scratch_start start = plies >= 2 ? SCRATCH_RESUMED : SCRATCH_NEW;
        run.options.progress = stop_after_ply;
        calls_left = plies;
        assert_int_equal(solve_on_disk(&run, &disk), CLTB_E_INTERRUPTED);
        run.options.progress = NULL;
        check_run(&run, start, start, &memory);
    }
    answers_free(&memory);
}

static int count_calls(void *context)
{
    (void)context;
    calls_left++;
    return 0;
}

// Whenever it comes: while the last checkpoint is read, in a sweep, or before the table is written.
static void stops_come_at_any_time(void **state)
{
    struct answers memory;
    struct answers disk;
    struct run run = run_of("KBNvK", 0);
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
    check_run(&run, SCRATCH_RESUMED, SCRATCH_RESUMED, &memory);
    answers_free(&memory);
}

// ---- damage ----

// The records of a work file.
enum { HEAD = 24 + SCRATCH_IDENTITY_MAX, RECORD_HEAD = 40, CHECKPOINT = 2 };

struct record {
    uint64_t start;
    uint64_t bytes;
};

struct records {
    struct record log; // the first one of the log
    struct record last;
    struct record before; // of the checkpoints
};

static struct records find_records(void)
{
    struct records records = {{0, 0}, {0, 0}, {0, 0}};
    const struct bytes file = read_file(file_of("KQvKR", "work"));
    for (uint64_t at = HEAD; at + RECORD_HEAD <= file.size;) {
        uint64_t data;
        uint32_t kind[2]; // and the bytes of the front
        memcpy(&data, file.data + at + 16, sizeof data);
        memcpy(kind, file.data + at + 32, sizeof kind);
        const struct record record = {at, RECORD_HEAD + kind[1] + data};
        if (kind[0] == CHECKPOINT) {
            records.before = records.last;
            records.last = record;
        } else if (records.log.bytes == 0) {
            records.log = record;
        }
        at += record.bytes;
    }
    free(file.data);
    assert_true(records.log.bytes > 0 && records.before.bytes > 2000);
    return records;
}

static void change_byte(uint64_t at)
{
    const char *path = file_of("KQvKR", "work");
    const struct bytes file = read_file(path);
    assert_true(at < file.size);
    file.data[at] ^= 0x10;
    write_file(path, file.data, file.size);
    free(file.data);
}

static void damage_is_noticed(void **state)
{
    enum { OF_HEAD, OF_STATE, CUT, KILLED, BOTH, CUT_ALL, OF_FILE_HEAD, OF_LOG, OF_PLANES, KINDS };
    static const enum scratch_start expected[KINDS] = {
        [OF_HEAD] = SCRATCH_RESUMED_OLDER, [OF_STATE] = SCRATCH_RESUMED_OLDER, [CUT] = SCRATCH_RESUMED_OLDER,
        [KILLED] = SCRATCH_RESUMED,        [BOTH] = SCRATCH_DAMAGED,           [CUT_ALL] = SCRATCH_DAMAGED,
        [OF_FILE_HEAD] = SCRATCH_DAMAGED,  [OF_LOG] = SCRATCH_DAMAGED,         [OF_PLANES] = SCRATCH_DAMAGED};
    struct answers memory = solve_in_memory("KQvKR", &keep_all);
    for (int kind = 0; kind < KINDS; kind++) {
        struct run run = kill_after_plies(8);
        const struct records records = find_records();
        const char *work = file_of("KQvKR", "work");
        const struct bytes file = read_file(work);
        if (kind == OF_HEAD || kind == BOTH)
            change_byte(records.last.start + 8);
        if (kind == OF_STATE)
            change_byte(records.last.start + records.last.bytes - 3);
        if (kind == BOTH)
            change_byte(records.before.start + 1000);
        if (kind == CUT)
            assert_int_equal(truncate(work, (off_t)records.last.start + 1000), 0);
        if (kind == KILLED) { // while the last checkpoint was written
            memset(file.data + records.last.start, 0, RECORD_HEAD);
            write_file(work, file.data, records.last.start + 1000);
        }
        if (kind == CUT_ALL)
            assert_int_equal(truncate(work, 100), 0);
        if (kind == OF_FILE_HEAD)
            change_byte(30);
        if (kind == OF_LOG)
            change_byte(records.log.start + 60);
        if (kind == OF_PLANES)
            assert_int_equal(truncate(file_of("KQvKR", "planes"), 8192), 0);
        free(file.data);
        // Beyond two checkpoints, one before may happen to have all its blocks still.
        check_run(&run, expected[kind], kind == BOTH ? SCRATCH_RESUMED_OLDER : expected[kind], &memory);
    }
    answers_free(&memory);
}

// The disk gives an error for some bytes of one file, as with a bad sector. This is the pread() of the whole program.
static struct stat bad_file;
static uint64_t bad_byte; // 0: none

ssize_t pread(int file, void *bytes, size_t count, off_t offset)
{
    struct stat status;
    if (bad_byte > 0 && (uint64_t)offset <= bad_byte && (uint64_t)offset + count > bad_byte &&
        fstat(file, &status) == 0 && status.st_ino == bad_file.st_ino) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_pread64, file, bytes, count, offset);
}

static void what_cannot_be_read_is_not_thrown_away(void **state)
{
    struct answers disk;
    struct answers memory = solve_in_memory("KQvKR", &keep_all);
    struct run run = kill_after_plies(8);
    assert_int_equal(stat(file_of("KQvKR", "work"), &bad_file), 0);
    bad_byte = find_records().last.start;
    check_run(&run, SCRATCH_RESUMED_OLDER, SCRATCH_RESUMED_OLDER, &memory);

    bad_byte = 0;
    run = kill_after_plies(8);
    assert_int_equal(stat(file_of("KQvKR", "work"), &bad_file), 0);
    bad_byte = HEAD; // of the first record
    assert_int_equal(solve_on_disk(&run, &disk), CLTB_E_IO);
    assert_non_null(strstr(error_text(), "KQvKR.cltb.work"));
    bad_byte = 0;
    check_run(&run, SCRATCH_RESUMED, SCRATCH_RESUMED, &memory);

    run = kill_after_plies(8);
    assert_true(left_over("KQvKR"));
    journal_drop(file_of("KQvKR", "work"), file_of("KQvKR", "planes"));
    assert_false(left_over("KQvKR"));
    answers_free(&memory);
}

static void other_work_is_not_thrown_away(void **state)
{
    struct backend *backend;
    enum scratch_start start;
    struct answers disk;
    struct run run = kill_after_plies(5);
    assert_int_equal(open_streamed(&run, "other", &backend, &start), CLTB_E_USAGE);
    assert_non_null(strstr(error_text(), "other options"));
    GOOD(solve_on_disk(&run, &disk));
    assert_int_equal(run.start, SCRATCH_RESUMED);
    answers_free(&disk);
    // Work of an older version is refused.
    write_file(file_of("KQvKR", "check"), "", 0);
    assert_int_equal(open_streamed(&run, run.name, &backend, &start), CLTB_E_USAGE);
    assert_non_null(strstr(error_text(), "older version"));
    unlink(file_of("KQvKR", "check"));
}

static void one_run_at_a_time(void **state)
{
    struct backend *first;
    struct backend *second;
    enum scratch_start start;
    const struct run run = run_of("KQvKR", 0);
    GOOD(open_streamed(&run, "x", &first, &start));
    assert_int_equal(open_streamed(&run, "x", &second, &start), CLTB_E_IO);
    assert_non_null(strstr(error_text(), "another cltb"));
    first->ops->close(first);
    assert_false(left_over("KQvKR"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_of_all_sizes),
        cmocka_unit_test(kills_are_survived),
        cmocka_unit_test(stops_can_be_resumed),
        cmocka_unit_test(stops_come_at_any_time),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(what_cannot_be_read_is_not_thrown_away),
        cmocka_unit_test(other_work_is_not_thrown_away),
        cmocka_unit_test(one_run_at_a_time),
    };
    return cmocka_run_group_tests(tests, pool_setup, pool_teardown);
}
