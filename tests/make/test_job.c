// test_job.c - what a build does when the device that it has chosen cannot be used
#include "make/job.h"

#include "support/support.h"
#include "util/error.h"

static int events;
static char reason[200];

static int on_event(void *context, const struct build_event *event)
{
    assert_int_equal(event->kind, BUILD_FALLBACK);
    snprintf(reason, sizeof reason, "%s", event->reason);
    events++;
    (void)context;
    return 0;
}

TEST(test_fall_back)
{
    struct build_options options = {.event = on_event};
    struct build_job job = {.options = &options, .device = {.number = 3, .automatic = true}, .event.reason = "other"};
    error_set(CLTB_E_DEVICE, "no such %s", "luck");
    assert_true(job_falls_back(&job));
    assert_int_equal(events, 1);
    assert_non_null(strstr(reason, "no such luck"));
    assert_int_equal(job.device.number, -1); // the next batch does not try again
    assert_string_equal(job.event.reason, "other");
    assert_false(job_falls_back(&job)); // an error on the processor is final

    job.device = (struct device_choice){.number = 3}; // which the user has named
    assert_false(job_falls_back(&job));
    assert_int_equal(job.device.number, 3);
    assert_int_equal(events, 1);
}

static int stop(void *context, const struct build_event *event)
{
    *(int *)context += event->kind == BUILD_WINDOW;
    return 1;
}

// Long work is interrupted between its items.
TEST(test_window)
{
    struct thread_pool *pool;
    int asked = 0;
    struct build_options options = {.event = stop, .context = &asked};
    struct build_job job = {.options = &options, .event.name = "KQvK"};
    GOOD(threads_open(&pool, 2));
    threads_watch(pool, job_window, &job);
    FAILS(threads_check(pool, 0), CLTB_E_INTERRUPTED, "interrupted while building KQvK");
    assert_int_equal(asked, 1);
    threads_watch(pool, NULL, NULL);
    GOOD(threads_check(pool, 0));
    threads_close(pool);
}

TESTS(NULL, NULL)
