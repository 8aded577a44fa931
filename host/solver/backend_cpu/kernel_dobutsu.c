// kernel_dobutsu.c - dobutsu's cells one after another
#include "solver/backend_cpu/dobutsu_kernels.h"

#include <stddef.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define TEXT_(a)    #a
#define TEXT(a)     TEXT_(a)

static u64_t classes(const struct dobutsu_planes *planes, const struct dobutsu_tables *tables, u32_t first, u32_t count)
{
    u64_t won = 0;
    for (u32_t cell = first; cell < first + count; cell++)
        won += dobutsu_class_cell(planes, tables, cell);
    return won;
}

static u64_t round_of(const struct dobutsu_planes *planes, const struct dobutsu_tables *tables, u8_t *visit,
                      u8_t *marks, int ply, u32_t first, u32_t count)
{
    u64_t found = 0;
    for (u32_t cell = first; cell < first + count; cell++) {
        if (visit != NULL) {
            if (visit[cell] == 0)
                continue;
            visit[cell] = 0;
        }
        found += dobutsu_round_cell(planes, tables, marks, (u32_t)ply, cell);
    }
    return found;
}

extern const struct dobutsu_kernels JOIN(dobutsu_kernels_, CLTB_ISA);
const struct dobutsu_kernels JOIN(dobutsu_kernels_, CLTB_ISA) = {TEXT(CLTB_ISA), classes, round_of};
