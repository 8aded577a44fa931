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

TESTS(NULL, NULL)
