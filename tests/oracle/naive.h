// naive.h - a slow solver for small pawnless materials that shares nothing with the real one but the rules of chess
//
// For every placement of the men and both sides to move it finds the exact outcome and distance to zeroing (DTZ), with
// the conventions of the tables: `loss` 0 is checkmate; a winning capture counts 1, and 101 if what it leads to is lost
// only without the 50-move rule; the winner takes the smallest number, the loser the largest; more than 100 is a cursed
// win or a blessed loss.
//
// Index of a position: 2 * (s0 + 64 * s1 + 64^2 * s2 + ...) + side to move, si the square of the i-th man of the list.
// Nothing is left out for symmetry or for like men, so four men take 33.5 million entries (100 MB) and half a minute.
#ifndef CLTB_TESTS_ORACLE_NAIVE_H
#define CLTB_TESTS_ORACLE_NAIVE_H

#include <cltb/cltb.h>

#include "rules/position.h"

enum { NAIVE_MEN_MAX = 4 };

struct naive;

struct naive_value {
    enum cltb_outcome outcome; // for the side to move
    int dtz;                   // plies, 0 for a draw
};

// Solves the material of these men (their squares do not matter), and all that captures lead to. No pawns, one king a
// side, at most NAIVE_MEN_MAX men. Returns 0 or a negative cltb_status.
int naive_solve(struct naive **oracle, const struct man *men, int count);

void naive_free(struct naive *oracle);

// The value of a position with this material and no castling rights. CLTB_E_POSITION if it has another material or is
// illegal.
int naive_query(const struct naive *oracle, const struct position *p, struct naive_value *value);

// The number of legal positions with this side to move, outcome and DTZ (0 for draws); like men are interchangeable.
uint64_t naive_count(const struct naive *oracle, int side, enum cltb_outcome outcome, int dtz);

// Compares every value with the best over the legal moves (a one-ply search). The number of positions
// that differ.
uint64_t naive_inconsistent(const struct naive *oracle);

#endif
