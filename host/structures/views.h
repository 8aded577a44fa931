// views.h - the slabs of solved and bounded structures to which the moves of one batch lead
//
// If the winner of a bounded structure is to move, no capture is better than the bound: the winner wins every position,
// or draws it with a bare king. So only the illegal entries of such a structure have to be found.
#ifndef CLTB_STRUCTURES_VIEWS_H
#define CLTB_STRUCTURES_VIEWS_H

#include "solve/slabs.h"
#include "structures/graph.h"

struct structure_view {
    struct slab slab;
    struct paged_array *picked; // the slab's planes, if the view owns them; NULL otherwise
    const struct slab *legal;   // for a bounded structure: the slab with its illegal entries
    bool won;                   // for a bounded structure: wins rather than draws
    int pieces;
    struct structure_view *next;
    struct structure_view *next_waiting; // the next view that waits for its illegal entries
};

struct structure_views {
    struct paged *paged;
    struct structure_view *first;
    struct structure_view *waiting;
    // [0]: planes of zeros, [1]: planes of ones, by the number of pieces; NULL: not made yet
    struct paged_array *uniform[2][LAYOUT_PIECES_MAX + 1];
};

// Adds a view with an empty slab.
int structure_views_new(struct structure_views *views, struct structure_view **view);

// Adds a view of a bounded structure, whose winner, `side`, is to move, and asks for its illegal entries. `won`: the
// winner wins rather than draws. structure_views_fill() fills in *slab.
int structure_views_bound(struct structure_views *views, struct slabs *slabs, const struct slab_shape *shape,
                          const uint8_t *square, int side, bool won, const struct slab **slab);

// The view's slab is first the whole structure, and then the part that has the shape, with fixed men on `square`.
int structure_views_pick(struct structure_views *views, struct structure_view *view, const struct structure_key *key,
                         const struct slab_shape *shape, const uint8_t *square, struct thread_pool *pool);

// Fills in the slabs of bounded structures whose illegal entries have been made.
int structure_views_fill(struct structure_views *views);

// Removes all views, after each batch. structure_views_close() also frees the planes of zeros and ones.
void structure_views_clear(struct structure_views *views);
void structure_views_close(struct structure_views *views);

#endif
