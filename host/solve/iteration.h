// iteration.h - solves the planes of one backend, with or without pawns
//
// The algorithm is at the head of iteration.c.
#ifndef CLTB_SOLVE_ITERATION_H
#define CLTB_SOLVE_ITERATION_H

#include "solve/solution.h"
#include "solve/zeroing.h"

// What a ply found, for progress reports.
struct solver_ply {
    int attacker; // the side whose wins are looked for
    int ply;
    uint64_t won;  // new positions with the attacker to move, counted over the layout
    uint64_t lost; // and with the defender to move
    double share;  // of the whole work that is certainly done, 0..1 (a rough guess)
};

struct solver_options {
    bool keep_distance[COLOURS]; // by side to move; otherwise only the outcome is kept
    bool keep_resolved;          // see struct solution
    bool keep_slabs;             // see struct solution
    int last_attacker; // best the side that wins more: the first run's planes are then few while the second one has
                       // most
    // Called after every ply; a non-zero result stops the solver, which returns CLTB_E_INTERRUPTED. May be NULL.
    int (*progress)(void *context, const struct solver_ply *ply);
    void *context;
};

// Solves what `backend` holds. `solution` holds planes of it until solution_free().
int iteration_run(struct solution *solution, struct backend *backend, const struct zeroing *zeroing,
                  const struct solver_options *options);

#endif
