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
    void *array[3]; // planes, bits, flags
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
    u64_t (*kernel)(const struct dobutsu_planes *planes, u32_t first, u32_t count);
    const struct dobutsu_round *round; // used where `kernel` is NULL
    atomic_uint_fast64_t found;
};

static int work(void *context, uint64_t item, int worker)
{
    struct job *job = context;
    const struct cpu *cpu = job->cpu;
    const u32_t first = (u32_t)item * JOB_CELLS;
    const u32_t count = D_CELLS - first < JOB_CELLS ? D_CELLS - first : JOB_CELLS;
    (void)worker;
    atomic_fetch_add(&job->found, job->kernel != NULL ? job->kernel(&cpu->planes, first, count)
                                                      : cpu->kernels->round(&cpu->planes, job->round, first, count));
    return 0;
}

static int cpu_classes(struct dobutsu_backend *backend, uint64_t *won)
{
    const struct cpu *cpu = (const struct cpu *)backend;
    struct job job = {.cpu = cpu, .kernel = cpu->kernels->classes};
    TRY(threads_each(cpu->pool, JOBS, work, &job));
    *won = atomic_load(&job.found);
    return 0;
}

static int cpu_round(struct dobutsu_backend *backend, struct dobutsu_round *round)
{
    const struct cpu *cpu = (const struct cpu *)backend;
    struct job job = {.cpu = cpu, .round = round};
    memset(cpu->planes.fresh + (round->ply & 1) * D_FLAG_WORDS, 0, D_FLAG_WORDS * sizeof(u32_t));
    TRY(threads_each(cpu->pool, JOBS, work, &job));
    round->found = atomic_load(&job.found);
    return 0;
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
    memory_unmap(cpu->array[0], planes_bytes);
    memory_unmap(cpu->array[1], bits_bytes);
    memory_unmap(cpu->array[2], flags_bytes);
    memory_unmap(cpu->lists, cpu->lists_bytes);
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
    struct cpu *cpu;
    TRY(memory_new(&cpu, 1, sizeof *cpu, "the CPU backend"));
    cpu->base.ops = &cpu_ops;
    cpu->kernels = kernels;
    cpu->pool = pool;
    cpu->array[0] = memory_map(planes_bytes);
    cpu->array[1] = memory_map(bits_bytes);
    cpu->array[2] = memory_map(flags_bytes);
    int code = 0;
    if (cpu->array[0] == NULL || cpu->array[1] == NULL || cpu->array[2] == NULL) {
        code = error_memory((size_t)dobutsu_solver_memory(), "the planes and values of dobutsu shogi");
        goto failed;
    }
    // The first pass over the cells counts their moves; the second one makes the lists.
    cpu->planes = dobutsu_planes_in(dobutsu_tables(), cpu->array[0], cpu->array[1], cpu->array[2], NULL);
    struct job job = {.cpu = cpu, .kernel = kernels->moves};
    code = threads_each(pool, JOBS, work, &job);
    if (code != 0)
        goto failed;
    const u32_t length = dobutsu_lists_place(cpu->planes.counts, D_ACROSS, NULL);
    cpu->lists_bytes = (size_t)(D_STARTS + length + D_AHEAD) * sizeof(u32_t);
    cpu->lists = memory_map(cpu->lists_bytes);
    if (cpu->lists == NULL) {
        code = error_memory(cpu->lists_bytes, "the moves of dobutsu shogi");
        goto failed;
    }
    cpu->planes = dobutsu_planes_in(dobutsu_tables(), cpu->array[0], cpu->array[1], cpu->array[2], cpu->lists);
    dobutsu_lists_place(cpu->planes.counts, D_ACROSS, cpu->planes.starts);
    code = threads_each(pool, JOBS, work, &job);
    if (code != 0)
        goto failed;
    snprintf(cpu->description, sizeof cpu->description, "CPU: %s, %d thread%s", kernels->name, threads_count(pool),
             threads_count(pool) == 1 ? "" : "s");
    *backend = &cpu->base;
    return 0;
failed:
    cpu_close(&cpu->base);
    return code;
}
