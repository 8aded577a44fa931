// test_structure_resume.c - a run that is killed in a later graph: the next one solves nothing again
#include "structures/support_verdict.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char study[] = "7K/8/k1P5/7p/8/8/8/8 w - - 0 1"; // Reti 1921

// The batches that a run solves, by graph.
enum { GRAPHS_MAX = 16, MOST = 1000000 };
struct counts {
    int graphs;
    size_t solved[GRAPHS_MAX]; // structures of the graph, which tell it from others
    int batches[GRAPHS_MAX];
    size_t structures; // of the last graph, with the bounded ones
    size_t kill_in;    // such a graph, at
    int kill_at;       // this batch
};

static int *batches_of(struct counts *counts, size_t solved)
{
    int i = 0;
    while (i < counts->graphs && counts->solved[i] != solved)
        i++;
    assert_true(i < GRAPHS_MAX);
    counts->graphs += i == counts->graphs;
    counts->solved[i] = solved;
    return &counts->batches[i];
}

static int on_batch(void *context, size_t done, size_t solved)
{
    struct counts *counts = context;
    if (++*batches_of(counts, solved) == counts->kill_at && solved == counts->kill_in)
        raise(SIGKILL);
    return 0;
}

// Solves the study, with efforts 1 and 2 narrowed to what decides. *resumed: structures that the journal had.
static struct verdict_value solve(struct counts *counts, int effort, size_t most, size_t *resumed)
{
    const struct verdict_request request = {.store.folders = ".",
                                            .tables_men = 2,
                                            .store.scratch = tmp_path("work"),
                                            .effort = effort,
                                            .structures = most,
                                            .threads = 2,
                                            .store.progress = on_batch,
                                            .store.context = counts};
    const struct position p = position_named(study);
    struct verdict *verdict = calloc(1, sizeof *verdict);
    assert_non_null(verdict);
    GOOD(verdict_find(verdict, &p, &request));
    const struct verdict_value value = verdict->answer.value;
    *resumed = structure_store_resumed(verdict->store);
    counts->structures = verdict->graph.structures;
    verdict_done(verdict);
    return value;
}

static void kill_in(size_t solved, int at)
{
    struct counts counts = {.kill_in = solved, .kill_at = at};
    size_t resumed;
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        solve(&counts, 2, MOST, &resumed);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void assert_same_values(struct verdict_value a, struct verdict_value b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

static void assert_no_journal(void)
{
    DIR *dir = opendir(tmp_path("work"));
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        assert_int_equal(entry->d_name[0], '.');
    closedir(dir);
}

TEST(test_resume)
{
    enum { AT = 2 };
    struct counts whole = {.graphs = 0};
    size_t resumed;
    const struct verdict_value value = solve(&whole, 2, MOST, &resumed);
    assert_int_equal(resumed, 0);
    assert_no_journal();
    assert_true(whole.graphs >= 3);
    for (int graph = 1; graph < (sanitized() ? 2 : 3); graph++) {
        struct counts counts = {.graphs = 0};
        kill_in(whole.solved[graph], AT);
        assert_same_values(solve(&counts, 2, MOST, &resumed), value);
        assert_true(resumed > whole.solved[0]);
        for (int i = 0; i < whole.graphs; i++) {
            const int before = i < graph ? whole.batches[i] : i == graph ? AT : 0;
            assert_int_equal(*batches_of(&counts, whole.solved[i]), whole.batches[i] - before);
        }
        assert_no_journal();
    }
}

// The next run has no room for the second graph. It uses the records of the first one alone.
TEST(test_other_graph)
{
    if (sanitized())
        skip(); // it reads such files like test_resume
    struct counts all = {.graphs = 0};
    struct counts fresh = {.graphs = 0};
    struct counts counts = {.graphs = 0};
    size_t resumed;
    solve(&all, 1, MOST, &resumed);
    const struct verdict_value value = solve(&fresh, 1, all.structures - 1, &resumed);
    assert_true(all.graphs == 2 && fresh.graphs == 2 && fresh.structures < all.structures);
    kill_in(all.solved[1], 2);
    assert_same_values(solve(&counts, 1, all.structures - 1, &resumed), value);
    assert_int_equal(*batches_of(&counts, fresh.solved[0]), 0);
    assert_int_equal(*batches_of(&counts, fresh.solved[1]), fresh.batches[1]);
    assert_no_journal();
}

static int setup(void **state)
{
    mkdir(tmp_path("work"), 0777);
    test_folder_clear(tmp_path("work"));
    return 0;
}

TESTS(setup, NULL)
