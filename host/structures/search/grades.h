// grades.h - solves one structure of the search: the grades of all its positions, from those that its exits lead to
//
// For each grade g, from the highest down: a position with White to move has it if an exit, or a move inside the
// structure, leads to a position that has it; one with Black to move if all moves do, and there is a move or a check.
// Positions are added ply by ply until none is new, so moves that go round in circles add nothing. Wins (the highest
// grade) must be near enough to a pawn move or a capture for the 50-move rule. In structures with pieces only every
// fourth grade is kept: guesses are rounded down.
#ifndef CLTB_STRUCTURES_SEARCH_GRADES_H
#define CLTB_STRUCTURES_SEARCH_GRADES_H

#include "structures/search/nodes.h"

enum { RANK_NONE = 255 };

// Arrays that are used for one structure after another.
struct grades;

int grades_open(struct grades **grades);
void grades_close(struct grades *grades);

// Makes the nodes that the exits lead to, and enters the node as a parent of them. Must be called once before the node
// is solved.
int grades_enter(struct grades *grades, struct nodes *nodes, uint32_t number);

// Solves the node, or solves again its planes of the grades in node.pending. *changed: bit g - 1 if the plane of grade
// g is another one than before. Several threads may solve nodes of one order at a time, each with its own arrays.
// `stop` is asked between plies; true: CLTB_E_INTERRUPTED.
struct grades_stop {
    bool (*stop)(void *context);
    void *context;
};
int grades_solve(struct grades *grades, struct nodes *nodes, uint32_t number, const struct grades_stop *stop,
                 uint16_t *changed);

// For each position with the grade: the round in which it was added, RANK_NONE if it does not have it. `rank` is
// [COLOURS][blocks][64][64].
int grades_rank(struct grades *grades, struct nodes *nodes, uint32_t number, int grade, const struct grades_stop *stop,
                uint8_t *rank);

// A grade as a structure with so many pieces keeps it.
static inline int grade_kept(int pieces, int grade)
{
    return pieces == 0 || grade == 0 || grade == GRADES ? grade : (grade - 1) / 4 * 4 + 1;
}

// The grades that matter to a structure with so many pieces: bit grade - 1.
static inline uint16_t grades_seen(int pieces)
{
    return pieces == 0 ? UINT16_MAX : 1U << 0 | 1U << 4 | 1U << 8 | 1U << 12 | 1U << 15;
}

// A measure of the work for a structure with so many pieces: about its blocks. Small ones take longer than that, and
// so do large ones, which leave the caches.
static inline uint64_t grades_work(int pieces)
{
    return pieces == 0 ? 3 : pieces == 1 ? node_blocks(1) : 4 * node_blocks(pieces);
}

#endif
