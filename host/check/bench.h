// bench.h - measuring kernels and probing
//
// Every measurement warms up, then repeats until it has taken `seconds`, and reports the mean of one call.
#ifndef CLTB_CHECK_BENCH_H
#define CLTB_CHECK_BENCH_H

#include <cltb/cltb.h>

#include "index/material.h"

#include <stdbool.h>
#include <stdint.h>

// One call of a kernel or of a backend's operation.
struct bench_kernel {
    char name[64];
    double bytes;     // read and written at least (each input and output once)
    double positions; // entries that it works on
    double seconds;   // wall
};

struct bench_kernel_options {
    const char *device;       // "auto", "cpu" or a number; NULL: "auto"
    const char *isa;          // instruction set of the CPU backend, or NULL
    int threads;              // 0: one for each processor
    double seconds;           // for each measurement
    struct material material; // whose planes the backend's operations work on
};

typedef int bench_visit(void *context, const struct bench_kernel *kernel);

// Measures in this order: the rate of plain copies ("copy"); on the CPU, the lane kernels, each thread on its own group
// of squares in its cache; the backend's operations on dense planes of the material. `describe` (if not NULL) gets the
// backend's line.
int bench_kernels(const struct bench_kernel_options *options, bench_visit *visit, void *context, char *describe,
                  size_t describe_size);

// The rates of probing random legal positions of a material with `threads` threads.
struct bench_probe {
    double cold;    // outcomes per second with an empty cache
    double distant; // then values per second, with the outcomes' blocks in the cache
    double outcome; // warm: outcomes per second
    double many;    // warm: outcomes per second, all of a thread's positions at once
    double value;   // warm: values (outcome and distance) per second
    double fen;     // warm: the same from FEN text
    double root;    // warm: root rankings (all legal moves) per second
};

struct bench_probe_options {
    const char *folders;
    int threads;
    double seconds;
    int positions; // number of different positions
};

// Draws the positions, then measures each rate for options->seconds. CLTB_E_MISSING if the table is not in the folders.
int bench_probing(struct bench_probe *result, const struct material *material,
                  const struct bench_probe_options *options);

#endif
