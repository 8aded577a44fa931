// share.c - makes the tables of a plan, several at the same time
//
// Each worker is a thread that makes one table at a time, on a device of its own or with its part of the processors:
//
//     1. It looks at the tables that nobody has begun, whose futurebases are there, and which fit in memory beside
//        those in work. It takes the first of these in the graph's order: the one for which the most work waits.
//     2. If there is none, it waits until a table is made, and others may use its processor. A table that takes all
//        memory is made alone.
//        With a limit of disk it takes the first in the plan's order for which there is room.
//     3. After an error no table is begun, and those in work stop at their next event.
//
// Example: for KQvKR two workers begin KQvK and KRvK, and the first one to finish makes KQvKR.
#include "make/share.h"

#include "make/graph.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct share {
    pthread_mutex_t lock;   // of all fields below except the events
    pthread_cond_t changed; // a table has been made, or an error has occurred
    pthread_mutex_t events;
    struct plan_graph graph;
    uint8_t *state;        // [plan->count] enum share_state
    struct worker *worker; // [workers]
    int workers;
    struct processors *processors;
    uint64_t memory;
    uint64_t taken; // of this memory
    size_t in_work;
    size_t begun;
    double seconds; // planned, for the tables made
    int code;       // of the first error
    char error[1024];
    int (*event)(void *context, const struct build_event *event);
    void *context;
    int (*room)(void *context, const uint8_t *state, size_t place); // NULL: there is enough
    void *room_context;
};

struct worker {
    struct share *share;
    void *context;
    int (*make)(void *worker, const struct share_turn *turn);
    pthread_t thread;
    size_t number;  // of its table; 0: none
    double seconds; // planned, for the part of that table that is done
};

int share_open(struct share **result, const struct plan *plan, uint64_t memory, struct processors *processors,
               int (*event)(void *context, const struct build_event *event), void *context)
{
    struct share *share;
    TRY(memory_new(&share, 1, sizeof *share, "a plan"));
    *result = share;
    pthread_mutex_init(&share->lock, NULL);
    pthread_mutex_init(&share->events, NULL);
    pthread_cond_init(&share->changed, NULL);
    share->memory = memory;
    share->processors = processors;
    share->event = event;
    share->context = context;
    int code = plan_graph_make(&share->graph, plan);
    THEN(code, memory_new(&share->state, plan->count + 1, 1, "a plan"));
    for (size_t i = 0; code == 0 && i < plan->count; i++)
        share->state[i] = plan->table[i].state == PLAN_PRESENT ? SHARE_MADE : SHARE_WAITS;
    if (code != 0)
        share_close(share);
    return code;
}

void share_close(struct share *share)
{
    plan_graph_free(&share->graph);
    pthread_cond_destroy(&share->changed);
    pthread_mutex_destroy(&share->events);
    pthread_mutex_destroy(&share->lock);
    free(share->state);
    free(share);
}

static void note_error(struct share *share, int code)
{
    if (code == 0 || share->code != 0)
        return;
    share->code = code;
    snprintf(share->error, sizeof share->error, "%s", error_text());
}

void share_in_order(struct share *share, int (*room)(void *context, const uint8_t *state, size_t place), void *context)
{
    const struct plan *plan = share->graph.plan;
    size_t count = 0;
    share->room = room;
    share->room_context = context;
    for (size_t i = 0; i < plan->count; i++)
        if (share->state[i] == SHARE_WAITS)
            share->graph.order[count++] = i;
}

// Is there room on the disk for a table, or with plan->count for those in work? Notes an error.
static bool has_room(struct share *share, size_t table)
{
    const int room = share->room != NULL ? share->room(share->room_context, share->state, table) : 1;
    note_error(share, room < 0 ? room : 0);
    return room > 0;
}

// Waits for a table that can be begun; false: there are no more.
static bool next_table(struct share *share, size_t *table)
{
    const struct plan *plan = share->graph.plan;
    while (share->code == 0 && share->begun < plan->to_make) {
        for (size_t i = 0; i < plan->to_make; i++) {
            *table = share->graph.order[i];
            const struct plan_node *node = &share->graph.node[*table];
            bool ready = share->state[*table] == SHARE_WAITS &&
                         (share->in_work == 0 || share->taken + plan->table[*table].memory <= share->memory);
            for (size_t j = 0; j < node->bases; j++)
                ready &= share->state[node->base[j]] == SHARE_MADE;
            if (ready && has_room(share, *table))
                return true;
            if (share->code != 0)
                return false;
        }
        pthread_cond_wait(&share->changed, &share->lock);
    }
    return false;
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct share *share = worker->share;
    size_t table;
    pthread_mutex_lock(&share->lock);
    while (next_table(share, &table)) {
        const struct plan_table *of = &share->graph.plan->table[table];
        const struct share_turn turn = {of, ++share->begun};
        share->state[table] = SHARE_IN_WORK;
        share->in_work++;
        share->taken += of->memory;
        worker->number = turn.number;
        processor_take_anyway(share->processors);
        pthread_mutex_unlock(&share->lock);
        const int code = worker->make(worker->context, &turn);
        pthread_mutex_lock(&share->lock);
        processor_give(share->processors);
        worker->number = 0;
        worker->seconds = 0;
        share->seconds += of->seconds;
        share->state[table] = SHARE_MADE;
        share->in_work--;
        share->taken -= of->memory;
        note_error(share, code);
        pthread_cond_broadcast(&share->changed);
    }
    pthread_mutex_unlock(&share->lock);
    return NULL;
}

int share_run(struct share *share, int workers, void *const *contexts,
              int (*make)(void *worker, const struct share_turn *turn))
{
    struct worker *worker;
    int started = 0;
    TRY(memory_new(&worker, (size_t)workers, sizeof *worker, "threads"));
    share->worker = worker;
    share->workers = workers;
    for (int i = 0; i < workers; i++)
        worker[i] = (struct worker){.share = share, .context = contexts[i], .make = make};
    for (; started < workers; started++) {
        if (pthread_create(&worker[started].thread, NULL, work, &worker[started]) != 0) {
            pthread_mutex_lock(&share->lock);
            note_error(share, error_set(CLTB_E_MEMORY, "cannot start a thread for each table in work"));
            pthread_mutex_unlock(&share->lock);
            break;
        }
    }
    while (started > 0)
        pthread_join(worker[--started].thread, NULL);
    free(worker);
    return share->code == 0 ? 0 : error_set(share->code, "%s", share->error);
}

// Adds what is known of the other tables. The one begun first is the foremost.
static void note_others(struct share *share, struct build_event *event)
{
    const double solving = event->planned_solve;
    event->planned_before = share->seconds;
    for (int i = 0; i < share->workers; i++) {
        struct worker *worker = &share->worker[i];
        if (worker->number == event->table) {
            if (event->kind == BUILD_PLY)
                worker->seconds = event->share * solving;
            if (event->kind == BUILD_WRITE)
                worker->seconds = solving + event->share * (event->planned - solving);
            continue;
        }
        event->planned_before += worker->seconds;
        event->behind |= worker->number > 0 && worker->number < event->table;
    }
}

int share_event(void *context, const struct build_event *event)
{
    struct share *share = context;
    struct build_event passed = *event;
    pthread_mutex_lock(&share->lock);
    int stop = share->code != 0;
    note_others(share, &passed);
    if (!stop && (event->kind == BUILD_PLY || event->kind == BUILD_WRITE))
        stop = !has_room(share, share->graph.plan->count);
    pthread_mutex_unlock(&share->lock);
    pthread_mutex_lock(&share->events);
    if (!stop && share->event != NULL)
        stop = share->event(share->context, &passed);
    pthread_mutex_unlock(&share->events);
    return stop;
}
