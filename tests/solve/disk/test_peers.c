// test_peers.c - tables made by several processes, against the files of one process that solves in memory
//
// Each process has a scratch of its own. What the processes send each other goes through files, and is counted.
#include "solve/support_streamed.h"

#include "support/writing.h"
#include "table/path.h"
#include "util/folders.h"
#include "util/threads.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS_MAX = 7 };

// Memory for all planes of KQvKR, 328 kB each, and for some blocks of them.
enum { ALL_KEPT = 8 << 20, SOME_KEPT = 200 << 10 };

struct mesh {
    struct peers peers;
    unsigned exchanges;
    uint64_t given; // bytes, to others
};

static void file_between(char file[100], unsigned exchange, int from, int to)
{
    snprintf(file, 100, "post.%u.%d.%d", exchange, from, to);
}

// Writes a file for each process, whole from the start, and waits for theirs.
static int mesh_exchange(void *context, const struct peer_bytes *give, struct peer_bytes *take)
{
    struct mesh *mesh = context;
    const unsigned exchange = mesh->exchanges++;
    char name[100];
    char part[200];
    for (int r = 0; r < mesh->peers.ranks; r++) {
        file_between(name, exchange, mesh->peers.rank, r);
        snprintf(part, sizeof part, "%s.part", tmp_path(name));
        write_file(part, give[r].count > 0 ? give[r].bytes : "", give[r].count);
        assert_int_equal(rename(part, tmp_path(name)), 0);
        mesh->given += r != mesh->peers.rank ? give[r].count : 0;
    }
    for (int r = 0; r < mesh->peers.ranks; r++) {
        file_between(name, exchange, r, mesh->peers.rank);
        for (int i = 0; access(tmp_path(name), F_OK) != 0; i++) {
            assert_true(i < 60 * 1000);
            usleep(1000);
        }
        const struct bytes bytes = read_file(tmp_path(name));
        unlink(tmp_path(name));
        take[r] = (struct peer_bytes){bytes.data, bytes.size};
    }
    return 0;
}

static int mesh_sum(void *context, uint64_t *number, int count)
{
    struct mesh *mesh = context;
    struct peer_bytes give[RANKS_MAX];
    struct peer_bytes take[RANKS_MAX];
    for (int r = 0; r < mesh->peers.ranks; r++)
        give[r] = (struct peer_bytes){number, (size_t)count * sizeof *number};
    GOOD(mesh_exchange(mesh, give, take));
    memset(number, 0, (size_t)count * sizeof *number);
    for (int r = 0; r < mesh->peers.ranks; r++) {
        assert_int_equal(take[r].count, (size_t)count * sizeof *number);
        for (int i = 0; i < count; i++)
            number[i] += ((const uint64_t *)take[r].bytes)[i];
        free(take[r].bytes);
    }
    return 0;
}

struct shared_run {
    const char *name;
    uint32_t rows;
    uint32_t columns;
    int ranks;
    struct solver_options options;
    int stop_at;              // ply after which all stop; 0: none
    enum scratch_start start; // that is expected
    uint64_t memory;          // of the writers; 0: no limit
    bool both_sides;          // in the file
    uint64_t kept;            // memory for planes
    bool near;                // some of them are on one machine
    uint64_t given;           // result: by process 0
};

static int stop_after(void *context, const struct solver_ply *ply)
{
    return ply->ply == ((const struct shared_run *)context)->stop_at;
}

// tmp_path() does not keep its path for long.
static const char *table_of(const char *name)
{
    static char path[TEST_PATH_MAX];
    char file[40];
    snprintf(file, sizeof file, "%s.cltb", name);
    snprintf(path, sizeof path, "%s", tmp_path(file));
    return path;
}

// Process 0 makes the file.
static void solve_as(struct shared_run *run, int rank)
{
    struct mesh mesh = {.peers = {.rank = rank, .ranks = run->ranks, .exchange = mesh_exchange, .sum = mesh_sum}};
    mesh.peers.context = &mesh;
    bool neighbour[RANKS_MAX];
    char folder[TEST_PATH_MAX];
    char work[TEST_PATH_MAX];
    const struct layout layout = layout_named(run->name);
    for (int r = 0; r < run->ranks; r++) // three machines
        neighbour[r] = r % 3 == rank % 3;
    mesh.peers.neighbour = run->near ? neighbour : NULL;
    snprintf(folder, sizeof folder, "%s", tmp_path("."));
    GOOD(table_rank_work_path(work, sizeof work, folder, &layout.material, rank));
    const struct streamed_options options = {.path = work,
                                             .folder = folder,
                                             .identity = run->name,
                                             .shape = streamed_shape(&layout, run->rows, run->columns),
                                             .kept = run->kept,
                                             .interval = run->stop_at > 0 ? 0 : 1000,
                                             .peers = &mesh.peers,
                                             .open = streamed_open_cpu};
    struct backend *backend;
    struct solution solution;
    enum scratch_start start;
    GOOD(backend_streamed_open(&backend, &layout, &options, &start));
    if (rank == 0)
        assert_int_equal(start, run->start);
    if (run->stop_at > 0) {
        struct solver_options stopped = run->options;
        stopped.progress = stop_after;
        stopped.context = run;
        FAILS(solver_solve(&solution, backend, &by_solving, &stopped), CLTB_E_INTERRUPTED, "");
        backend->ops->close(backend);
        return;
    }
    GOOD(solver_solve(&solution, backend, &by_solving, &run->options));
    uint64_t memory;
    uint64_t bytes;
    GOOD(streamed_settle(&solution, test_pool, NULL, NULL));
    const struct tile_source source = streamed_tiles(&solution, &memory);
    const struct write_options writing = {
        .memory = run->memory, .both_sides = run->both_sides, .scratch = folder, .peers = &mesh.peers};
    GOOD(write_tiles_table(&source, table_of(run->name), test_pool, &writing, &bytes));
    assert_true(rank > 0 ? bytes == 0 : bytes > 0);
    run->given = mesh.given;
    solution_free(&solution);
    streamed_finished(backend);
    backend->ops->close(backend);
}

static pid_t start_rank(struct shared_run *run, int rank)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        test_pool = NULL; // its threads do not exist in this process
        if (threads_open(&test_pool, 1) != 0)
            _exit(1);
        solve_as(run, rank);
        _exit(7);
    }
    return child;
}

static void run_all(struct shared_run *run)
{
    pid_t child[RANKS_MAX] = {0};
    for (int rank = 1; rank < run->ranks; rank++)
        child[rank] = start_rank(run, rank);
    solve_as(run, 0);
    for (int rank = 1; rank < run->ranks; rank++) {
        int status = 0;
        assert_int_equal(waitpid(child[rank], &status, 0), child[rank]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
}

// The file of an endgame that is solved in memory, kept until another one is asked for.
static struct bytes file_true(const struct shared_run *run)
{
    static struct bytes truth;
    static struct shared_run known;
    struct solved solved;
    uint64_t bytes;
    if (known.name != NULL && strcmp(known.name, run->name) == 0 && known.both_sides == run->both_sides)
        return truth;
    free(truth.data);
    known = *run;
    solve(&solved, run->name, LAYOUT_PAIR, NULL, &keep_all);
    const struct write_options writing = {.both_sides = run->both_sides};
    GOOD(write_table(&solved.solution, table_of(run->name), test_pool, &writing, &bytes));
    unsolve(&solved);
    return truth = read_file(table_of(run->name));
}

static void check_run(struct shared_run run)
{
    const struct bytes truth = file_true(&run);
    unlink(table_of(run.name));
    run_all(&run);
    const struct bytes file = read_file(table_of(run.name));
    assert_int_equal(file.size, truth.size);
    assert_memory_equal(file.data, truth.data, truth.size);
    free(file.data);
    assert_true(run.ranks == 1 ? run.given == 0 : run.given > 0);
}

TEST(any_number_of_processes)
{
    struct shared_run run = {.name = "KRvKR", .rows = 8, .columns = 20, .options = keep_all, .near = true};
    if (sanitized())
        skip(); // the others have two and three processes
    for (run.ranks = 2; run.ranks <= 7; run.ranks += 5) {
        run.kept = run.ranks == 2 ? ALL_KEPT : SOME_KEPT;
        check_run(run);
    }
}

TEST(pairs_and_other_shapes)
{
    struct shared_run runs[] = {
        {.name = "KRvKR", .rows = 8, .columns = 30, .ranks = 3},              // sections of one side only
        {.name = "KBBvK", .rows = 3, .columns = 10, .ranks = 4, .memory = 1}, // more processes than rows
        {.name = "KQvKR", .rows = 8, .columns = 20, .ranks = 3, .memory = 1, .both_sides = true}, // in passes
    };
    for (size_t i = sanitized() ? 1 : 0; i < (sanitized() ? 2 : sizeof runs / sizeof runs[0]); i++) {
        runs[i].options = keep_all;
        runs[i].options.last_attacker = (int)(i & 1);
        check_run(runs[i]);
    }
}

// A job that was stopped is resumed from the last checkpoint that all processes have, or started over.
TEST(checkpoints)
{
    enum { LAST_DAMAGED, GONE, INTACT_ON_DISK, CASES };
    for (int i = 0; i < (sanitized() ? 1 : CASES); i++) {
        struct shared_run run = {
            .name = "KQvKR", .rows = 8, .columns = 20, .ranks = 3, .options = keep_all, .stop_at = 9};
        char work[TEST_PATH_MAX];
        struct stat status;
        run.kept = i == INTACT_ON_DISK ? 0 : ALL_KEPT;
        snprintf(work, sizeof work, "%s", tmp_path("KQvKR.cltb.work"));
        run_all(&run);
        assert_int_equal(stat(work, &status), 0);
        if (i == LAST_DAMAGED)
            assert_int_equal(truncate(work, status.st_size - 1), 0);
        if (i == GONE)
            assert_int_equal(unlink(work), 0);
        run.stop_at = 0;
        run.start = i == LAST_DAMAGED ? SCRATCH_RESUMED_OLDER : i == GONE ? SCRATCH_NEW : SCRATCH_RESUMED;
        check_run(run);
    }
}

// A job that was stopped is resumed by fewer processes, or more.
TEST(other_numbers)
{
    static const int ranks[] = {3, 2, 7};
    for (size_t i = 0; i < (sanitized() ? 1 : sizeof ranks / sizeof ranks[0]); i++) {
        struct shared_run run = {.name = "KQvKR",
                                 .rows = 8,
                                 .columns = 20,
                                 .ranks = ranks[i],
                                 .options = keep_all,
                                 .kept = i == 2 ? ALL_KEPT : SOME_KEPT,
                                 .near = i == 1 || sanitized(),
                                 .stop_at = 5 + 3 * (int)i};
        run.start = i == 0 ? SCRATCH_NEW : SCRATCH_RESUMED;
        run_all(&run);
        for (int rank = 0; rank < RANKS_MAX; rank++) {
            char work[TEST_PATH_MAX];
            const struct layout layout = layout_named(run.name);
            GOOD(table_rank_work_path(work, sizeof work, tmp_path("."), &layout.material, rank));
            assert_int_equal(access(work, F_OK) == 0, rank < ranks[i]);
        }
    }
    struct shared_run run = {
        .name = "KQvKR", .rows = 8, .columns = 20, .ranks = 1, .options = keep_all, .start = SCRATCH_RESUMED};
    check_run(run);
}

static int remove_file(void *context, const char *path, const char *name)
{
    unlink(path);
    return 0;
}

// What a run that failed has left would be resumed from, or read. Without a folder of tests it may be anybody's.
static int setup(void **state)
{
    if (getenv("CLTB_TEST_TMP") != NULL)
        GOOD(folders_each(tmp_path(""), "", remove_file, NULL));
    return pool_setup(state);
}

TESTS(setup, pool_teardown)
