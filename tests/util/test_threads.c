// test_threads.c - a pool of threads: every item once, the first failure ends a job, and so does the caller's wish
#include "support/support.h"

#include "util/clock.h"
#include "util/threads.h"

#include <stdatomic.h>
#include <time.h>

enum { ITEMS = 1000, FAILING = 300 };

struct job {
    struct thread_pool *pool;
    _Atomic int done[ITEMS];
    bool fails;
    bool slow;
};

static int work(void *context, uint64_t item, int worker)
{
    (void)worker;
    struct job *job = context;
    job->done[item]++;
    if (job->slow)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return job->fails && item == FAILING ? error_set(CLTB_E_CORRUPT, "item %d", FAILING) : 0;
}

// Stops itself only when the job is being stopped.
static int work_on(void *context, uint64_t item, int worker)
{
    struct job *job = context;
    job->done[item]++;
    for (;;) {
        TRY(threads_check(job->pool, worker));
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static int items_done(const struct job *job)
{
    int done = 0;
    for (int i = 0; i < ITEMS; i++) {
        assert_true(job->done[i] <= 1);
        done += job->done[i];
    }
    return done;
}

static int say_stop(void *context)
{
    const double *moment = context;
    return wall_seconds() < *moment ? 0 : error_set(CLTB_E_INTERRUPTED, "stopped");
}

static void test_with(int threads)
{
    struct thread_pool *pool;
    GOOD(threads_open(&pool, threads));
    struct job job = {.pool = pool};
    GOOD(threads_each(pool, ITEMS, work, &job));
    assert_int_equal(items_done(&job), ITEMS);

    job = (struct job){.pool = pool, .fails = true};
    assert_int_equal(threads_each(pool, ITEMS, work, &job), CLTB_E_CORRUPT);
    assert_string_equal(error_text(), "item 300");

    // Between items, and before a job; not once nobody asks any more.
    double moment = wall_seconds() + 0.1;
    threads_watch(pool, say_stop, &moment);
    job = (struct job){.pool = pool, .slow = true};
    assert_int_equal(threads_each(pool, ITEMS, work, &job), CLTB_E_INTERRUPTED);
    assert_string_equal(error_text(), "stopped");
    assert_true(items_done(&job) > 0 && items_done(&job) < ITEMS);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    assert_int_equal(threads_check(pool, 0), CLTB_E_INTERRUPTED);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    job = (struct job){.pool = pool};
    assert_int_equal(threads_each(pool, 1, work, &job), CLTB_E_INTERRUPTED);
    assert_int_equal(items_done(&job), 0);

    // Within items.
    moment = wall_seconds() + 0.1;
    job = (struct job){.pool = pool};
    assert_int_equal(threads_each(pool, ITEMS, work_on, &job), CLTB_E_INTERRUPTED);
    assert_true(items_done(&job) > 0 && items_done(&job) <= threads);

    threads_watch(pool, NULL, NULL);
    assert_int_equal(threads_check(pool, 0), 0);
    job = (struct job){.pool = pool};
    GOOD(threads_each(pool, ITEMS, work, &job));
    assert_int_equal(items_done(&job), ITEMS);
    threads_close(pool);
}

static void test_one(void **state)
{
    test_with(1);
}

static void test_several(void **state)
{
    test_with(3);
    assert_int_equal(threads_check(NULL, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one), cmocka_unit_test(test_several)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
