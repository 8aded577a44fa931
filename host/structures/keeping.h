// keeping.h - solving structures whose pieces are kept to squares
//
// If a piece leaves its squares by a move, the position after it is bounded: `winner` wins it, or it is a draw if
// `winner` has no more than a king. A rule decides quiet moves; captures and pawn moves lead to slabs in which the
// entries outside have been won.
#ifndef CLTB_STRUCTURES_KEEPING_H
#define CLTB_STRUCTURES_KEEPING_H

#include "solve/rules/slice_rules.h"
#include "structures/graph.h"

struct keeping {
    struct slice_rules rules; // without groups no piece is kept
    int winner;               // of bounded positions, and so of those after moves that leave
    bool wins;                // the winner has more than a king
};

// If all pawns stand still, because a pawn stands before each and none attacks another, and no king or piece can take
// one: finds the squares that the men can reach before a pawn takes a piece. Otherwise returns false. The sets are an
// assumption like those of --keep: whatever leaves them, en passant too, counts as unknown.
bool keeping_locked(const struct position *position, struct structure_sets *sets);

// Finds the pieces of a shape that are kept to squares. The rules point to `keeping`, which must not move.
void keeping_find(struct keeping *keeping, const struct structure_sets *sets, const struct slab_shape *shape,
                  int winner);

// Makes the winner win the entries outside, in the structures whose moves lead there.
int keeping_win_outside(const struct keeping *keeping, const struct zeroing *zeroing, struct solution *solution);

#endif
