// threads.c - a pool of threads that share out the numbers 0..count-1
//
// Workers sleep on a condition until a new job's number appears; items are handed out by an atomic counter. The job's
// fields are written under the lock before its number is raised and stay until every worker has reported back. The
// caller, who is worker 0, is also the only one that asks whether to stop.
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
};

struct thread_pool {
    pthread_mutex_t lock;
    pthread_cond_t start;
    pthread_cond_t done;
    uint64_t job; // number of the present job
    int busy;     // workers that have not reported back
    bool stopping;
    int threads; // workers, the caller included
    uint64_t count;
    int (*work)(void *context, uint64_t item, int worker);
    void *context;
    _Atomic uint64_t next;
    _Atomic int code;           // first non-zero result
    char sentence[1024];        // its error
    int (*stop)(void *context); // asked by the caller; NULL: nobody is
    void *stop_context;         //
    double asked;               // when, wall time
    struct memory_pool *memory;
    struct worker worker[]; // [threads]; number 0 is the caller
};

static int ask(struct thread_pool *pool)
{
    static const double seconds = 0.05;
    if (pool->stop == NULL || wall_seconds() - pool->asked < seconds)
        return 0;
    const int code = pool->stop(pool->stop_context);
    pool->asked = wall_seconds();
    return code;
}

static void share(struct thread_pool *pool, int worker)
{
    while (atomic_load_explicit(&pool->code, memory_order_relaxed) == 0) {
        uint64_t item = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (item >= pool->count)
            return;
        int code = worker == 0 ? ask(pool) : 0;
        if (code == 0)
            code = pool->work(pool->context, item, worker);
        if (code == 0)
            continue;
        int none = 0;
        if (atomic_compare_exchange_strong(&pool->code, &none, code))
            snprintf(pool->sentence, sizeof pool->sentence, "%s", error_text());
    }
}

static void *run(void *argument)
{
    struct worker *self = argument;
    struct thread_pool *pool = self->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->job == seen && !pool->stopping)
            pthread_cond_wait(&pool->start, &pool->lock);
        if (pool->stopping)
            break;
        seen = pool->job;
        pthread_mutex_unlock(&pool->lock);
        share(pool, self->number);
        pthread_mutex_lock(&pool->lock);
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
    struct thread_pool *pool = calloc(1, bytes);
    if (pool == NULL)
        return error_memory(bytes, "threads");
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
    return pool->threads;
}

struct memory_pool *threads_memory(struct thread_pool *pool)
{
    return pool->memory;
}

int threads_each(struct thread_pool *pool, uint64_t count, int (*work)(void *context, uint64_t item, int worker),
                 void *context)
{
    TRY(ask(pool));
    if (count <= 1) // no worker needs to wake
        return count == 0 ? 0 : work(context, 0, 0);
    pthread_mutex_lock(&pool->lock);
    pool->count = count;
    pool->work = work;
    pool->context = context;
    atomic_store(&pool->next, 0);
    atomic_store(&pool->code, 0);
    pool->busy = pool->threads - 1;
    pool->job++;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    share(pool, 0);
    pthread_mutex_lock(&pool->lock);
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
