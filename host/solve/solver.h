// solver.h - solves a pawnless endgame: both sides' wins, exact to the ply (with pawns: slices.h)
//
// The method is in docs/solver.md. The solution stays in the backend's planes; it is read tile by tile.
#ifndef CLTB_SOLVE_SOLVER_H
#define CLTB_SOLVE_SOLVER_H

#include "solve/backend.h"
#include "solve/futurebase.h"

enum {
    SOLVER_PLY_MAX = 1000,  // no known endgame comes near
    SOLVER_PLY_LIMIT = 100, // the 50-move rule: a longer distance is cursed
    DISTANCE_PLANES_MAX = STEP_PLANES_MAX,
    DISTANCE_CODES = 1 << DISTANCE_PLANES_MAX
};

// What a ply brought, for progress reports.
struct solver_ply {
    int attacker; // the side whose wins are looked for
    int ply;
    uint64_t won;  // new positions with the attacker to move, counted over the layout
    uint64_t lost; // and with the defender to move
    double share;  // of the whole work that is surely done, 0..1 (a rough guess)
};

struct solver_options {
    bool keep_distance[COLOURS]; // by side to move; otherwise only the outcome is kept
    bool keep_decided;           // see struct solution
    bool keep_slabs;             // see struct solution
    int last_attacker; // best the side that wins more: the first run's planes then stay few while the second one has
                       // most
    // Called after every ply; a non-zero result stops the solver, which returns CLTB_E_INTERRUPTED. May be NULL.
    int (*progress)(void *context, const struct solver_ply *ply);
    void *context;
};

// A value of one position: 0 = draw or no legal position; else (ply + 1) * 2 + (1 if the side to move wins, 0 if it
// loses). Where distances are not kept, the ply is 1 for wins and losses, 101 for cursed and blessed ones.
typedef uint16_t solver_value;

static inline solver_value solver_value_make(bool won, int ply)
{
    return (solver_value)((ply + 1) * 2 + (won ? 1 : 0));
}

static inline bool solver_value_won(solver_value value)
{
    return value & 1;
}

static inline int solver_value_ply(solver_value value)
{
    return value / 2 - 1;
}

struct solution {
    struct backend *backend;
    struct plane *won[COLOURS];                           // by side to move: wins; also illegal and overlap entries
    struct plane *distance[COLOURS][DISTANCE_PLANES_MAX]; // by side to move, bits of the code
    // By side to move, where kept: set for a win, a capture wins; set for a draw, the best capture draws. Of no meaning
    // for other outcomes.
    struct plane *decided[COLOURS];
    // What slices that a pawn move starts from need beside the others, by side to move; only with keep_slabs. "Early": under
    // the 50-move rule, NULL if that makes no difference.
    struct plane *won_early[COLOURS]; // like `won`
    struct plane *lost_early[COLOURS];
    struct plane *stalemate[COLOURS];
    solver_value value[COLOURS][COLOURS][DISTANCE_CODES]; // [side to move][1: won][code]
    int codes[COLOURS][COLOURS];                          // codes in use, from 1
    bool kept[COLOURS];                                   // distances, by side to move
    int longest[COLOURS][5]; // [side to move][outcome + 2] plies, -1: none; kept or not. Checkmates alone do not count
    uint64_t plies;          // steps taken, both attackers
};

// `solution` holds planes of `backend` until solution_free().
int solver_solve(struct solution *solution, struct backend *backend, const struct futurebase_source *source,
                 const struct solver_options *options);
void solution_free(struct solution *solution);

// Completes the outcomes of a stored endgame, in which positions that a capture decides may have any value not above
// the capture's: takes every capture into account, from the endgames of `source`. `base` has the layout of `backend`
// and all its arrays.
int solver_settle(struct backend *backend, const struct futurebase_source *source, struct futurebase *base);

// The values of tiles first..first+count-1 for one side to move: values[count * 8^k], by index. Overlap entries and
// illegal positions have 0. Thread-safe.
int solution_read(const struct solution *solution, int side, uint64_t first, uint64_t count, solver_value *values);

// The bits of `decided` for those tiles.
int solution_read_decided(const struct solution *solution, int side, uint64_t first, uint64_t count, uint64_t *bits);

// One bit per entry of those tiles, set where the entry is no legal position of `side` to move: [count * 8^k / 64]
// words.
int solution_read_illegal(const struct solution *solution, int side, uint64_t first, uint64_t count, uint64_t *bits);

#endif
