// behind.h - one piece of work at a time in a thread of its own, beside the jobs of a pool
#ifndef CLTB_UTIL_BEHIND_H
#define CLTB_UTIL_BEHIND_H

#include "util/threads.h"

#include <pthread.h>

// Zeroed at first, except for the pool.
struct behind {
    struct thread_pool *pool; // outlives the work
    pthread_t thread;
    bool running;      // not waited for yet
    _Atomic bool done; //
    int (*work)(void *context);
    void *context;
    int code;
    char sentence[1024]; // of the error
};

// Begins work(context), or does it if no thread can be started; threads_begin_beside() must have allowed it. The piece
// before has been waited for.
void behind_begin(struct behind *behind, int (*work)(void *context), void *context);

// Has what was begun ended well, or was nothing begun?
bool behind_idle(struct behind *behind);

// Waits for the work. Returns its result, with its sentence in this thread; 0 if there is none.
int behind_wait(struct behind *behind);

#endif
