// threads.h - a pool of threads that share out the numbers 0..count-1
#ifndef CLTB_UTIL_THREADS_H
#define CLTB_UTIL_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct thread_pool;

// Processors that several pools share. The caller of a pool has one of them, which is taken whether one is idle or not.
// Other workers join a job only while there are idle processors, and leave it after an item if there are too few.
struct processors {
    _Atomic int idle; // negative: this many more are in use than exist
};
void processor_take_anyway(struct processors *processors);
void processor_give(struct processors *processors);

// A pool of `threads` workers, the caller of threads_each() included; 0: one for each processor that this process may
// use. CLTB_E_MEMORY if a thread cannot be started.
int threads_open(struct thread_pool **pool, int threads);
void threads_close(struct thread_pool *pool);
int threads_count(const struct thread_pool *pool); // 1 without a pool

// Makes the pool share processors with others from now on. NULL, as at first: all its workers take part in every job.
void threads_share_processors(struct thread_pool *pool, struct processors *processors);

// May another thread work beside the pool's jobs now? If so, it must report the end of that work, with the processor
// time that it took in seconds. Without a pool (NULL): no.
bool threads_begin_beside(struct thread_pool *pool);
void threads_end_beside(struct thread_pool *pool, double cpu_seconds);

// Processor time so far: of the pool's workers and of work beside its jobs, if the pool shares processors with others;
// otherwise of the process. `pool` may be NULL.
double threads_cpu_seconds(struct thread_pool *pool);

// Memory that jobs on this pool leave for the next ones (memory.h).
struct memory_pool *threads_memory(struct thread_pool *pool);

// Calls work(context, item, worker) once for each item < count, starting them in rising order, on all workers; worker
// is 0..threads-1. Stops handing out items after the first nonzero result and returns it, with its error sentence in
// this thread. Without a pool (NULL), this thread does all of them.
int threads_each(struct thread_pool *pool, uint64_t count, int (*work)(void *context, uint64_t item, int worker),
                 void *context);

// From now on the caller of threads_each() calls stop(context) some twenty times a second, before jobs and between
// items; a nonzero result ends the job, as an item's result does. NULL ends these calls.
void threads_watch(struct thread_pool *pool, int (*stop)(void *context), void *context);

// For long work: the result of stop() if `worker` is 0, which outside of jobs is the caller; otherwise whether the job
// is being stopped. 0 if `pool` is NULL.
int threads_check(struct thread_pool *pool, int worker);

// The share of the current job's items that have been started, for such a stop().
double threads_share(struct thread_pool *pool);

#endif
