// views.h - slabs that the moves of one batch point to, of solved and of bounded structures
//
// Of a bounded structure with its winner to move only the illegal entries are to be found, because no capture is better
// than the bound: all entries are won, or drawn if the winner has a bare king.
#ifndef CLTB_STRUCTURES_VIEWS_H
#define CLTB_STRUCTURES_VIEWS_H

#include "solve/slabs.h"

struct structure_view {
    struct slab slab;
    struct paged_array *picked; // its planes, if they are its own
    const struct slab *legal;   // of a bound: the slab of which it gets the illegal entries
    bool won;                   // likewise
    int pieces;
    struct structure_view *next;
    struct structure_view *next_waiting; // for its illegal entries
};

struct structure_views {
    struct paged *paged;
    struct structure_view *first;
    struct structure_view *waiting;
    struct paged_array *uniform[2][LAYOUT_PIECES_MAX + 1]; // planes that are all 0, or all 1, by pieces; NULL: none yet
};

// A slab to be filled.
int structure_views_new(struct structure_views *views, struct structure_view **view);

// Wants the illegal entries of a bounded structure; `side`, the winner, is to move.
int structure_views_bound(struct structure_views *views, struct slabs *slabs, const struct slab_shape *shape,
                          const uint8_t *square, int side, bool won, const struct slab **slab);

// Fills the slabs of bounds whose illegal entries have been made.
int structure_views_fill(struct structure_views *views);

// Forgets all views after a batch; and the planes of bounds in the end.
void structure_views_clear(struct structure_views *views);
void structure_views_close(struct structure_views *views);

#endif
