// naive.h - a slow solver for up to four men that shares only the rules of chess with the real one
//
// For every placement of the men and both sides to move it finds the exact outcome and distance to zeroing (DTZ), with
// the conventions of the tables: `loss` 0 is checkmate; a winning zeroing move (capture or pawn move) counts 1, or 101
// if the position after it is lost only without the 50-move rule; the winner takes the smallest number, the loser the
// largest; more than 100 is a cursed win or a blessed loss. The value of a double step takes the en passant captures
// that it allows into account.
//
// Index of a position: 2 * (s0 + 64 * s1 + 64^2 * s2 + ...) + side to move, si the square of the i-th man. Pawns come
// last; without pawns the black king does. Of the images of a placement (two with pawns, eight without) only the one
// with the least index has a value, identical pieces are not sorted. Four men take a few seconds, with 15 to 40 MB
// each; but pawns promote, so KPvKP needs 15 materials of four men and a minute or two.
#ifndef CLTB_TESTS_ORACLE_NAIVE_H
#define CLTB_TESTS_ORACLE_NAIVE_H

#include <cltb/cltb.h>

#include "chess/position.h"
#include "index/material.h"

enum { NAIVE_MEN_MAX = 4, NAIVE_DTZ_MAX = 255 };

struct naive; // solved materials

struct naive_value {
    enum cltb_outcome outcome; // for the side to move
    int dtz;                   // plies, 0 for a draw; as naive_solve_metric() was asked
};

// Solves the material of these men (their squares do not matter) and all that its zeroing moves lead to, and adds them
// to *oracle, or to a new one if that is NULL; it becomes the oracle's main material. One king a side, at most
// NAIVE_MEN_MAX men. Returns 0 or a negative cltb_status; then a *oracle that was NULL stays so.
int naive_solve(struct naive **oracle, const struct man *men, int count);

// The same with distances to mate or to conversion, without the 50-move rule: no outcome is cursed or blessed. All
// materials of an oracle are solved by the same metric.
int naive_solve_metric(struct naive **oracle, const struct man *men, int count, enum metric metric);

void naive_free(struct naive *oracle);

// The value of a position without castling rights; an en passant slot counts. CLTB_E_POSITION if its material was not
// solved or it is illegal.
int naive_query(const struct naive *oracle, const struct position *p, struct naive_value *value);

// ---- the main material, in the colours in which it was given ----

// The number of legal positions with this side to move, outcome and DTZ (0 for draws). Every placement on the 64
// squares counts once, identical pieces are interchangeable.
uint64_t naive_count(const struct naive *oracle, int side, enum cltb_outcome outcome, int dtz);

// Calls visit() for one image of every legal position; stops at the first non-zero result and returns it. Identical
// pieces come in every order.
typedef int naive_visit(void *context, const struct position *p, const struct naive_value *value);
int naive_each(const struct naive *oracle, naive_visit *visit, void *context);

// Compares every value with the best over the legal moves (a one-ply search). The number of positions that differ.
uint64_t naive_inconsistent(const struct naive *oracle);

#endif
