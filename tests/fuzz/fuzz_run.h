// fuzz_run.h - fuzzers without a fuzzing library: numbers at random, and inputs until the time is up
#ifndef TESTS_FUZZ_RUN_H
#define TESTS_FUZZ_RUN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t state;

// xorshift64*
static inline uint32_t below(uint32_t n)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)(state * UINT64_C(0x2545f4914f6cdd1d) >> 33) % n;
}

// Arguments: seconds (3), seed (0).
static inline int fuzz_run(const char *name, int argc, char **argv, void (*run_one)(void))
{
    unsigned long long seconds = argc > 1 ? strtoull(argv[1], NULL, 10) : 3;
    state = (argc > 2 ? strtoull(argv[2], NULL, 10) : 0) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    time_t end = time(NULL) + (time_t)seconds;
    unsigned long long done = 0;
    while (time(NULL) < end) {
        run_one();
        done++;
    }
    printf("%s: %llu inputs, no fault\n", name, done);
    return 0;
}

#endif
