// batches.h - solves a batch of slices: placements of men that stand still, each with all placements of the other men
//
// Tables with pawns (slices.h), restricted endgames and structures are all made of such batches.
#ifndef CLTB_SOLVE_BATCHES_H
#define CLTB_SOLVE_BATCHES_H

#include "solve/iteration.h"
#include "solve/slice_moves.h"

// Solves a batch whose moves are listed and whose slabs are made, on the backend that open() opens for its layout. The
// solution must be freed before the batch is closed, also after an error.
int batch_solve(struct slice_batch *batch, enum metric metric,
                int (*open)(void *context, const struct layout *layout, struct backend **backend), void *context,
                const struct solver_options *options, struct solution *solution);

#endif
