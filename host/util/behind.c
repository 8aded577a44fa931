// behind.c - one piece of work at a time in a thread of its own
#include "util/behind.h"

#include "util/clock.h"
#include "util/error.h"

#include <stdio.h>

static void *run(void *context)
{
    struct behind *behind = context;
    behind->code = behind->work(behind->context);
    if (behind->code != 0)
        snprintf(behind->sentence, sizeof behind->sentence, "%s", error_text());
    threads_end_beside(behind->pool, behind->running ? thread_cpu_seconds() : 0);
    atomic_store(&behind->done, true);
    return NULL;
}

void behind_begin(struct behind *behind, int (*work)(void *context), void *context)
{
    behind->work = work;
    behind->context = context;
    behind->code = 0;
    behind->running = true;
    atomic_store(&behind->done, false);
    if (pthread_create(&behind->thread, NULL, run, behind) == 0)
        return;
    behind->running = false;
    run(behind);
}

bool behind_idle(struct behind *behind)
{
    return !behind->running ? behind->code == 0 : atomic_load(&behind->done) && behind->code == 0;
}

int behind_wait(struct behind *behind)
{
    if (behind->running)
        pthread_join(behind->thread, NULL);
    const int code = behind->code;
    behind->running = false;
    behind->code = 0;
    return code == 0 ? 0 : error_set(code, "%s", behind->sentence);
}
