// test_streamed.c - endgames of four men solved with their planes on disk, against the same in memory
//
// Windows of many sizes, kills between plies and within them, work files that are damaged, cut short or cannot be read.
// The result must always be the values that the solver finds in memory.
#include "solve/support_streamed.h"

#include "disk/journal.h"
#include "solve/disk/streamed.h"
#include "util/threads.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

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
    const struct layout layout = layout_named(run->name);
    const struct streamed_options options = {.path = file_of(run->name, "work"),
                                             .identity = identity,
                                             .shape = streamed_shape(&layout, run->rows, run->columns),
                                             .interval = run->interval,
                                             .stop = run->stop,
                                             .open = streamed_open_cpu};
    return backend_streamed_open(backend, &layout, &options, start);
}

// ---- what statistics are counted from ----

struct counting {
    const struct solution *solution;
    const struct answers *truth;
    int side;
    _Atomic uint64_t tiles;
    uint64_t found;
};

static solver_value value_at(const struct counting *counting, int side, uint64_t entry)
{
    return (solver_value)(counting->truth->entry[side][entry] & 0xffff);
}

static int check_pair(void *context, const struct tile_pair *pair, int worker)
{
    enum { LANES = 512 };
    struct counting *counting = context;
    for (uint64_t i = 0; i < COLOURS * pair->count; i++) {
        const uint64_t tile = i / COLOURS;
        const int side = i % COLOURS;
        solver_value value[LANES];
        planes_values(&pair->side[side], counting->solution->value[side], tile * LANES / 64, LANES / 64, value);
        for (uint64_t lane = 0; lane < LANES; lane++)
            assert_int_equal(value[lane], value_at(counting, side, pair->number[tile] * LANES + lane));
    }
    counting->tiles += pair->count;
    return 0;
}

static int check_longest(void *context, const struct longest_tiles *tiles)
{
    struct counting *counting = context;
    const uint64_t lanes = counting->truth->layout.tile_lanes;
    const solver_value value = value_code(tiles->won, tiles->ply);
    for (uint64_t i = 0; i < tiles->count * lanes; i++) {
        if (!bit_at(tiles->bits, i))
            continue;
        assert_int_equal(value_at(counting, counting->side, tiles->number[i / lanes] * lanes + i % lanes), value);
        counting->found++;
    }
    return 0;
}

// The log has all positions of the longest lines, and each tile is shown once with both sides' planes.
static int settle_and_count(const struct run *run, const struct solution *solution)
{
    struct counting counting = {.solution = solution, .truth = answers_true(run->name)};
    const struct layout *layout = &counting.truth->layout;
    for (; counting.side <= BLACK; counting.side++) {
        uint64_t longest = 0;
        for (uint64_t i = 0; i < layout_bits(layout); i++) {
            const solver_value value = value_at(&counting, counting.side, i);
            const int ply = solver_value_ply(value);
            const int most = value == 0 ? -1 : solution->longest[counting.side][outcome_at(value % 2 == 1, ply) + 2];
            longest += value != 0 && ply == (most < 0 ? 0 : most);
        }
        counting.found = 0;
        GOOD(streamed_longest(solution, counting.side, test_pool, check_longest, &counting));
        assert_int_equal(counting.found, longest);
    }
    const int code = streamed_settle(solution, test_pool, check_pair, &counting);
    if (code == 0)
        assert_int_equal(counting.tiles, layout->tiles);
    return code;
}

// Returns an error code, or 0 with the answers.
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
        code = settle_and_count(run, &solution);
    if (code == 0) {
        uint64_t memory;
        const struct tile_source source = streamed_tiles(&solution, &memory);
        *answers = answers_collect(&source, &solution);
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
static void check_either(struct run *run, enum scratch_start start, enum scratch_start other)
{
    struct answers disk;
    GOOD(solve_on_disk(run, &disk));
    assert_true(run->start == start || run->start == other);
    answers_same(answers_true(run->name), &disk);
    answers_free(&disk);
    assert_false(left_over(run->name));
}

static void check_run(struct run *run, enum scratch_start start)
{
    check_either(run, start, start);
}

// What the start finds is `start`; the work is not resumed, but thrown away.
static void check_start(const struct run *run, enum scratch_start start)
{
    struct backend *backend;
    enum scratch_start found;
    GOOD(open_streamed(run, run->name, &backend, &found));
    assert_int_equal(found, start);
    backend->ops->close(backend);
    journal_drop(file_of(run->name, "work"), file_of(run->name, "planes"));
    assert_false(left_over(run->name));
}

TEST(windows_of_all_sizes)
{
    struct run runs[] = {
        {.name = "KQvKR", .rows = 3, .columns = 20},
        {.name = "KRvKR", .rows = 8, .columns = 80},
        {.name = "KBBvK", .rows = 64, .columns = 10},
        {.name = "KRvKN", .rows = 1, .columns = 10},
    };
    for (size_t i = sanitized() ? 2 : 0; i < sizeof runs / sizeof runs[0]; i++) {
        runs[i].options = keep_all;
        runs[i].options.last_attacker = (int)(i & 1);
        runs[i].interval = 1000;
        check_run(&runs[i], SCRATCH_NEW);
    }
}

// ---- kills ----

static int calls_left; // until the run stops; none: it does not
static bool dies;      // at that call, instead of stopping in order

static int later(void *context)
{
    if (--calls_left == 0 && dies)
        _exit(7);
    return calls_left == 0;
}

static int after_ply(void *context, const struct solver_ply *ply)
{
    return later(context);
}

// Runs in a process of its own, which dies at call number `calls` of the functions above, if it gets there.
static bool killed(const struct run *run, int calls)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct answers answers;
        struct run copy = *run;
        test_pool = NULL; // its threads do not exist in this process
        if (threads_open(&test_pool, 1) != 0)
            _exit(1);
        calls_left = calls;
        dies = true;
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

// A run of KQvKR that was killed after this number of plies, with a checkpoint after each.
static struct run kill_after_plies(int plies)
{
    struct run run = run_of("KQvKR", 0);
    run.options.progress = after_ply;
    assert_true(killed(&run, plies));
    return run_of("KQvKR", 1000);
}

TEST(kills_are_survived)
{
    struct run run = kill_after_plies(1);
    check_start(&run, SCRATCH_NEW);
    for (int plies = sanitized() ? 42 : 2; plies < 42; plies += 38) {
        run = kill_after_plies(plies);
        check_run(&run, SCRATCH_RESUMED);
    }
    // In the middle of a sweep, several times in the same run.
    const int windows[] = {60, 130, 71};
    run = run_of("KQvKR", 0);
    run.stop = later;
    for (int i = 0; i < 3; i++)
        killed(&run, windows[i]);
    run = run_of("KQvKR", 1000);
    check_run(&run, SCRATCH_RESUMED);
}

// A stop that is asked for, with long intervals between checkpoints.
TEST(stops_can_be_resumed)
{
    struct answers disk;
    struct run run = run_of("KRvKN", 1000);
    run.options.progress = after_ply;
    calls_left = 20;
    assert_int_equal(solve_on_disk(&run, &disk), CLTB_E_INTERRUPTED);
    run.options.progress = NULL;
    check_run(&run, SCRATCH_RESUMED);
}

// Whenever it comes: while the last checkpoint is read, in a sweep, or before the table is written.
TEST(stops_come_at_any_time)
{
    struct answers disk;
    struct run run = run_of("KRvKR", 0);
    run.stop = later;
    calls_left = 0;
    GOOD(solve_on_disk(&run, &disk));
    answers_free(&disk);
    const int last = -calls_left;
    const int stops[] = {last, 1, 2}; // at the second and the third a checkpoint is being read
    for (int i = 0; i < 3; i++) {
        calls_left = stops[i];
        FAILS(solve_on_disk(&run, &disk), CLTB_E_INTERRUPTED,
              i == 0 ? "before the table" : "while a checkpoint is read");
    }
    run.stop = NULL;
    check_run(&run, SCRATCH_RESUMED);
}

// ---- damage ----

// Sizes in a work file, and the kind of a record.
enum { HEAD = 24 + SCRATCH_IDENTITY_MAX, RECORD_HEAD = 40, CHECKPOINT = 4 };

// Where records start.
struct records {
    uint64_t log;    // the first record of the log
    uint64_t before; // the last checkpoint but one
    uint64_t last;   // the last checkpoint
    uint64_t end;    // the end of the last checkpoint
};

static struct records find_records(void)
{
    struct records records = {0};
    const struct bytes file = read_file(file_of("KQvKR", "work"));
    uint64_t bytes;
    for (uint64_t at = HEAD; at + RECORD_HEAD <= file.size; at += bytes) {
        uint64_t data;
        uint32_t kind[2]; // the second one is the number of bytes of the front
        memcpy(&data, file.data + at + 16, sizeof data);
        memcpy(kind, file.data + at + 32, sizeof kind);
        bytes = RECORD_HEAD + kind[1] + data;
        assert_true(kind[0] != CHECKPOINT || bytes > 2000);
        if (kind[0] == CHECKPOINT)
            records = (struct records){records.log, records.last, at, at + bytes};
        else if (records.log == 0)
            records.log = at;
    }
    free(file.data);
    assert_true(records.log > 0 && records.before > 0);
    return records;
}

TEST(damage_is_noticed)
{
    enum { KINDS = 9 };
    for (int kind = sanitized() ? 7 : 0; kind < KINDS; kind++) {
        struct run run = kill_after_plies(8);
        const struct records records = find_records();
        const struct {
            enum scratch_start expected;
            uint64_t flip[2]; // a bit of these bytes; 0: none
            uint64_t cut;     // the work file is cut there; 0: it is not
            bool killed;      // while the last checkpoint was written: the record's head is zero
            bool planes;      // the other file is cut
            bool whole;       // the endgame is then solved
        } kinds[KINDS] = {
            {SCRATCH_RESUMED_OLDER, .flip = {records.last + 8}},
            {SCRATCH_RESUMED_OLDER, .flip = {records.end - 3}},
            {SCRATCH_RESUMED_OLDER, .cut = records.last + 1000, .whole = true},
            {SCRATCH_RESUMED, .cut = records.last + 1000, .killed = true, .whole = true},
            {SCRATCH_DAMAGED, .flip = {records.last + 8, records.before + 1000}},
            {SCRATCH_DAMAGED, .cut = 100},
            {SCRATCH_DAMAGED, .flip = {30}}, // the file's head
            {SCRATCH_DAMAGED, .flip = {records.log + 60}},
            {SCRATCH_DAMAGED, .planes = true, .whole = true},
        };
        const struct bytes file = read_file(file_of("KQvKR", "work"));
        for (int i = 0; i < 2; i++)
            file.data[kinds[kind].flip[i]] ^= kinds[kind].flip[i] > 0 ? 0x10 : 0;
        if (kinds[kind].killed)
            memset(file.data + records.last, 0, RECORD_HEAD);
        write_file(file_of("KQvKR", "work"), file.data, kinds[kind].cut > 0 ? kinds[kind].cut : file.size);
        free(file.data);
        if (kinds[kind].planes)
            assert_int_equal(truncate(file_of("KQvKR", "planes"), 8192), 0);
        // Even the checkpoint before the last two may happen to have all its blocks.
        if (kinds[kind].flip[1] > 0)
            check_either(&run, kinds[kind].expected, SCRATCH_RESUMED_OLDER);
        else if (kinds[kind].whole)
            check_run(&run, kinds[kind].expected);
        else
            check_start(&run, kinds[kind].expected);
    }
}

// A checkpoint whose hashes are right and whose numbers are not.
TEST(absurd_numbers_are_noticed)
{
    enum { HASH = 8, DATA_HASH = 24 }; // in a record's head; the others are in struct check of scratch.c
    static const struct {
        size_t at;
        uint64_t value;
    } numbers[] = {{8, UINT64_MAX},
                   {24, UINT64_MAX - 4000},
                   {32, UINT32_MAX - 1},
                   {32, (uint64_t)UINT32_MAX << 32},
                   {40, UINT64_C(1) << 62}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct run run = kill_after_plies(8);
        const struct records records = find_records();
        const struct bytes file = read_file(file_of("KQvKR", "work"));
        uint8_t *head = file.data + records.last;
        uint64_t hash = 0;
        memcpy(head + RECORD_HEAD + numbers[i].at, &numbers[i].value, sizeof numbers[i].value);
        memcpy(head + HASH, &hash, sizeof hash);
        hash = XXH64(head + RECORD_HEAD, records.end - records.last - RECORD_HEAD, 0);
        memcpy(head + DATA_HASH, &hash, sizeof hash);
        hash = XXH64(head, RECORD_HEAD, 0);
        memcpy(head + HASH, &hash, sizeof hash);
        write_file(file_of("KQvKR", "work"), file.data, file.size);
        free(file.data);
        check_start(&run, SCRATCH_RESUMED_OLDER);
    }
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

TEST(what_cannot_be_read_is_not_thrown_away)
{
    struct answers disk;
    struct run run;
    for (int first = 0; first <= 1; first++) { // record, or the last checkpoint
        run = kill_after_plies(8);
        assert_int_equal(stat(file_of("KQvKR", "work"), &bad_file), 0);
        bad_byte = first ? HEAD : find_records().last;
        if (first) {
            FAILS(solve_on_disk(&run, &disk), CLTB_E_IO, "KQvKR.cltb.work");
            bad_byte = 0;
        }
        check_start(&run, first ? SCRATCH_RESUMED : SCRATCH_RESUMED_OLDER);
        bad_byte = 0;
    }
    run = kill_after_plies(8);
    assert_true(left_over("KQvKR"));
    journal_drop(file_of("KQvKR", "work"), file_of("KQvKR", "planes"));
    assert_false(left_over("KQvKR"));
}

TEST(other_work_is_not_thrown_away)
{
    struct backend *backend;
    enum scratch_start start;
    struct run run = kill_after_plies(5);
    FAILS(open_streamed(&run, "other", &backend, &start), CLTB_E_USAGE, "other options");
    check_start(&run, SCRATCH_RESUMED);
}

TEST(one_run_at_a_time)
{
    struct backend *first;
    struct backend *second;
    enum scratch_start start;
    const struct run run = run_of("KQvKR", 0);
    GOOD(open_streamed(&run, "x", &first, &start));
    FAILS(open_streamed(&run, "x", &second, &start), CLTB_E_IO, "another cltb");
    first->ops->close(first);
    assert_false(left_over("KQvKR"));
}

TESTS(pool_setup, pool_teardown)
