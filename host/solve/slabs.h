// slabs.h - the slabs that zeroing moves lead to: worked out from stored tables when wanted, kept while in use
//
// A stored outcome is not the whole truth where a capture decides (table/table.h). So every slab is completed by the
// captures of its side to move, which lead to slabs with one man less: down to bare kings. Many slabs are wanted at once
// and made in batches.
#ifndef CLTB_SOLVE_SLABS_H
#define CLTB_SOLVE_SLABS_H

#include "disk/paged.h"
#include "solve/slab.h"
#include "solve/zeroing.h"
#include "util/threads.h"

enum slab_plane {
    SLAB_ILLEGAL, // no position: overlaps, or the other king is en prise
    SLAB_WON,     // wins under the 50-move rule; also illegal entries
    SLAB_LOST,
    SLAB_WON_EVER, // the same without that rule
    SLAB_LOST_EVER,
    SLAB_STALEMATE, // of slices of the endgame that is being solved only
    SLAB_PLANES
};

// Where a plane of a slab lies: slab_words() words from word `at` of an array on.
struct slab_place {
    struct paged_array *array; // NULL: not known
    size_t at;
};

// One slab for one side to move, complete. The planes without the 50-move rule are those with it where that makes no difference.
struct slab {
    struct slab_place place[SLAB_PLANES];
    bool cursed;   // it makes a difference
    bool mirrored; // what lies there is the mirror image
};

// One plane of a slab, in memory.
struct slab_bits {
    const uint64_t *words;     // [slab_words()]
    struct paged_array *array; // that is open, or NULL
    uint64_t *image;           // memory of its own, or NULL
};

int slab_bits_open(struct slab_bits *bits, const struct slab *slab, enum slab_plane plane, int pieces,
                   struct thread_pool *pool);
void slab_bits_close(struct slab_bits *bits, int pieces, struct thread_pool *pool);

struct slabs;

// Slabs lie in arrays of `paged`; both it and the pool must outlive them. `isa`: as for backend_cpu_open().
int slabs_open(struct slabs **slabs, const struct slab_source *source, struct paged *paged, struct thread_pool *pool,
               const char *isa);
void slabs_close(struct slabs *slabs);
struct paged *slabs_paged(const struct slabs *slabs);

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
