// clock.h - wall and processor time in seconds
#ifndef CLTB_UTIL_CLOCK_H
#define CLTB_UTIL_CLOCK_H

#include <time.h>

static inline double clock_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double wall_seconds(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

static inline double thread_cpu_seconds(void)
{
    return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

// Processor time of all threads of this process.
static inline double cpu_seconds(void)
{
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
