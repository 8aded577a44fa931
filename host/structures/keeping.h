// keeping.h - solving structures whose pieces are kept to squares
//
// What a move leads to by which a piece leaves its squares is bounded: `winner` wins it, or it is a draw if he has no
// more than a king. For the quiet moves there is a rule; what a capture or a pawn move leads to is a slab, in which the
// entries outside have been won.
#ifndef CLTB_STRUCTURES_KEEPING_H
#define CLTB_STRUCTURES_KEEPING_H

#include "solve/slice_rules.h"
#include "structures/graph.h"

struct keeping {
    struct slice_rules rules; // without groups no piece is kept
    int winner;               // of what is bounded, and so of what leaves
    bool wins;                // he has more than a king
};

// Finds the pieces of a shape that are kept. The rules point to `keeping`, which must stay where it is.
void keeping_find(struct keeping *keeping, const struct structure_sets *sets, const struct slab_shape *shape,
                  int winner);

// The winner wins the entries outside, for those structures whose moves lead there.
int keeping_win_outside(const struct keeping *keeping, const struct zeroing *zeroing, struct solution *solution);

#endif
