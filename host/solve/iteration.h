// iteration.h - solves the planes of one backend, with or without pawns
//
// The algorithm is at the head of iteration.c.
#ifndef CLTB_SOLVE_ITERATION_H
#define CLTB_SOLVE_ITERATION_H

#include "solve/solution.h"
#include "solve/zeroing.h"

// What was found in a ply, for progress reports.
struct solver_ply {
    int attacker; // the side whose wins are sought
    int ply;
    uint64_t won;  // new positions with the attacker to move, counted in the layout
    uint64_t lost; // the same with the defender to move
    double share;  // of the whole work that is certainly done, 0..1 (a rough guess)
};

struct bases;
struct slice_batch;

// A metric other than DTZ: puts guests that know the distances of captures and pawn moves into a struct zeroing.
struct iteration_metric {
    int (*bases)(struct bases *bases, struct zeroing *zeroing);
    int (*batch)(struct slice_batch *batch); // into batch->zeroing
};

struct solver_options {
    bool keep_distance[COLOURS]; // by side to move; otherwise only the outcome is kept
    bool keep_resolved;          // see struct solution
    bool keep_slabs;             // see struct solution
    int last_attacker; // best the side that wins more: the first run's planes are then few while the second one has
                       // most
    // Called with `context` after every ply; a nonzero result stops the solver, which returns CLTB_E_INTERRUPTED. May
    // be NULL.
    int (*progress)(void *context, const struct solver_ply *ply);
    const struct iteration_metric *metric; // NULL: DTZ
    struct iteration_guest *guest;         // or NULL
    void *context;
};

// Solves the endgame of `backend`. `solution` owns some of its planes until solution_free().
int iteration_run(struct solution *solution, struct backend *backend, const struct zeroing *zeroing,
                  const struct solver_options *options);

#endif
