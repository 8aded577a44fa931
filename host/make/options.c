// options.c - reports how far a build is
#include "make/options.h"

#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"

int build_emit(const struct build_options *options, struct build_event *event, enum build_event_kind kind, double start,
               const char *name)
{
    event->kind = kind;
    event->seconds = wall_seconds() - start;
    event->peak_memory = memory_peak();
    if (options->event != NULL && options->event(options->context, event) != 0)
        return error_set(CLTB_E_INTERRUPTED, "interrupted while building %s", name);
    return 0;
}
