// table_slabs.h - the slabs of structures that tables cover
//
// They are the same whoever wins bounded structures, so they are kept through all runs, efforts and rounds.
//
// After a promotion the new piece, which stands on one square, is fixed in a slab. If the other side then takes a man,
// the promoted man's side is to move, and the captures by fixed pieces count, too: a stored outcome need not be the
// true one if a capture resolves the position. They are counted here. slab_make.c would make the slab as a part of one
// that has the piece on every square, for which 64 times as many outcomes are read.
#ifndef CLTB_STRUCTURES_TABLE_SLABS_H
#define CLTB_STRUCTURES_TABLE_SLABS_H

#include "futurebase/stored_slabs.h"
#include "solve/slabs.h"

struct table_slabs {
    struct stored_slabs stored;
    struct slab_source tables; // what is stored,
    struct slab_source source; // and that with the captures by fixed pieces
    struct slabs *slabs;
    uint64_t entries; // that have been taken from tables
};

// `slabs` must not move while it is open. `folders`, `pool` and `isa`: as in struct structure_options.
int table_slabs_open(struct table_slabs *slabs, const char *folders, struct paged *paged, struct thread_pool *pool,
                     const char *isa);
void table_slabs_close(struct table_slabs *slabs);

// Asks for a slab, of no bare kings. There must be tables of its material and of all that captures in it lead to. It is
// filled by table_slabs_make(), and stays until table_slabs_trim().
int table_slabs_want(struct table_slabs *slabs, const struct slab_shape *shape, const uint8_t *square, int side,
                     const struct slab **slab);
int table_slabs_make(struct table_slabs *slabs);
void table_slabs_trim(struct table_slabs *slabs);

#endif
