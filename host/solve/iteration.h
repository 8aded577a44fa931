// iteration.h - the iteration on planes, for endgames with and without pawns
#ifndef CLTB_SOLVE_ITERATION_H
#define CLTB_SOLVE_ITERATION_H

#include "solve/solver.h"
#include "solve/zeroing.h"

// Solves what `backend` holds; `solution` holds planes of it until solution_free().
int iteration_run(struct solution *solution, struct backend *backend, const struct zeroing *zeroing,
                  const struct solver_options *options);

// What captures alone say about the positions of one side to move. Planes of `backend`, the caller frees them.
struct capture_verdict {
    struct plane *illegal;  // no position: an overlap, or the other king is en prise
    struct plane *wins[2];  // some capture wins; [1] without the 50-move rule, NULL if nothing is cursed
    struct plane *holds[2]; // some capture does not lose, likewise
};

int iteration_captures(struct backend *backend, const struct zeroing *zeroing, int side,
                       struct capture_verdict *verdict);
void capture_verdict_free(struct backend *backend, struct capture_verdict *verdict);

#endif
