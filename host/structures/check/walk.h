// walk.h - every position of solved structures
#ifndef CLTB_STRUCTURES_CHECK_WALK_H
#define CLTB_STRUCTURES_CHECK_WALK_H

#include "structures/file.h"
#include "util/threads.h"

// A legal position of a structure of a file. Identical pieces come in every order.
struct structure_place {
    size_t number;             // of the structure
    bool twice;                // it is stored twice
    struct position *position; // may be changed, but must be as it was on return
    bool first;                // of the orders of identical pieces, the one in which their squares rise
};

// Calls visit() for all positions; a worker gets runs of 4096 placements. Stops at the first nonzero result.
int structure_positions_each(const struct structure_file *file, struct thread_pool *pool,
                             int (*visit)(void *context, const struct structure_place *at, int worker), void *context);

#endif
