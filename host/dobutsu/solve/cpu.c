// cpu.c - dobutsu shogi on the processor
#include "dobutsu/cells.h"
#include "dobutsu/solve/cpu_kernels.h"
#include "solve/cpu/isa.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    JOB_CELLS = 2 * D_LIONS * 76, // cells that a thread takes at a time: a few milliseconds
    JOBS = (D_CELLS + JOB_CELLS - 1) / JOB_CELLS
};

// The four arrays of struct dobutsu_planes.
static const size_t planes_bytes = (size_t)4 * D_CELLS * sizeof(lanes_t);
static const size_t bits_bytes = (size_t)8 * D_CELLS * sizeof(lanes_t);
static const size_t flags_bytes = (size_t)2 * D_FLAG_WORDS * sizeof(u32_t) + (size_t)3 * D_CELLS;

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
    struct thread_pool *pool;
    struct dobutsu_planes planes;
    char *arrays; // planes, bits, flags
    u32_t *lists;
    size_t lists_bytes;
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
    const struct cpu *cpu;
    dobutsu_kernel *kernel;
    const struct dobutsu_round *round;
    atomic_uint_fast64_t found;
};

static int work(void *context, uint64_t item, int worker)
{
    struct job *job = context;
    const u32_t first = (u32_t)item * JOB_CELLS;
    const u32_t count = D_CELLS - first < JOB_CELLS ? D_CELLS - first : JOB_CELLS;
    (void)worker;
    atomic_fetch_add(&job->found, job->kernel(&job->cpu->planes, job->round, first, count));
    return 0;
}

// *found: the sum of what the kernel returns.
static int run(const struct cpu *cpu, dobutsu_kernel *kernel, const struct dobutsu_round *round, uint64_t *found)
{
    struct job job = {.cpu = cpu, .kernel = kernel, .round = round};
    TRY(threads_each(cpu->pool, JOBS, work, &job));
    *found = atomic_load(&job.found);
    return 0;
}

static int cpu_classes(struct dobutsu_backend *backend, uint64_t *won)
{
    const struct cpu *cpu = (const struct cpu *)backend;
    return run(cpu, cpu->kernels->classes, NULL, won);
}

static int cpu_round(struct dobutsu_backend *backend, struct dobutsu_round *round)
{
    const struct cpu *cpu = (const struct cpu *)backend;
    memset(cpu->planes.fresh + (round->ply & 1) * D_FLAG_WORDS, 0, D_FLAG_WORDS * sizeof(u32_t));
    return run(cpu, cpu->kernels->round, round, &round->found);
}

static int cpu_read(struct dobutsu_backend *backend, uint32_t cell, uint64_t bits[8][4])
{
    const struct cpu *cpu = (const struct cpu *)backend;
    memcpy(bits, cpu->planes.bits + (size_t)cell * 8, 8 * sizeof(lanes_t));
    return 0;
}

// ---- opening ----

static void cpu_close(struct dobutsu_backend *backend)
{
    struct cpu *cpu = (struct cpu *)backend;
    memory_unmap(cpu->arrays, planes_bytes + bits_bytes + flags_bytes);
    memory_unmap(cpu->lists, cpu->lists_bytes);
    free(cpu);
}

static const struct dobutsu_backend_ops cpu_ops = {
    .close = cpu_close,
    .classes = cpu_classes,
    .round = cpu_round,
    .read = cpu_read,
};

static struct dobutsu_planes planes_of(const struct cpu *cpu)
{
    char *bits = cpu->arrays + planes_bytes;
    return dobutsu_planes_in(dobutsu_tables(), (lanes_t *)cpu->arrays, (lanes_t *)bits, (u32_t *)(bits + bits_bytes),
                             cpu->lists);
}

// The first pass over the cells counts their moves; the second one makes the lists.
static int make_lists(struct cpu *cpu)
{
    uint64_t none;
    cpu->planes = planes_of(cpu);
    TRY(run(cpu, cpu->kernels->moves, NULL, &none));
    const u32_t length = dobutsu_lists_place(cpu->planes.counts, D_ACROSS, NULL);
    cpu->lists_bytes = (size_t)(D_STARTS + length + D_AHEAD) * sizeof(u32_t);
    cpu->lists = memory_map(cpu->lists_bytes);
    if (cpu->lists == NULL)
        return error_memory(cpu->lists_bytes, "the moves of dobutsu shogi");
    cpu->planes = planes_of(cpu);
    dobutsu_lists_place(cpu->planes.counts, D_ACROSS, cpu->planes.starts);
    return run(cpu, cpu->kernels->moves, NULL, &none);
}

int dobutsu_cpu_open(struct dobutsu_backend **backend, struct thread_pool *pool, const char *isa)
{
    *backend = NULL;
    const struct dobutsu_kernels *kernels = choose(isa);
    if (kernels == NULL)
        return error_set(CLTB_E_DEVICE, "this processor or build has no '%s' kernels", isa);
    struct cpu *cpu;
    TRY(memory_new(&cpu, 1, sizeof *cpu, "the CPU backend"));
    cpu->base = (struct dobutsu_backend){&cpu_ops, cpu->description};
    cpu->kernels = kernels;
    cpu->pool = pool;
    cpu->arrays = memory_map(planes_bytes + bits_bytes + flags_bytes);
    int code = cpu->arrays == NULL
                   ? error_memory((size_t)dobutsu_solver_memory(), "the planes and values of dobutsu shogi")
                   : make_lists(cpu);
    if (code != 0) {
        cpu_close(&cpu->base);
        return code;
    }
    snprintf(cpu->description, sizeof cpu->description, "CPU: %s, %d thread%s", kernels->name, threads_count(pool),
             threads_count(pool) == 1 ? "" : "s");
    *backend = &cpu->base;
    return 0;
}
