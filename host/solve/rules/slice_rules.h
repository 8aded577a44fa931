// slice_rules.h - batches of slices of restricted endgames: sets of squares, and moves with a worth by a rule
#ifndef CLTB_SOLVE_RULES_SLICE_RULES_H
#define CLTB_SOLVE_RULES_SLICE_RULES_H

#include "solve/slice_moves.h"

// slice_rules.zeroing: adds the rules to what slice_batch_zeroing() has set. Its captures and pawn moves then include
// moves that win or draw by a rule. The worth of external moves is known for each entry separately, with its ply;
// planes treat these moves as if they did not exist.
int slice_rules_zeroing(struct slice_batch *batch);

#endif
