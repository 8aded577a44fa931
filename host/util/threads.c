// threads.c - a pool of threads that share out the numbers 0..count-1
//
// Workers sleep on a condition, after a moment of waiting awake, until a job wants some; items are handed out by an
// atomic counter. The job's fields are written under the lock before it wants workers and stay until all that came have
// reported back. The caller, worker 0, does not wait for workers that are still asleep when the last item is handed
// out: the job no longer wants them. The caller alone asks whether to stop.
#include "util/threads.h"

#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/os.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct worker {
    struct thread_pool *pool;
    int number;
    pthread_t thread;
    double cpu; // seconds of processor time until the end of its last job
};

struct thread_pool {
    pthread_mutex_t lock;
    pthread_cond_t start;
    pthread_cond_t done;
    _Atomic int wanted; // workers that the current job still lacks
    _Atomic int busy;   // workers that have joined the job and not reported back
    _Atomic bool stopping;
    int threads; // workers, the caller included
    uint64_t count;
    int (*work)(void *context, uint64_t item, int worker);
    void *context;
    _Atomic uint64_t next;
    _Atomic int code;           // first non-zero result
    char sentence[1024];        // its error
    int (*stop)(void *context); // called by the caller's thread; NULL: no such function
    void *stop_context;         //
    double asked;               // wall time of the last call
    struct memory_pool *memory;
    struct processors *processors; // NULL: its own
    double cpu;                    // of work beside the pool's jobs
    struct worker worker[];        // [threads]; number 0 is the caller
};

// False: none is idle.
static bool processor_take(struct processors *processors)
{
    int idle = atomic_load(&processors->idle);
    while (idle > 0)
        if (atomic_compare_exchange_weak(&processors->idle, &idle, idle - 1))
            return true;
    return false;
}

void processor_take_anyway(struct processors *processors)
{
    atomic_fetch_sub(&processors->idle, 1);
}

void processor_give(struct processors *processors)
{
    atomic_fetch_add(&processors->idle, 1);
}

// Gives a processor back if too few are left.
static bool make_way(struct processors *processors)
{
    int idle = atomic_load_explicit(&processors->idle, memory_order_relaxed);
    while (idle < 0)
        if (atomic_compare_exchange_weak(&processors->idle, &idle, idle + 1))
            return true;
    return false;
}

static int ask(struct thread_pool *pool)
{
    static const double seconds = 0.05;
    if (pool->stop == NULL || wall_seconds() - pool->asked < seconds)
        return 0;
    const int code = pool->stop(pool->stop_context);
    pool->asked = wall_seconds();
    return code;
}

// Works on items. True: the worker has given its processor back and leaves the job.
static bool share(struct thread_pool *pool, int worker)
{
    while (atomic_load_explicit(&pool->code, memory_order_relaxed) == 0) {
        if (worker > 0 && pool->processors != NULL && make_way(pool->processors))
            return true;
        uint64_t item = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (item >= pool->count)
            break;
        int code = worker == 0 ? ask(pool) : 0;
        THEN(code, pool->work(pool->context, item, worker));
        if (code == 0)
            continue;
        int none = 0;
        if (atomic_compare_exchange_strong(&pool->code, &none, code))
            snprintf(pool->sentence, sizeof pool->sentence, "%s", error_text());
    }
    return false;
}

// Waits a moment, awake and without the lock, until a number is zero or until it is not: to be put to sleep and woken
// takes longer than many jobs do. Building KRPvKR with two threads has 1 100 context switches instead of 11 000.
static void linger(struct thread_pool *pool, const _Atomic int *number, bool zero)
{
    static const double seconds = 50e-6;
    if (pool->processors != NULL) // other pools have a use for this one
        return;
    pthread_mutex_unlock(&pool->lock);
    const double end = wall_seconds() + seconds;
    while ((atomic_load(number) == 0) != zero && !pool->stopping && wall_seconds() < end)
        continue;
    pthread_mutex_lock(&pool->lock);
}

static void *run(void *argument)
{
    struct worker *self = argument;
    struct thread_pool *pool = self->pool;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        linger(pool, &pool->wanted, false);
        while (pool->wanted == 0 && !pool->stopping)
            pthread_cond_wait(&pool->start, &pool->lock);
        if (pool->stopping)
            break;
        pool->wanted--;
        pool->busy++;
        struct processors *processors = pool->processors;
        pthread_mutex_unlock(&pool->lock);
        if (!share(pool, self->number) && processors != NULL)
            processor_give(processors);
        const double cpu = processors != NULL ? thread_cpu_seconds() : 0;
        pthread_mutex_lock(&pool->lock);
        self->cpu = cpu;
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

int threads_open(struct thread_pool **result, int threads)
{
    *result = NULL;
    if (threads <= 0)
        threads = os_processors();
    size_t bytes = sizeof(struct thread_pool) + (size_t)threads * sizeof(struct worker);
    struct thread_pool *pool;
    TRY(memory_new(&pool, 1, bytes, "threads"));
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->memory = memory_pool_open();
    if (pool->memory == NULL) {
        threads_close(pool);
        return error_memory(bytes, "threads");
    }
    for (pool->threads = 1; pool->threads < threads; pool->threads++) {
        struct worker *worker = &pool->worker[pool->threads];
        *worker = (struct worker){.pool = pool, .number = pool->threads};
        int failed = pthread_create(&worker->thread, NULL, run, worker);
        if (failed != 0) {
            int number = pool->threads + 1;
            threads_close(pool);
            return error_errno(CLTB_E_MEMORY, failed, "cannot start thread %d of %d", number, threads);
        }
    }
    *result = pool;
    return 0;
}

void threads_close(struct thread_pool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 1; i < pool->threads; i++)
        pthread_join(pool->worker[i].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->start);
    pthread_mutex_destroy(&pool->lock);
    memory_pool_close(pool->memory);
    free(pool);
}

int threads_count(const struct thread_pool *pool)
{
    return pool == NULL ? 1 : pool->threads;
}

void threads_share_processors(struct thread_pool *pool, struct processors *processors)
{
    pthread_mutex_lock(&pool->lock);
    pool->processors = processors;
    pthread_mutex_unlock(&pool->lock);
}

bool threads_begin_beside(struct thread_pool *pool)
{
    return pool != NULL && (pool->processors == NULL || processor_take(pool->processors));
}

void threads_end_beside(struct thread_pool *pool, double cpu_seconds)
{
    if (pool->processors != NULL)
        processor_give(pool->processors);
    pthread_mutex_lock(&pool->lock);
    pool->cpu += cpu_seconds;
    pthread_mutex_unlock(&pool->lock);
}

double threads_cpu_seconds(struct thread_pool *pool)
{
    if (pool == NULL || pool->processors == NULL)
        return cpu_seconds();
    double seconds = thread_cpu_seconds();
    pthread_mutex_lock(&pool->lock);
    seconds += pool->cpu;
    for (int i = 1; i < pool->threads; i++)
        seconds += pool->worker[i].cpu;
    pthread_mutex_unlock(&pool->lock);
    return seconds;
}

struct memory_pool *threads_memory(struct thread_pool *pool)
{
    return pool->memory;
}

int threads_each(struct thread_pool *pool, uint64_t count, int (*work)(void *context, uint64_t item, int worker),
                 void *context)
{
    if (pool == NULL) {
        for (uint64_t item = 0; item < count; item++)
            TRY(work(context, item, 0));
        return 0;
    }
    TRY(ask(pool));
    if (count <= 1) // no worker needs to be woken
        return count == 0 ? 0 : work(context, 0, 0);
    int helpers = 0;
    while (helpers < pool->threads - 1 && (uint64_t)helpers + 1 < count &&
           (pool->processors == NULL || processor_take(pool->processors)))
        helpers++;
    pthread_mutex_lock(&pool->lock);
    pool->count = count;
    pool->work = work;
    pool->context = context;
    atomic_store(&pool->next, 0);
    atomic_store(&pool->code, 0);
    pool->wanted = helpers;
    for (int i = 0; i < helpers; i++)
        pthread_cond_signal(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    share(pool, 0);
    pthread_mutex_lock(&pool->lock);
    for (; pool->wanted > 0; pool->wanted--)
        if (pool->processors != NULL)
            processor_give(pool->processors);
    if (pool->busy > 0)
        linger(pool, &pool->busy, true);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    int code = atomic_load(&pool->code);
    return code == 0 ? 0 : error_set(code, "%s", pool->sentence);
}

void threads_watch(struct thread_pool *pool, int (*stop)(void *context), void *context)
{
    pool->stop = stop;
    pool->stop_context = context;
}

int threads_check(struct thread_pool *pool, int worker)
{
    if (pool == NULL)
        return 0;
    return worker == 0 ? ask(pool) : atomic_load_explicit(&pool->code, memory_order_relaxed);
}

double threads_share(struct thread_pool *pool)
{
    const uint64_t next = atomic_load_explicit(&pool->next, memory_order_relaxed);
    return pool->count == 0 || next >= pool->count ? 1 : (double)next / (double)pool->count;
}
