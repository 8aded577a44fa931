// cpu_kernels.h - dobutsu's inner loops of the CPU backend, one set per instruction set
#ifndef CLTB_DOBUTSU_SOLVE_CPU_KERNELS_H
#define CLTB_DOBUTSU_SOLVE_CPU_KERNELS_H

#include "dobutsu/solve/solve.h"
#include "kernels/dobutsu/dobutsu.h"

// All work on the cells `first` to first + count - 1.
struct dobutsu_kernels {
    const char *name;
    // Makes the lists of moves, or only counts the moves if no lists are allocated yet. Returns 0.
    u64_t (*moves)(const struct dobutsu_planes *planes, u32_t first, u32_t count);
    // These return how many codes were found.
    u64_t (*classes)(const struct dobutsu_planes *planes, u32_t first, u32_t count);
    u64_t (*round)(const struct dobutsu_planes *planes, const struct dobutsu_round *round, u32_t first, u32_t count);
};

#endif
