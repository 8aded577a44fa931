// cpu.c - dobutsu shogi on the processor
#include "dobutsu/frames.h"
#include "dobutsu/solve/cpu_kernels.h"
#include "dobutsu/solve/solve.h"
#include "solve/cpu/isa.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELLS = D_LIVE * D_LIONS,
    PLANE_BYTES = CELLS * (int)sizeof(lanes_t),
    FLAG_BYTES = CELLS / 8,
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
    size_t list_bytes;
    u8_t *marks[2]; // [CELLS], of even and odd rounds
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
    memset(job.cpu->planes.fresh[round->ply & 1], 0, FLAG_BYTES);
    TRY(threads_each(job.cpu->pool, JOBS, work, &job));
    round->found = atomic_load(&job.found);
    return 0;
}

static int cpu_read(struct dobutsu_backend *backend, uint32_t cell, uint64_t bits[8][4])
{
    const struct cpu *cpu = (const struct cpu *)backend;
    memcpy(bits, cpu->planes.bits + (size_t)cell * 8, 8 * sizeof(lanes_t));
    return 0;
}

// ---- lists of moves ----

static int list_work(void *context, uint64_t item, int worker)
{
    const struct cpu *cpu = context;
    const u32_t first = (u32_t)item * JOB_CELLS;
    (void)worker;
    cpu->kernels->moves(&cpu->planes, cpu->tables, first, CELLS - first < JOB_CELLS ? CELLS - first : JOB_CELLS);
    return 0;
}

static int make_lists(struct cpu *cpu)
{
    TRY(threads_each(cpu->pool, JOBS, list_work, cpu));
    const u32_t size = dobutsu_lists_place(cpu->planes.counts, D_ACROSS, cpu->planes.starts);
    cpu->list_bytes = (size_t)(size + D_AHEAD) * sizeof(u32_t);
    cpu->planes.moves = memory_map(cpu->list_bytes);
    if (cpu->planes.moves == NULL)
        return error_memory(cpu->list_bytes, "the moves of dobutsu shogi");
    return threads_each(cpu->pool, JOBS, list_work, cpu);
}

// ---- opening ----

static void cpu_close(struct dobutsu_backend *backend)
{
    struct cpu *cpu = (struct cpu *)backend;
    struct dobutsu_planes *planes = &cpu->planes;
    memory_unmap(planes->open, PLANE_BYTES);
    memory_unmap(planes->not_won, PLANE_BYTES);
    memory_unmap(planes->bits, 8 * PLANE_BYTES);
    memory_unmap(planes->counts, CELLS);
    memory_unmap(planes->starts, CELLS * sizeof(u32_t));
    memory_unmap(planes->moves, cpu->list_bytes);
    for (int parity = 0; parity < 2; parity++) {
        memory_unmap(planes->found[parity], PLANE_BYTES);
        memory_unmap(planes->fresh[parity], FLAG_BYTES);
        memory_unmap(cpu->marks[parity], CELLS);
    }
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

static int make_planes(struct cpu *cpu)
{
    struct dobutsu_planes *planes = &cpu->planes;
    bool made = true;
    planes->open = memory_map(PLANE_BYTES);
    planes->not_won = memory_map(PLANE_BYTES);
    planes->bits = memory_map(8 * PLANE_BYTES);
    planes->counts = memory_map(CELLS);
    planes->starts = memory_map(CELLS * sizeof(u32_t));
    for (int parity = 0; parity < 2; parity++) {
        planes->found[parity] = memory_map(PLANE_BYTES);
        planes->fresh[parity] = memory_map(FLAG_BYTES);
        cpu->marks[parity] = memory_map(CELLS);
        made = made && planes->found[parity] != NULL && planes->fresh[parity] != NULL && cpu->marks[parity] != NULL;
    }
    if (made && planes->open != NULL && planes->not_won != NULL && planes->bits != NULL && planes->counts != NULL &&
        planes->starts != NULL)
        return 0;
    return error_memory((size_t)dobutsu_solver_memory(), "the planes and values of dobutsu shogi");
}

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
    int code = make_planes(cpu);
    if (code == 0)
        code = make_lists(cpu);
    if (code != 0) {
        cpu_close(&cpu->base);
        return code;
    }
    snprintf(cpu->description, sizeof cpu->description, "CPU: %s, %d thread%s", kernels->name, threads_count(pool),
             threads_count(pool) == 1 ? "" : "s");
    *backend = &cpu->base;
    return 0;
}
