// test_threads.c - a pool of threads: every item is done once; the first failure ends a job, and so does the caller's
// wish
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

    // Between items, and before a job; not any more once nobody asks.
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

TEST(test_one)
{
    test_with(1);
}

TEST(test_several)
{
    test_with(3);
    assert_int_equal(threads_check(NULL, 1), 0);
}

// ---- processors that pools share ----

struct divided {
    struct processors *processors;
    _Atomic int inside;
    _Atomic int most; // workers at a time
    _Atomic int
        taken_at;       // the item at which another pool's caller takes a processor; then nobody but the caller goes on
    _Atomic int helped; // items of other workers since then
    double spin;        // seconds of processor time that an item takes
    _Atomic int met;
};

static int divided_work(void *context, uint64_t item, int worker)
{
    struct divided *divided = context;
    const struct timespec moment = {.tv_nsec = 1000000};
    const int inside = ++divided->inside;
    if (inside > divided->most)
        divided->most = inside;
    if (divided->taken_at == (int)item && divided->taken_at > 0)
        processor_take_anyway(divided->processors);
    nanosleep(&moment, NULL);
    if (divided->taken_at > 0 && (int)item > divided->taken_at + 3 && worker > 0)
        divided->helped++;
    divided->inside--;
    return 0;
}

// Three workers and, by turns, two processors, one, and one less in the middle of a job.
TEST(test_processors)
{
    struct thread_pool *pool;
    struct processors processors = {2};
    GOOD(threads_open(&pool, 3));
    threads_share_processors(pool, &processors);
    processor_take_anyway(&processors); // the caller's own
    struct divided divided = {.processors = &processors};
    GOOD(threads_each(pool, 30, divided_work, &divided));
    assert_int_equal(divided.most, 2);
    assert_int_equal(processors.idle, 1);

    divided = (struct divided){.processors = &processors, .taken_at = 10};
    GOOD(threads_each(pool, 40, divided_work, &divided));
    assert_int_equal(divided.helped, 0);
    assert_int_equal(processors.idle, 0);

    divided = (struct divided){.processors = &processors};
    GOOD(threads_each(pool, 10, divided_work, &divided));
    assert_int_equal(divided.most, 1);
    assert_false(threads_begin_beside(pool));
    processor_give(&processors);
    assert_true(threads_begin_beside(pool));
    assert_int_equal(processors.idle, 0);
    threads_end_beside(pool, 5);
    assert_int_equal(processors.idle, 1);
    assert_true(threads_cpu_seconds(pool) >= 5);
    threads_close(pool);
}

static void spin(double seconds)
{
    const double start = thread_cpu_seconds();
    while (thread_cpu_seconds() - start < seconds) {
    }
}

// Two items, one for each worker.
static int spinning_work(void *context, uint64_t item, int worker)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    struct divided *divided = context;
    (void)item;
    (void)worker;
    divided->met++;
    while (divided->met < 2)
        nanosleep(&moment, NULL);
    spin(divided->spin);
    return 0;
}

// A pool's seconds are those of its own workers only.
TEST(test_cpu_seconds)
{
    struct thread_pool *pool[2];
    struct processors processors = {3};
    struct divided divided = {.spin = 0.05};
    double before[2];
    double used[2];
    for (int i = 0; i < 2; i++) {
        GOOD(threads_open(&pool[i], 2));
        threads_share_processors(pool[i], &processors);
    }
    for (int i = 0; i < 2; i++)
        before[i] = threads_cpu_seconds(pool[i]);
    GOOD(threads_each(pool[0], 2, spinning_work, &divided));
    for (int i = 0; i < 2; i++)
        used[i] = threads_cpu_seconds(pool[i]) - before[i];
    assert_true(used[0] >= 2 * divided.spin);
    assert_true(used[1] >= divided.spin); // the caller's, who is the same
    assert_true(used[0] - used[1] >= 0.9 * divided.spin);
    for (int i = 0; i < 2; i++)
        threads_close(pool[i]);
}

TESTS(NULL, NULL)
