// walk.h - every entry of a restricted endgame as men on squares, and which entries are the same position
//
// An entry (restricted/index.h) places the spec's men. Several entries may be one position: men of one colour and type
// may exchange squares on which both may stand, and the symmetric images of a position are one position for the index
// but several on the board.
#ifndef CLTB_RESTRICTED_CHECK_WALK_H
#define CLTB_RESTRICTED_CHECK_WALK_H

#include "restricted/index.h"
#include "util/threads.h"

// An entry whose men all stand on different squares.
struct restricted_entry {
    uint32_t slice; // kept
    uint64_t entry;
    uint8_t where[SPEC_MEN_MAX];
};

// Calls visit() for all entries, slice by slice; a worker gets runs of 32768 entries. Stops at the first nonzero
// result.
int restricted_each(const struct restricted_index *index, struct thread_pool *pool,
                    int (*visit)(void *context, const struct restricted_entry *at, int worker), void *context);

// The number of positions on the board that an entry stands for, legal or not: itself and its symmetric images; 0 if
// another entry stands for them.
unsigned restricted_weight(const struct restricted_index *index, const struct restricted_entry *at);

// Exchanges the squares of two men in `where` if they have the same colour and type and may both stand there. Pawns are
// never exchanged.
bool restricted_exchange(const struct restricted_index *index, int a, int b, uint8_t where[SPEC_MEN_MAX]);

#endif
