// values.h - the values of solved slices in the order of a restricted endgame's index
#ifndef CLTB_RESTRICTED_MAKE_VALUES_H
#define CLTB_RESTRICTED_MAKE_VALUES_H

#include "restricted/make/frame.h"
#include "solve/solution.h"
#include "util/threads.h"

struct values_reading {
    const struct frame *frame;
    struct thread_pool *pool;
    size_t slices;                // of the batch
    uint32_t count;               // slices of the index
    const uint32_t *const *dense; // [count] the slices of the batch by combo
};

// Finds all values of a batch: to[side to move] is [count][slice_entries], with codes of restricted/value.h.
int restricted_values_find(const struct values_reading *reading, const struct solution *solution,
                           uint16_t *const to[COLOURS]);

#endif
