// solver.h - solves an endgame without pawns: both sides' wins, exact to the ply (with pawns: slices.h)
//
// The method is in docs/solver.md. The solution stays in the backend's planes; it is read tile by tile.
#ifndef CLTB_SOLVE_SOLVER_H
#define CLTB_SOLVE_SOLVER_H

#include "solve/futurebase.h"
#include "solve/iteration.h"

// Loads the futurebases of an endgame. The layout must outlive them. `*bases` is NULL after an error.
struct bases;
int solver_load(struct bases **bases, const struct layout *layout, const struct futurebase_source *source);
void solver_unload(struct bases *bases); // NULL is allowed

// Solves an endgame with these futurebases, which it unloads, whatever the result. `solution` owns planes of `backend`
// until solution_free().
int solver_solve_loaded(struct solution *solution, struct backend *backend, struct bases *bases,
                        const struct solver_options *options);

// The same with futurebases that it loads.
int solver_solve(struct solution *solution, struct backend *backend, const struct futurebase_source *source,
                 const struct solver_options *options);

// Completes the outcomes of a stored endgame, where a position that is resolved by a capture may have any value up to
// the capture's: takes every capture into account, using the endgames of `source`. `base` has the layout of `backend`
// and all its arrays. `pool` reads the backend's planes on all threads, which the processor's backend allows; or NULL.
int solver_resolve(struct backend *backend, const struct futurebase_source *source, struct futurebase *base,
                   struct thread_pool *pool);

#endif
