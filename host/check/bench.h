// bench.h - measuring kernels, probing and the gap code
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

int bench_probing(struct bench_probe *result, const struct material *material,
                  const struct bench_probe_options *options);

// The new wins or losses of a ply, as a plane and in the gap code (cltb/gap.h). The times are those of one thread that
// does each thing once.
struct bench_gap_plane {
    int attacker;          // the side whose wins are sought
    int ply;               //
    bool won;              // the attacker's wins; else the defender's losses
    uint64_t bits;         // of the plane
    uint64_t ones;         //
    uint64_t coded_bytes;  // the gap code of the whole plane
    uint64_t packed_bytes; // as records of BENCH_GAP_RECORD_WORDS words (table/packed_bits.h)
    double encode_seconds; // of the whole plane
    double decode_seconds; //
    double pack_seconds;   // of all records
    double unpack_seconds; //
};

enum { BENCH_GAP_RECORD_WORDS = 1 << 17 }; // 1 MiB of a plane

// The bits of such a plane; CLTB_E_USAGE for a material with pawns.
int bench_gap_bits(const struct material *material, uint64_t *bits);

typedef void bench_gap_visit(void *context, const struct bench_gap_plane *plane);

// Solves a pawnless table on the processor, in memory, with futurebases from `folders`, and measures the plane of every
// step from ply 1 on: first with Black as the attacker, then with White, and in each ply the losses first. Each decoded
// plane is compared with the original: CLTB_E_MISMATCH if they differ.
int bench_gap(const struct material *material, const char *folders, int threads, bench_gap_visit *visit, void *context);

#endif
