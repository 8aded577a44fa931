// solved_slabs.h - the outcomes of slices that were solved together, kept as slabs that moves from other slices lead to
#ifndef CLTB_SOLVE_SOLVED_SLABS_H
#define CLTB_SOLVE_SOLVED_SLABS_H

#include "disk/paged.h"
#include "solve/slabs.h"

struct solved_slabs {
    bool cursed[COLOURS];
    // The slabs of all slices, consecutively in each array. Equal planes share an array: if no win or loss comes too
    // late for the 50-move rule, the planes without it are those with it.
    struct paged_array *array[COLOURS][SLAB_PLANES];
};

struct solved_slabs_options {
    bool stalemate; // stalemates are kept
    bool codes;     // codes of distances to mate are kept
    bool release;   // planes of the solution are given back as soon as they have been kept
};

// Keeps the outcomes of one side to move of the solution's first `slices` slices. The arrays are open afterwards
// (disk/paged.h), even after an error.
int solved_slabs_keep(struct solved_slabs *slabs, struct paged *paged, struct solution *solution, int side,
                      size_t slices, const struct solved_slabs_options *options);

// Makes an array for one plane, which is open.
int solved_slabs_new(struct solved_slabs *slabs, struct paged *paged, int side, enum slab_plane plane, size_t words,
                     uint64_t **start);

// Makes the missing planes without the 50-move rule the same as those with it.
void solved_slabs_share(struct solved_slabs *slabs);

// Is this plane's array also the array of an earlier plane?
bool solved_slabs_twice(const struct solved_slabs *slabs, int side, int plane);

// Calls close(), which is paged_put() or paged_free(), once for each array.
void solved_slabs_each(const struct solved_slabs *slabs, void (*close)(struct paged_array *array));

// Makes a view of the slab that begins at word `at` of each array. The memory still belongs to the arrays.
void solved_slabs_view(const struct solved_slabs *slabs, int side, size_t at, struct slab *slab);

// ---- all that is kept ----

// Slices that were solved together.
struct solved_group {
    int level;   // how far their pawns have advanced
    int longest; // distance to mate
    struct solved_slabs slabs;
    struct solved_group *next;
};

struct solved_groups {
    struct solved_group *group;
    struct solved_views *views; // slabs that the moves of some batches refer to
};

int solved_groups_add(struct solved_groups *groups, int level, struct solved_group **group);

// Frees the groups whose level is greater.
void solved_groups_forget(struct solved_groups *groups, int level);

// Makes a view of a group's slab, which lasts until solved_groups_clear().
int solved_groups_view(struct solved_groups *groups, const struct solved_group *group, int side, size_t at,
                       bool mirrored, const struct slab **slab);
void solved_groups_clear(struct solved_groups *groups);

#endif
