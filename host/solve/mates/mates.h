// mates.h - distances to mate and to conversion: another metric for the iteration
//
// These metrics know no 50-move rule, and a capture counts as many plies as the position that it leads to. iteration.c
// is the algorithm; what differs is at the head of mates.c.
#ifndef CLTB_SOLVE_MATES_MATES_H
#define CLTB_SOLVE_MATES_MATES_H

#include "solve/iteration.h"
#include "solve/iteration_state.h"

// For struct solver_options.
extern const struct iteration_metric mates_metric;

// What is known of an attacker's entries before the first ply.
struct mate_begin {
    const struct plane *illegal;     // with the defender to move, including overlap entries
    const struct plane *own_illegal; // the same without overlap entries
    const struct plane *won;         // illegal with the attacker to move, including overlap entries
    const struct plane *refuted;     // with the attacker to move: illegal entries and overlaps, without the defender's
                                     // legal captures
};

// The captures and pawn moves of an endgame by their distances. The guest is the first member, so that its hooks find
// the rest.
struct mate_moves {
    struct iteration_guest guest;
    int longest; // the largest number of plies that a move leads to
    // plane |= the overlap entries of captures of men of colour `victim`, who has won, or lost, in exactly `ply` plies;
    // sets *any if there may be such entries. Without begin() they include captures that leave the king in check.
    int (*captured_at)(struct mate_moves *moves, struct plane *plane, int victim, bool won, int ply, bool *any);
    // Unless NULL, must be called before these for each attacker.
    int (*begin)(struct mate_moves *moves, int attacker, const struct mate_begin *begin);
    // Sets *at to the entries from which the best pawn move of `mover`, won or lost for the other side, leads to a
    // position of exactly `ply` plies. NULL: there are none. Valid until the next call. NULL: no pawns.
    int (*pawn_moves_at)(struct mate_moves *moves, int mover, bool won, int ply, const struct plane **at);
};

// iteration_guest.solve of struct mate_moves.
int mates_solve(struct iteration_guest *guest, struct iteration *it);

// The functions of struct iteration_metric: slice_mates.c, base_mates.c.
int slice_mates_add(struct slice_batch *batch);
int base_mates_add(struct bases *bases, struct zeroing *zeroing);

#endif
