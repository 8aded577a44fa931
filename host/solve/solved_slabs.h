// solved_slabs.h - the outcomes of slices that were solved together, kept as slabs that moves from other slices lead to
#ifndef CLTB_SOLVE_SOLVED_SLABS_H
#define CLTB_SOLVE_SOLVED_SLABS_H

#include "solve/slabs.h"

struct solved_slabs {
    bool cursed[COLOURS];
    // The slabs of all slices, consecutively in each array. Equal planes share an array: without wins or losses that
    // come too late for the 50-move rule.
    struct paged_array *array[COLOURS][SLAB_SOLVED_PLANES];
};

struct solved_slabs_options {
    bool stalemates; // stalemates are kept
    bool codes;      // codes of distances to mate are kept
    bool release;    // planes of the solution are given back as soon as they are kept
};

// Keeps the outcomes of one side to move of the solution's first `slices` slices. The arrays are then open
// (disk/paged.h), also after an error.
int solved_slabs_keep(struct solved_slabs *slabs, struct paged *paged, struct solution *solution, int side,
                      size_t slices, const struct solved_slabs_options *options);

// A new array for one plane, open.
int solved_slabs_new(struct solved_slabs *slabs, struct paged *paged, int side, enum slab_plane plane, size_t words,
                     uint64_t **start);

// Missing planes without the 50-move rule become those with it.
void solved_slabs_share(struct solved_slabs *slabs);

// Is this plane's array also that of an earlier plane?
bool solved_slabs_twice(const struct solved_slabs *slabs, int side, int plane);

// Calls close(), which is paged_put() or paged_free(), for each array once.
void solved_slabs_each(const struct solved_slabs *slabs, void (*close)(struct paged_array *array));

// A view of the slab that begins at word `at` of each array. The arrays keep its memory.
void solved_slabs_view(const struct solved_slabs *slabs, int side, size_t at, struct slab *slab);

#endif
