// background.c - packs sub-tables beside other work
#include "syzygy/write/background.h"

#include "syzygy/write/symbols.h"
#include "util/behind.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdatomic.h>
#include <stdlib.h>

struct job {
    struct behind behind;     // beside the jobs of the caller's pool
    struct thread_pool *pool; // has only the job's own thread, and says whether to stop
    uint8_t *values;          // [background->values]
    uint8_t *scratch;
    struct syzygy_values task;
    struct syzygy_packed *packed;
};

struct background {
    _Atomic bool stopping;
    struct thread_pool *beside; // the pool whose jobs run at the same time
    uint64_t values;
    uint64_t scratch; // bytes
    int jobs;
    int next; // the job whose memory was handed out
    struct job job[];
};

static int stop(void *context)
{
    const struct background *background = context;
    return atomic_load(&background->stopping) ? error_set(CLTB_E_INTERRUPTED, "interrupted while writing") : 0;
}

// Bytes for symbols, of which there are less than half as many as values, and for counts of pairs.
static uint64_t scratch_bytes(uint64_t values)
{
    return values + COUNTS_BYTES;
}

uint64_t background_bytes(uint64_t values)
{
    return values + scratch_bytes(values);
}

int background_open(struct background **result, struct thread_pool *pool, int jobs, uint64_t values)
{
    struct background *background;
    TRY(memory_new(result, 1, sizeof *background + (size_t)jobs * sizeof(struct job), "threads"));
    background = *result;
    background->beside = pool;
    background->values = values;
    background->scratch = scratch_bytes(values);
    for (int i = 0; i < jobs; i++) {
        struct job *job = &background->job[background->jobs++];
        job->behind.pool = pool;
        TRY(threads_open(&job->pool, 1));
        threads_watch(job->pool, stop, background);
        job->values = memory_map(values);
        job->scratch = memory_map(background->scratch);
        if (job->values == NULL || job->scratch == NULL)
            return error_memory(background_bytes(values), "a sub-table of a Syzygy file");
    }
    return 0;
}

void background_close(struct background *background)
{
    if (background == NULL)
        return;
    atomic_store(&background->stopping, true);
    for (int i = 0; i < background->jobs; i++) {
        struct job *job = &background->job[i];
        behind_wait(&job->behind);
        memory_unmap(job->values, background->values);
        memory_unmap(job->scratch, background->scratch);
        threads_close(job->pool);
    }
    free(background);
}

uint8_t *background_values(struct background *background)
{
    if (background == NULL)
        return NULL;
    for (int i = 0; i < background->jobs; i++) {
        struct job *job = &background->job[i];
        if (!behind_idle(&job->behind))
            continue;
        behind_wait(&job->behind);
        if (!threads_begin_beside(background->beside))
            return NULL;
        background->next = i;
        return job->values;
    }
    return NULL;
}

static int pack(void *context)
{
    const struct job *job = context;
    return syzygy_pack(job->packed, &job->task, job->pool);
}

int background_pack(struct background *background, struct syzygy_packed *packed, uint64_t count, bool wdl, bool go_on)
{
    struct job *job = &background->job[background->next];
    job->packed = packed;
    job->task = (struct syzygy_values){.values = job->values,
                                       .count = count,
                                       .wdl = wdl,
                                       .go_on = go_on,
                                       .scratch = job->scratch,
                                       .scratch_bytes = background->scratch};
    behind_begin(&job->behind, pack, job);
    return 0;
}

int background_wait(struct background *background)
{
    int code = 0;
    for (int i = 0; background != NULL && i < background->jobs; i++) {
        const int one = behind_wait(&background->job[i].behind);
        code = code == 0 ? one : code;
    }
    return code;
}
