// pick.h - the part of a structure in which some of its pieces stand on given squares
//
// After a promotion a slab has the new piece on one square, but the structure has it everywhere. The slab's part of the
// structure's planes is picked out word by word, because the kings' digits, which make a word, come last.
#ifndef CLTB_STRUCTURES_PICK_H
#define CLTB_STRUCTURES_PICK_H

#include "solve/slabs.h"
#include "structures/graph.h"

// `slab` is first the whole structure and then the part that has the shape, with fixed men on `square`. Its planes are
// in *picked, which belongs to the caller, even after an error (NULL: nothing).
int structure_pick(struct slab *slab, struct paged_array **picked, const struct structure_key *key,
                   const struct slab_shape *shape, const uint8_t *square, struct paged *paged,
                   struct thread_pool *pool);

#endif
