// cpu_kernels.h - dobutsu's inner loops of the CPU backend, one set per instruction set
#ifndef CLTB_DOBUTSU_SOLVE_CPU_KERNELS_H
#define CLTB_DOBUTSU_SOLVE_CPU_KERNELS_H

#include "dobutsu/solve/solve.h"
#include "kernels/dobutsu/dobutsu.h"

// Works on the cells `first` to first + count - 1; `round` is for rounds only.
typedef u64_t dobutsu_kernel(const struct dobutsu_planes *planes, const struct dobutsu_round *round, u32_t first,
                             u32_t count);

struct dobutsu_kernels {
    const char *name;
    dobutsu_kernel *moves;   // makes the lists of moves, or only counts them if no lists are allocated yet; returns 0
    dobutsu_kernel *classes; // these two return how many codes were found
    dobutsu_kernel *round;
};

#endif
