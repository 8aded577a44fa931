// perft.c - perft and divide; threads take root moves from a common counter
#include "chess/perft.h"

#include "util/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct task {
    const struct position *root;
    int depth;
    int count;
    uint32_t moves[MOVES_MAX];
    uint64_t leaves[MOVES_MAX]; // of each root move
    atomic_int next;            // the first root move that nobody has taken
    atomic_int status;          // the first fault, or 0
};

// A worker's own memory.
struct worker {
    struct position position;
    struct move_list list;
};

// Leaves below the present position; the moves of `ply` and beyond in the list are free. `depth` >= 1.
static int count_leaves(struct worker *w, int depth, int ply, uint64_t *leaves)
{
    int count = move_list_generate(&w->list, &w->position, ply);
    if (count < 0)
        return count;
    if (depth == 1) {
        *leaves += (uint64_t)count;
        return 0;
    }
    for (int i = w->list.start[ply]; i < w->list.start[ply + 1]; i++) {
        int status = position_make(&w->position, w->list.move[i]);
        if (status == 0)
            status = count_leaves(w, depth - 1, ply + 1, leaves);
        if (status != 0)
            return status;
        position_undo(&w->position);
    }
    return 0;
}

static int count_root_move(struct task *t, struct worker *w, int i)
{
    if (t->depth == 1) {
        t->leaves[i] = 1;
        return 0;
    }
    int status = position_make(&w->position, t->moves[i]);
    if (status == 0)
        status = count_leaves(w, t->depth - 1, 0, &t->leaves[i]);
    if (status == 0)
        status = position_undo(&w->position);
    return status;
}

static void *work(void *argument)
{
    struct task *t = argument;
    struct worker *w = malloc(sizeof *w);
    if (w == NULL) {
        atomic_store(&t->status, CLTB_E_MEMORY);
        return NULL;
    }
    position_copy(&w->position, t->root);
    position_forget(&w->position);
    move_list_init(&w->list);
    for (int i; (i = atomic_fetch_add(&t->next, 1)) < t->count && atomic_load(&t->status) == 0;) {
        int status = count_root_move(t, w, i);
        if (status != 0)
            atomic_store(&t->status, status);
    }
    free(w);
    return NULL;
}

enum { THREADS_MAX = 256 };

// The caller works too, so a thread that cannot be started is no fault.
static void work_together(struct task *t, int threads)
{
    pthread_t id[THREADS_MAX];
    int started = 0;
    int wanted = threads - 1 < THREADS_MAX ? threads - 1 : THREADS_MAX;
    while (started < wanted && pthread_create(&id[started], NULL, work, t) == 0)
        started++;
    work(t);
    for (int i = 0; i < started; i++)
        pthread_join(id[i], NULL);
}

int perft_divide(const struct position *p, int depth, int threads, perft_visit *each, void *context, uint64_t *leaves)
{
    if (depth < 0 || depth > PERFT_DEPTH_MAX)
        return error_set(CLTB_E_USAGE, "perft: depth %d is not in 0..%d", depth, PERFT_DEPTH_MAX);
    *leaves = 1;
    if (depth == 0)
        return 0;
    struct task *t = calloc(1, sizeof *t);
    if (t == NULL)
        return error_memory(sizeof *t, "perft");
    t->root = p;
    t->depth = depth;
    t->count = moves_legal(p, t->moves);
    work_together(t, threads < t->count ? threads : t->count);
    int status = atomic_load(&t->status);
    if (status == CLTB_E_MEMORY)
        error_memory(sizeof(struct worker), "perft");
    *leaves = 0;
    for (int i = 0; status == 0 && i < t->count; i++)
        *leaves += t->leaves[i];
    for (int i = 0; status == 0 && each != NULL && i < t->count; i++)
        status = each(context, p, t->moves[i], t->leaves[i]);
    free(t);
    return status;
}

int perft(const struct position *p, int depth, int threads, uint64_t *leaves)
{
    return perft_divide(p, depth, threads, NULL, NULL, leaves);
}
