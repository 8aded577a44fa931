// jobs.c - texts that take seconds or minutes to make
//
//     1. A request looks for its text in a list. One that is not there is appended to it.
//     2. The thread makes the first text of the list that is not made, and so on, and sleeps when all are.
//     3. At the end, the job under way is stopped by the thread pool's watch.
#include "serve/jobs.h"

#include "index/material.h"
#include "kind/kind.h"
#include "kind/sums.h"
#include "serve/text_stream.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <cltb/cltb.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum state { WAITING, MADE, FAILED };

struct job {
    struct job *next;
    char name[MATERIAL_NAME_MAX];
    enum state state;
    char *text; // or the error's sentence
    size_t size;
    int code;
};

struct jobs {
    const char *folders;
    struct thread_pool *pool;
    pthread_t thread;
    bool running;
    atomic_bool closing;
    atomic_int share; // of the current job, in 1/1000
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct job *first;
    const struct job *making; // NULL: none
};

static int watch(void *context)
{
    struct jobs *jobs = context;
    atomic_store(&jobs->share, (int)(1000 * threads_share(jobs->pool)));
    return atomic_load(&jobs->closing) ? error_set(CLTB_E_IO, "stopped") : 0;
}

static int write_text(struct jobs *jobs, const char *name, FILE *file)
{
    const struct stats_request stats = {.name = name,
                                        .folders = jobs->folders,
                                        .format = "json",
                                        .pool = jobs->pool,
                                        .zugzwangs = true,
                                        .file = file,
                                        .most = JOBS_ZUGZWANGS_MAX};
    return name[0] == '#' ? sums_write(file, jobs->folders, jobs->pool) : kind_of_name(name)->stats(&stats);
}

static void make(struct jobs *jobs, struct job *job)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = text_stream(&text, &size);
    int code = file == NULL ? error_memory(0, "a text") : write_text(jobs, job->name, file);
    if (file != NULL && fclose(file) != 0 && code == 0)
        code = error_memory(size, "a text");
    if (code != 0) {
        free(text);
        text = strdup(error_text());
    }
    pthread_mutex_lock(&jobs->lock);
    job->text = text;
    job->size = size;
    job->code = code;
    job->state = code == 0 ? MADE : FAILED;
    pthread_mutex_unlock(&jobs->lock);
}

static struct job *next_job(struct jobs *jobs)
{
    struct job *job = NULL;
    pthread_mutex_lock(&jobs->lock);
    while (!atomic_load(&jobs->closing)) {
        for (job = jobs->first; job != NULL && job->state != WAITING;)
            job = job->next;
        if (job != NULL)
            break;
        pthread_cond_wait(&jobs->more, &jobs->lock);
    }
    jobs->making = job;
    atomic_store(&jobs->share, 0);
    pthread_mutex_unlock(&jobs->lock);
    return atomic_load(&jobs->closing) ? NULL : job;
}

static void *run(void *context)
{
    struct jobs *jobs = context;
    struct job *job;
#ifdef __linux__
    (void)!nice(10); // On Linux this affects only this thread.
#endif
    while ((job = next_job(jobs)) != NULL)
        make(jobs, job);
    return NULL;
}

int jobs_open(struct jobs **opened, const char *folders)
{
    TRY(memory_new(opened, 1, sizeof **opened, "a thread"));
    struct jobs *jobs = *opened;
    jobs->folders = folders;
    pthread_mutex_init(&jobs->lock, NULL);
    pthread_cond_init(&jobs->more, NULL);
    TRY(threads_open(&jobs->pool, 1));
    threads_watch(jobs->pool, watch, jobs);
    jobs->running = pthread_create(&jobs->thread, NULL, run, jobs) == 0;
    return jobs->running ? 0 : error_set(CLTB_E_MEMORY, "no more threads");
}

void jobs_close(struct jobs *jobs)
{
    if (jobs == NULL)
        return;
    pthread_mutex_lock(&jobs->lock);
    atomic_store(&jobs->closing, true);
    pthread_cond_signal(&jobs->more);
    pthread_mutex_unlock(&jobs->lock);
    if (jobs->running)
        pthread_join(jobs->thread, NULL);
    for (struct job *next, *job = jobs->first; job != NULL; job = next) {
        next = job->next;
        free(job->text);
        free(job);
    }
    threads_close(jobs->pool);
    pthread_cond_destroy(&jobs->more);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}

// Removes a job that has failed; returns its error.
static int drop(struct job **at)
{
    struct job *job = *at;
    const int code = error_set(job->code, "%s", job->text != NULL ? job->text : "out of memory");
    *at = job->next;
    free(job->text);
    free(job);
    return code;
}

int jobs_text(struct jobs *jobs, const char *name, const char **text, size_t *size, double *share)
{
    int code = 0;
    *text = NULL;
    *share = 0;
    pthread_mutex_lock(&jobs->lock);
    struct job **at = &jobs->first;
    while (*at != NULL && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (*at == NULL) {
        code = memory_new(at, 1, sizeof **at, "a text");
        if (code == 0)
            snprintf((*at)->name, sizeof(*at)->name, "%s", name);
        pthread_cond_signal(&jobs->more);
    } else if ((*at)->state == FAILED) {
        code = drop(at);
    } else if ((*at)->state == MADE) {
        *text = (*at)->text;
        *size = (*at)->size;
    } else if (*at == jobs->making) {
        *share = atomic_load(&jobs->share) / 1000.0;
    }
    pthread_mutex_unlock(&jobs->lock);
    return code;
}
