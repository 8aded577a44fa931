// slice_rules.h - batches of slices of restricted endgames: sets of squares, and moves with a worth by a rule
#ifndef CLTB_SOLVE_SLICE_RULES_H
#define CLTB_SOLVE_SLICE_RULES_H

#include "solve/slice_moves.h"

// plane |= the entries in which a fixed piece of `side` other than a pawn attacks the enemy king.
int slice_batch_attacks(const struct slice_batch *batch, struct plane *plane, int side);

// Adds the rules to what slice_batch_zeroing() has set.
void slice_rules_zeroing(struct slice_batch *batch);

#endif
