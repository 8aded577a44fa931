// solver_inside.h - the iteration's state, shared by the files that make it up
//
//     solver.c         the plies
//     zeroing_moves.c  captures, pawn moves and what is no position, as planes
//     resume.c         what is saved between plies
//     settle.c         outcomes of a stored endgame, completed
#ifndef CLTB_SOLVE_SOLVER_INSIDE_H
#define CLTB_SOLVE_SOLVER_INSIDE_H

#include "solve/solver.h"
#include "solve/zeroing.h"

// How far the present attacker is, where work can be gone on with.
enum solver_stage {
    STAGE_BEGIN,   // nothing is done
    STAGE_EARLY,   // in the plies of the 50-move rule
    STAGE_LATE,    // in those behind them
    STAGE_SOLVED,  // both attackers are done
    STAGE_RESOLVED // and the resolved planes
};

struct solver {
    struct solution *solution;
    struct backend *backend;
    const struct layout *layout;
    const struct solver_options *options;
    const struct zeroing *zeroing;
    // of the present attacker
    int attacker;
    int defender;
    struct plane *closed;
    struct plane *lost_new[2]; // [ply & 1]
    struct plane *won_new;
    struct plane *extra;            // winning zeroing moves, for the next step of the attacker; NULL most of the time
    struct plane *scratch;          // lost_new[1], before a step writes it
    struct plane *illegal[COLOURS]; // by side to move, while captures are looked at: the other king is en prise
    int done_attackers;
    int ply;      // the next one
    bool changed; // the last one has found anything
    enum solver_stage stage;
};

#define OPS(solver) ((solver)->backend->ops)

static inline int combine(struct solver *solver, struct plane *to, enum plane_operation operation,
                          const struct plane *from)
{
    return OPS(solver)->combine(solver->backend, to, operation, from);
}

static inline void free_plane(struct solver *solver, struct plane **plane)
{
    OPS(solver)->plane_free(solver->backend, *plane);
    *plane = NULL;
}

// The planes of the iteration: closed, lost_new, won_new. free: `extra` as well.
int solver_make_planes(struct solver *solver);
void solver_free_planes(struct solver *solver);

// ---- zeroing_moves.c ----

enum pair_choice { PAIRS_ALL, PAIRS_OF_SIDE, PAIRS_ON_KING };

// All pairs; those of two men of `side`; those of a man of `side` with the enemy king.
struct men_pairs solver_pairs(const struct layout *layout, enum pair_choice choice, int side);

// plane |= the entries in which two men of a pair share a square.
int solver_mark_pairs(struct solver *solver, struct plane *plane, enum pair_choice choice, int side);

enum zeroing_choice { ZEROING_ALL, ZEROING_CAPTURES };

// to = the defender's positions with a zeroing move that the attacker cannot punish by a win (`which`: of what kind).
int solver_holding_moves(struct solver *solver, struct plane *to, enum zeroing_bits which, enum zeroing_choice choice);

// extra = the attacker's positions with a zeroing move into one of the lost positions `which`.
int solver_winning_moves(struct solver *solver, enum zeroing_bits which, enum zeroing_choice choice);

// to = the defender's entries without a legal move (kings of no position included).
int solver_without_moves(struct solver *solver, struct plane *to);

// Fills both and makes them solver->illegal.
int solver_find_illegal(struct solver *solver, struct plane *with_attacker_to_move,
                        struct plane *with_defender_to_move);

// ---- resume.c ----

// Between two plies, where the backend can keep its planes; `now`: not only when it is time for it.
int solver_save(const struct solver *solver, bool now);

// Takes up what an earlier run has saved; without that, nothing changes.
int solver_take_up(struct solver *solver);

#endif
