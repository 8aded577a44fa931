// solve.h - solves the slices of a restricted endgame on planes
#ifndef CLTB_RESTRICTED_MAKE_SOLVE_H
#define CLTB_RESTRICTED_MAKE_SOLVE_H

#include "restricted/make/work.h"
#include "solve/iteration.h"

struct restricted_solver;

struct restricted_options {
    const char *folders; // of tables
    struct thread_pool *pool;
    const char *isa; // of the CPU backend, or NULL
    // Opens the backend that solves a batch.
    int (*open)(void *context, const struct layout *layout, struct backend **backend);
    int (*progress)(void *context, const struct solver_ply *ply); // as in struct solver_options
    void *context;
    // Called when a slice is solved, with its values by side to move, which are valid until it returns. NULL: it comes
    // from the work file.
    int (*put)(void *context, uint32_t slice, uint16_t *const value[COLOURS]);
};

// externals_look() must have been called for every slice that `work` (NULL: there is none) does not have. All
// arguments must remain valid until the solver is closed. Sets externals->solved.
int restricted_solver_open(struct restricted_solver **solver, const struct frame *frame, struct externals *externals,
                           struct restricted_work *work, const struct restricted_options *options);
void restricted_solver_close(struct restricted_solver *solver);

// Solves the next batch of slices, starting at number `first`, or takes it from the work file; *count is the number of
// slices in it.
int restricted_solver_run(struct restricted_solver *solver, uint32_t first, uint32_t *count);

// The number of slices in a batch, at most.
uint32_t restricted_solver_batch(const struct frame *frame);

// The largest number of bytes that the solver takes.
uint64_t restricted_solver_memory(const struct frame *frame);

#endif
