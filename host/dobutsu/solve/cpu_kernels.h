// cpu_kernels.h - dobutsu's inner loops of the CPU backend, one set per instruction set
#ifndef CLTB_DOBUTSU_SOLVE_CPU_KERNELS_H
#define CLTB_DOBUTSU_SOLVE_CPU_KERNELS_H

#include "kernels/dobutsu/dobutsu.h"

// Cells first..first + count - 1.
struct dobutsu_kernels {
    const char *name;
    // Their lists, or how many moves they have while there is no room for the lists.
    void (*moves)(const struct dobutsu_planes *planes, const struct dobutsu_tables *tables, u32_t first, u32_t count);
    // Both return how many codes were found. `visit` [cells]: only marked ones, whose marks are taken off, or NULL: all. `marks`
    // [cells]: for the next round, or NULL.
    u64_t (*classes)(const struct dobutsu_planes *planes, const struct dobutsu_tables *tables, u32_t first,
                     u32_t count);
    u64_t (*round)(const struct dobutsu_planes *planes, const struct dobutsu_tables *tables, u8_t *visit, u8_t *marks,
                   int ply, u32_t first, u32_t count);
};

#endif
