// probe.h - the value of a dobutsu position and its moves in order, from the bytes of a table
//
// What the database does not hold (lions side by side or on their far ranks) follows from the rules: see
// <cltb/dobutsu.h>.
#ifndef CLTB_DOBUTSU_PROBE_H
#define CLTB_DOBUTSU_PROBE_H

#include <cltb/dobutsu.h>

#include "dobutsu/rules.h"

struct dobutsu_table;

struct dobutsu_ranked {
    struct dobutsu_move move;
    char name[DOBUTSU_MOVE_MAX];     // as the mover sees it, with Sente to move
    struct cltb_dobutsu_value value; // of the position before the move, if it is played
};

// All possible moves of a position, best first.
struct dobutsu_ranking {
    int count;
    struct dobutsu_ranked best[DOBUTSU_MOVES_MAX];
};

struct dobutsu_line {
    int plies;
    bool wins; // the last move does
    char move[CLTB_DOBUTSU_LINE_MAX][DOBUTSU_MOVE_MAX];
};

// Is it a win or a loss, which take a number of plies?
static inline bool dobutsu_is_decided(struct cltb_dobutsu_value value)
{
    return value.outcome == CLTB_WIN || value.outcome == CLTB_LOSS;
}

// Is the opponent's lion on its far rank, where it cannot be taken? Then it has ascended.
bool dobutsu_is_over(const struct dobutsu *p);

// CLTB_E_POSITION if Sente's lion is on its far rank and looking at the moves does not decide the game.
int dobutsu_known_value(struct dobutsu_table *table, const struct dobutsu *p, struct cltb_dobutsu_value *value);

// For a game that is not over.
int dobutsu_rank(struct dobutsu_table *table, const struct dobutsu *p, struct dobutsu_ranking *ranking);

// The first `most` plies of a best line (at most CLTB_DOBUTSU_LINE_MAX), or all of it up to the winning move; none for
// a draw. `ranking`: the moves of `p`.
int dobutsu_best_line(struct dobutsu_table *table, const struct dobutsu *p, const struct dobutsu_ranking *ranking,
                      int most, struct dobutsu_line *line);

#endif
