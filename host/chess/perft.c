// perft.c - perft and divide; threads share the root's moves
#include "chess/perft.h"

#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <stdlib.h>

// A worker's own memory.
struct worker {
    struct position position;
    struct move_list list;
};

struct task {
    int depth;
    uint32_t moves[MOVES_MAX];
    uint64_t leaves[MOVES_MAX]; // below each root move
    struct worker *worker;      // [threads]
};

// Counts the leaves below the current position, depth >= 1; the list has room from `ply` on.
static int count_leaves(struct worker *w, int depth, int ply, uint64_t *leaves)
{
    const int count = move_list_generate(&w->list, &w->position, ply);
    if (count < 0)
        return count;
    if (depth == 1) {
        *leaves += (uint64_t)count;
        return 0;
    }
    for (int i = w->list.start[ply]; i < w->list.start[ply + 1]; i++) {
        TRY(position_make(&w->position, w->list.move[i]));
        TRY(count_leaves(w, depth - 1, ply + 1, leaves));
        position_undo(&w->position);
    }
    return 0;
}

static int count_root_move(void *context, uint64_t item, int worker)
{
    struct task *t = context;
    struct worker *w = &t->worker[worker];
    if (t->depth == 1) {
        t->leaves[item] = 1;
        return 0;
    }
    TRY(position_make(&w->position, t->moves[item]));
    TRY(count_leaves(w, t->depth - 1, 0, &t->leaves[item]));
    return position_undo(&w->position);
}

int perft_divide(const struct position *p, int depth, int threads, perft_visit *each, void *context, uint64_t *leaves)
{
    if (depth < 0 || depth > PERFT_DEPTH_MAX)
        return error_set(CLTB_E_USAGE, "perft: depth %d is not in 0..%d", depth, PERFT_DEPTH_MAX);
    *leaves = 1;
    if (depth == 0)
        return 0;
    struct thread_pool *pool = NULL;
    struct task t = {.depth = depth};
    const int count = moves_legal(p, t.moves);
    threads = threads < count ? threads : count;
    threads = threads > 1 ? threads : 1;
    TRY(threads_open(&pool, threads));
    int code = memory_new(&t.worker, (size_t)threads, sizeof *t.worker, "perft");
    if (code != 0)
        goto cleanup;
    for (int i = 0; i < threads; i++) {
        position_copy(&t.worker[i].position, p);
        position_forget(&t.worker[i].position);
    }
    code = threads_each(pool, (uint64_t)count, count_root_move, &t);
    *leaves = 0;
    for (int i = 0; code == 0 && i < count; i++)
        *leaves += t.leaves[i];
    for (int i = 0; code == 0 && each != NULL && i < count; i++)
        code = each(context, p, t.moves[i], t.leaves[i]);
cleanup:
    threads_close(pool);
    free(t.worker);
    return code;
}
