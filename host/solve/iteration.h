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

// All positions of a side's longest win or loss, under the 50-move rule or beyond it.
struct solver_longest {
    int side; // to move
    bool won;
    int ply;
    const struct plane *positions;
    bool quiet; // only those that no zeroing move wins
};

struct solver_options {
    bool keep_distance[COLOURS]; // by side to move; otherwise only the outcome is kept
    bool keep_resolved;          // see struct solution
    bool keep_slabs;             // see struct solution
    int last_attacker; // best the side that wins more: the first run's planes are then few while the second one has
                       // most
    // Called after every ply; a nonzero result stops the solver, which returns CLTB_E_INTERRUPTED. May be NULL.
    int (*progress)(void *context, const struct solver_ply *ply);
    // Called with the longest wins and losses of side `longest_of`, whose distances are not kept, at most twice each;
    // with keep_slabs, if the longest wins of either side are in 1 ply, or 101, also with the quiet ones among them.
    // Takes a plane. Not for distances to mate, nor with struct zeroing_rules. May be NULL.
    int (*longest)(void *context, struct backend *backend, const struct solver_longest *longest);
    int longest_of;
    void *context;
};

// Solves the endgame of `backend`. `solution` owns some of its planes until solution_free().
int iteration_run(struct solution *solution, struct backend *backend, const struct zeroing *zeroing,
                  const struct solver_options *options);

#endif
