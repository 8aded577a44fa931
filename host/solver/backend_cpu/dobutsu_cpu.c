// dobutsu_cpu.c - dobutsu shogi on the processor
#include "index/dobutsu_frames.h"
#include "solver/backend_cpu/dobutsu_kernels.h"
#include "solver/backend_cpu/isa.h"
#include "solver/dobutsu.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELLS = D_LIVE * D_LIONS,
    JOB_CELLS = 2 * D_LIONS * 76, // cells that a thread takes at a time: a few milliseconds
    JOBS = (CELLS + JOB_CELLS - 1) / JOB_CELLS
};

extern const struct dobutsu_kernels dobutsu_kernels_generic;
#ifdef CLTB_HAVE_ISA_AVX2
extern const struct dobutsu_kernels dobutsu_kernels_avx2;
#endif
#ifdef CLTB_HAVE_ISA_AVX512
extern const struct dobutsu_kernels dobutsu_kernels_avx512;
#endif

struct cpu {
    struct dobutsu_backend base;
    const struct dobutsu_kernels *kernels;
    const struct dobutsu_tables *tables;
    struct thread_pool *pool;
    struct dobutsu_planes planes;
    u8_t *marks[2]; // [CELLS], of odd and even rounds
    char description[96];
};

static const struct dobutsu_kernels *choose(const char *name)
{
    static const struct dobutsu_kernels *const kernels[ISAS] = {
        [ISA_GENERIC] = &dobutsu_kernels_generic,
#ifdef CLTB_HAVE_ISA_AVX2
        [ISA_AVX2] = &dobutsu_kernels_avx2,
#endif
#ifdef CLTB_HAVE_ISA_AVX512
        [ISA_AVX512] = &dobutsu_kernels_avx512,
#endif
    };
    const int isa = isa_choose(name);
    return isa < 0 ? NULL : kernels[isa];
}

// ---- rounds ----

struct job {
    struct cpu *cpu;
    const struct dobutsu_round *round; // NULL: the classes
    atomic_uint_fast64_t found;
};

static int work(void *context, uint64_t item, int worker)
{
    struct job *job = context;
    const struct cpu *cpu = job->cpu;
    const struct dobutsu_round *round = job->round;
    const u32_t first = (u32_t)item * JOB_CELLS;
    const u32_t count = CELLS - first < JOB_CELLS ? CELLS - first : JOB_CELLS;
    (void)worker;
    u64_t found;
    if (round == NULL)
        found = cpu->kernels->classes(&cpu->planes, cpu->tables, first, count);
    else
        found = cpu->kernels->round(&cpu->planes, cpu->tables, round->all ? NULL : cpu->marks[round->ply & 1],
                                    round->mark ? cpu->marks[~round->ply & 1] : NULL, round->ply, first, count);
    atomic_fetch_add(&job->found, found);
    return 0;
}

static int cpu_classes(struct dobutsu_backend *backend, uint64_t *won)
{
    struct job job = {.cpu = (struct cpu *)backend};
    TRY(threads_each(job.cpu->pool, JOBS, work, &job));
    *won = atomic_load(&job.found);
    return 0;
}

static int cpu_round(struct dobutsu_backend *backend, struct dobutsu_round *round)
{
    struct job job = {.cpu = (struct cpu *)backend, .round = round};
    if (round->ply % 2 != 0)
        memset(job.cpu->planes.fresh, 0, CELLS);
    TRY(threads_each(job.cpu->pool, JOBS, work, &job));
    round->found = atomic_load(&job.found);
    return 0;
}

static int cpu_read(struct dobutsu_backend *backend, uint32_t first, uint32_t count, uint8_t *values)
{
    const struct cpu *cpu = (const struct cpu *)backend;
    memcpy(values, cpu->planes.values + (size_t)first * D_CODES, (size_t)count * D_CODES);
    return 0;
}

// ---- opening ----

static void cpu_close(struct dobutsu_backend *backend)
{
    struct cpu *cpu = (struct cpu *)backend;
    memory_unmap(cpu->planes.open, CELLS * sizeof(lanes_t));
    memory_unmap(cpu->planes.not_won, CELLS * sizeof(lanes_t));
    memory_unmap(cpu->planes.lost, CELLS * sizeof(lanes_t));
    memory_unmap(cpu->planes.values, (size_t)CELLS * D_CODES);
    memory_unmap(cpu->planes.fresh, CELLS);
    memory_unmap(cpu->marks[0], CELLS);
    memory_unmap(cpu->marks[1], CELLS);
    free(cpu);
}

static const char *cpu_describe(struct dobutsu_backend *backend)
{
    return ((struct cpu *)backend)->description;
}

static const struct dobutsu_backend_ops cpu_ops = {
    .close = cpu_close,
    .describe = cpu_describe,
    .classes = cpu_classes,
    .round = cpu_round,
    .read = cpu_read,
};

int dobutsu_cpu_open(struct dobutsu_backend **backend, struct thread_pool *pool, const char *isa)
{
    *backend = NULL;
    const struct dobutsu_kernels *kernels = choose(isa);
    if (kernels == NULL)
        return error_set(CLTB_E_DEVICE, "this processor or build has no '%s' kernels", isa);
    struct cpu *cpu = calloc(1, sizeof *cpu);
    if (cpu == NULL)
        return error_memory(sizeof *cpu, "the CPU backend");
    cpu->base.ops = &cpu_ops;
    cpu->kernels = kernels;
    cpu->tables = dobutsu_tables();
    cpu->pool = pool;
    cpu->planes.open = memory_map(CELLS * sizeof(lanes_t));
    cpu->planes.not_won = memory_map(CELLS * sizeof(lanes_t));
    cpu->planes.lost = memory_map(CELLS * sizeof(lanes_t));
    cpu->planes.values = memory_map((size_t)CELLS * D_CODES);
    cpu->planes.fresh = memory_map(CELLS);
    cpu->marks[0] = memory_map(CELLS);
    cpu->marks[1] = memory_map(CELLS);
    if (cpu->planes.open == NULL || cpu->planes.not_won == NULL || cpu->planes.lost == NULL ||
        cpu->planes.values == NULL || cpu->planes.fresh == NULL || cpu->marks[0] == NULL || cpu->marks[1] == NULL) {
        cpu_close(&cpu->base);
        return error_memory((size_t)dobutsu_solver_memory(), "the planes and values of dobutsu shogi");
    }
    snprintf(cpu->description, sizeof cpu->description, "CPU: %s, %d thread%s", kernels->name, threads_count(pool),
             threads_count(pool) == 1 ? "" : "s");
    *backend = &cpu->base;
    return 0;
}
