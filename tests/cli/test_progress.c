// test_progress.c - what long work prints where standard error is no terminal, by a clock that the test sets
#include "support/support.h"

#include "cli/progress.h"
#include "util/threads.h"

#include <time.h>
#include <unistd.h>

static double now; // what every clock says

// Takes the place of the system's.
int clock_gettime(clockid_t clock, struct timespec *t)
{
    t->tv_sec = (time_t)now;
    t->tv_nsec = (long)(1e9 * (now - (double)(time_t)now));
    return 0;
}

static int terminal = -1; // where standard error went before

static void capture(void)
{
    terminal = dup(STDERR_FILENO);
    assert_true(freopen(tmp_path("printed"), "w", stderr) != NULL);
    now = 1000;
}

// What has been printed since capture().
static const char *printed(void)
{
    static char text[4000];
    fflush(stderr);
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    FILE *file = fopen(tmp_path("printed"), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

TEST(test_due)
{
    static const double times[] = {10, 20, 40, 80, 160, 320, 640, 1240, 1840};
    size_t lines = 0;
    double due = 0;
    for (int second = 0; second < 2000; second++) {
        if (!progress_due(&due, second))
            continue;
        assert_true(lines < sizeof times / sizeof times[0]);
        assert_true(times[lines++] == second);
    }
    assert_int_equal(lines, sizeof times / sizeof times[0]);
}

static void build(bool quiet)
{
    struct progress progress;
    struct build_event event = {.kind = BUILD_PLY, .name = "KRPvKR", .attacker = -1, .tables = 2, .table = 1};
    progress_begin(&progress, quiet, false);
    for (; event.seconds < 30; event.seconds++, now++) {
        event.share = event.seconds / 40;
        event.ply = (int)event.seconds;
        progress_event(&progress, &event);
    }
    event.kind = BUILD_WRITE;
    event.seconds = 40;
    event.behind = true; // not shown
    progress_event(&progress, &event);
    event.behind = false;
    progress_event(&progress, &event);
    event.kind = BUILD_DONE;
    if (!quiet)
        progress_event(&progress, &event);
    event.kind = BUILD_PLY; // the next table has its own 10 seconds
    event.name = "KPvK";
    event.table = 2;
    for (event.seconds = 0; event.seconds < 11; event.seconds++)
        progress_event(&progress, &event);
}

TEST(test_build)
{
    capture();
    build(false);
    const char *text = printed();
    assert_non_null(
        strstr(text, "1/2 KRPvKR: 0:10 gone, 0:30 left, 25 % (ply 10: +0 wins +0 losses, 0 positions/s)\n"));
    assert_non_null(strstr(text, "1/2 KRPvKR: 0:20 gone, "));
    assert_non_null(strstr(text, "1/2 KRPvKR: 0:40 gone, "));
    assert_non_null(strstr(text, " % (writing)\n1/2 KRPvKR: solved in "));
    assert_non_null(strstr(text, "2/2 KPvK: 0:10 gone, "));
    int lines = 0;
    for (const char *c = text; *c != '\0'; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 5);
    assert_null(strchr(text, '\033'));
    capture();
    build(true);
    assert_string_equal(printed(), "");
}

static int second(void *context, uint64_t item, int worker)
{
    now++;
    return 0;
}

TEST(test_share)
{
    struct thread_pool *pool;
    GOOD(threads_open(&pool, 1));
    capture();
    for (int table = 0; table < 2; table++) {
        threads_watch(pool, progress_share(), pool);
        GOOD(threads_each(pool, 40, second, NULL));
        threads_watch(pool, NULL, NULL);
        progress_share_end();
    }
    threads_close(pool);
    assert_string_equal(printed(), "0:10 gone, 27.5 % of the positions\n0:20 gone, 52.5 % of the positions\n"
                                   "0:10 gone, 27.5 % of the positions\n0:20 gone, 52.5 % of the positions\n");
}

TESTS(NULL, NULL)
