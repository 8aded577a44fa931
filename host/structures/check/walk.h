// walk.h - every position of solved structures
#ifndef CLTB_STRUCTURES_CHECK_WALK_H
#define CLTB_STRUCTURES_CHECK_WALK_H

#include "structures/file.h"
#include "util/threads.h"

// A legal position of a structure in a file. Identical pieces come in every order.
struct structure_place {
    size_t number;             // of the structure
    bool twice;                // it is stored twice
    struct position *position; // the visitor may change it, but must restore it
    bool first;                // of all orders of identical pieces, this is the one with rising squares
};

// Calls visit() for all positions; a worker gets runs of 4096 placements. Stops at the first nonzero result and returns
// it.
int structure_positions_each(const struct structure_file *file, struct thread_pool *pool,
                             int (*visit)(void *context, const struct structure_place *at, int worker), void *context);

#endif
