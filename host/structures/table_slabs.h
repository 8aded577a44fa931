// table_slabs.h - the slabs of structures that tables cover
//
// These slabs do not depend on which side wins bounded structures, so they are kept through all runs, efforts and
// rounds.
//
// After a promotion the slab has the new piece as a fixed man, because it stands on one square. If the other side then
// takes a man, the promoted man's side is to move, and captures by fixed pieces must be counted, because the stored
// outcome need not be the true one if a capture resolves the position. They are counted here. slab_make.c would instead
// pick the slab out of one that has the piece on every square, for which it would read 64 times as many outcomes.
#ifndef CLTB_STRUCTURES_TABLE_SLABS_H
#define CLTB_STRUCTURES_TABLE_SLABS_H

#include "futurebase/stored_slabs.h"
#include "solve/slabs.h"

struct table_slabs {
    struct stored_slabs stored;
    struct slab_source tables; // the stored outcomes
    struct slab_source source; // the same, completed with the captures by fixed pieces
    struct slabs *slabs;
    size_t kept;      // bytes of slabs
    uint64_t entries; // the number of entries read from tables so far
};

// The bytes of slabs of tables, and of decompressed sections of tables, that are kept if `allowed` bytes of memory are
// (0: no limit).
size_t table_slabs_kept(uint64_t allowed);

// `slabs` must not move while it is open. `folders`, `pool` and `isa`: as in struct structure_options. `kept`: bytes of
// slabs that are kept, and of decompressed sections.
int table_slabs_open(struct table_slabs *slabs, const char *folders, struct paged *paged, struct thread_pool *pool,
                     const char *isa, size_t kept);
void table_slabs_close(struct table_slabs *slabs);

// Asks for a slab that has more men than the two kings. There must be tables of its material and of all materials that
// captures lead to. table_slabs_make() fills the slab, which stays valid until table_slabs_trim().
int table_slabs_want(struct table_slabs *slabs, const struct slab_shape *shape, const uint8_t *square, int side,
                     const struct slab **slab);
int table_slabs_make(struct table_slabs *slabs);
void table_slabs_trim(struct table_slabs *slabs);

#endif
