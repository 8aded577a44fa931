// cpu.c - restricted endgames on the processor: in every round the threads share out ranges of entries
#include "restricted/solve/rounds.h"

#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    // What a thread takes at a time: a millisecond if it looks at all of them. One thread does smaller slices alone.
    JOB_ENTRIES = 8192,
    MARK_SETS = 2 // of odd and even plies
};

struct cpu {
    struct restricted_backend base;
    const struct restricted_index *index;
    struct thread_pool *pool;
    const struct restricted_slice *slice; // that is being solved
    struct restricted_tables tables;      // of it
    // [slice_entries] by side to move. Marks left by an interrupted slice only cost a look at their entries.
    uint8_t *marks[MARK_SETS][COLOURS];
    char description[64];
};

// ---- rounds ----

// One side's part of a round.
struct job {
    struct cpu *cpu;
    int side;
    int ply;
    bool wake;
    atomic_uint_fast64_t found;
};

// The first marked entry from `first` on, or `end`.
static uint64_t find_mark(const uint8_t *marks, uint64_t first, uint64_t end)
{
    uint64_t eight = 0;
    for (; first + sizeof eight <= end; first += sizeof eight) {
        memcpy(&eight, marks + first, sizeof eight);
        if (eight != 0)
            break;
    }
    while (first < end && marks[first] == 0)
        first++;
    return first;
}

static int work(void *context, uint64_t item, int worker)
{
    struct job *job = context;
    struct cpu *cpu = job->cpu;
    const int side = job->side;
    uint16_t *own = cpu->slice->value[side];
    const uint16_t *other = cpu->slice->value[side ^ 1];
    const uint16_t *external = cpu->slice->external[side];
    uint8_t *visit = cpu->marks[job->ply & 1][side];
    uint8_t *marks = cpu->marks[~job->ply & 1][side ^ 1];
    const uint64_t entries = cpu->index->slice_entries;
    const uint64_t first = item * JOB_ENTRIES;
    const uint64_t end = entries - first < JOB_ENTRIES ? entries : first + JOB_ENTRIES;
    uint64_t found = 0;
    (void)worker;
    for (uint64_t entry = first; entry < end; entry++) {
        if (!job->wake && (entry = find_mark(visit, entry, end)) == end)
            break;
        if (visit[entry] == 0 && external[entry] / 2U != (unsigned)job->ply + 1)
            continue;
        visit[entry] = 0;
        found += restricted_round_entry(&cpu->tables, own, other, external, marks, (u32_t)side, (u32_t)job->ply,
                                        (u32_t)entry);
    }
    if (found > 0)
        atomic_fetch_add_explicit(&job->found, found, memory_order_relaxed);
    return 0;
}

static int cpu_round(void *context, int ply, const bool wake[COLOURS], uint64_t *found)
{
    struct cpu *cpu = context;
    const uint64_t jobs = (cpu->index->slice_entries + JOB_ENTRIES - 1) / JOB_ENTRIES;
    *found = 0;
    for (int side = WHITE; side <= BLACK; side++) {
        struct job job = {.cpu = cpu, .side = side, .ply = ply, .wake = wake[side]};
        if (jobs == 1)
            work(&job, 0, 0);
        else
            TRY(threads_each(cpu->pool, jobs, work, &job));
        *found += atomic_load(&job.found);
    }
    return 0;
}

static int cpu_solve(struct restricted_backend *backend, struct restricted_slice *slice, int (*stop)(void *context),
                     void *context)
{
    struct cpu *cpu = (struct cpu *)backend;
    cpu->slice = slice;
    restricted_tables_slice(&cpu->tables, cpu->index, slice->slice);
    return restricted_rounds(slice, cpu_round, cpu, stop, context);
}

// ---- opening ----

static void cpu_close(struct restricted_backend *backend)
{
    struct cpu *cpu = (struct cpu *)backend;
    for (int i = 0; i < MARK_SETS * COLOURS; i++)
        memory_unmap(cpu->marks[i / COLOURS][i % COLOURS], cpu->index->slice_entries);
    free(cpu);
}

static const struct restricted_backend_ops cpu_ops = {.close = cpu_close, .solve = cpu_solve};

int restricted_cpu_open(struct restricted_backend **backend, const struct restricted_index *index,
                        struct thread_pool *pool)
{
    *backend = NULL;
    struct cpu *cpu = calloc(1, sizeof *cpu);
    if (cpu == NULL)
        return error_memory(sizeof *cpu, "the CPU backend");
    cpu->base = (struct restricted_backend){&cpu_ops, cpu->description};
    cpu->index = index;
    cpu->pool = pool;
    restricted_tables_make(&cpu->tables, index);
    for (int i = 0; i < MARK_SETS * COLOURS; i++) {
        uint8_t **marks = &cpu->marks[i / COLOURS][i % COLOURS];
        *marks = memory_map(index->slice_entries);
        if (*marks == NULL) {
            cpu_close(&cpu->base);
            return error_memory(MARK_SETS * COLOURS * index->slice_entries, "the marks of a slice");
        }
    }
    snprintf(cpu->description, sizeof cpu->description, "CPU: %d thread%s", threads_count(pool),
             threads_count(pool) == 1 ? "" : "s");
    *backend = &cpu->base;
    return 0;
}
