// slabs.h - the slabs that zeroing moves lead to: worked out from stored tables when wanted, kept while in use
//
// A stored outcome is not the whole truth where a capture decides (store/table.h). So every slab is completed by the
// captures of its side to move, which lead to slabs with one man less: down to bare kings. Many slabs are wanted at once
// and made in batches.
#ifndef CLTB_SOLVER_SLABS_H
#define CLTB_SOLVER_SLABS_H

#include "solver/slab.h"
#include "solver/zeroing.h"
#include "util/threads.h"

// One slab for one side to move, complete. [0] under the 50-move rule, [1] without it; both the same array where that makes no
// difference.
struct slab {
    const uint64_t *illegal;   // no position: overlaps, or the other king is en prise
    const uint64_t *won[2];    // wins; also illegal entries
    const uint64_t *lost[2];   // losses
    const uint64_t *stalemate; // NULL: not known (of slices of the endgame that is being solved only)
    bool cursed;               // [0] and [1] differ
};

struct slabs;

int slabs_open(struct slabs **slabs, const struct slab_source *source, struct thread_pool *pool, const char *isa);
void slabs_close(struct slabs *slabs);

// Asks for a slab: `square` has the fixed men's squares (0..63) in the shape's order. The contents of *slab are there after
// slabs_make(). The order of the pieces is kept, the fixed men may come in any order.
int slabs_want(struct slabs *slabs, const struct slab_shape *shape, const uint8_t *square, int side,
               const struct slab **slab);

// Bytes of the slabs that are wanted and not there yet, without what these want in turn.
size_t slabs_pending(const struct slabs *slabs);

// Makes all slabs that are wanted and not there yet.
int slabs_make(struct slabs *slabs);

// Forgets slabs that have not been wanted since the last call if they take more than `bytes`. Pointers from before the last call
// are not valid any more.
void slabs_trim(struct slabs *slabs, size_t bytes);

// Words of 64 bits in a slab of that many pieces.
static inline size_t slab_words(int pieces)
{
    return ((size_t)1 << 6 * pieces) / 64;
}

// to = from with the files mirrored.
void slab_mirror(uint64_t *to, const uint64_t *from, int pieces);

#endif
