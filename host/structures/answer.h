// answer.h - a position and its moves, each with the least and the greatest value that it can have
#ifndef CLTB_STRUCTURES_ANSWER_H
#define CLTB_STRUCTURES_ANSWER_H

#include "chess/move.h"
#include "structures/value.h"

// A value for the side to move, which takes the half-move clock into account.
struct verdict_value {
    struct cltb_value low;
    struct cltb_value high;
};

struct verdict_move {
    uint32_t move;
    bool zeroing;
    bool mate;
    struct verdict_value value;
};

struct structure_answer {
    struct position position;
    struct verdict_value value;
    struct verdict_move move[MOVES_MAX]; // [moves] best first
    int moves;
};

// Finds the values of answer->position, which must be reachable from the structures' position.
int structure_answer_find(struct structure_answer *answer, const struct structure_values *values);

// Is the value for the side to move certain: the outcome and, with `distance`, the distance, too?
static inline bool verdict_certain(const struct verdict_value *value, bool distance)
{
    return value->low.outcome == value->high.outcome && (!distance || value->low.dtz == value->high.dtz);
}

// 1: no other move keeps the outcome; 0: another one does; -1: unknown.
int structure_only_move(const struct structure_answer *answer);

// A move of the best line, and what the position before it has: its value for the side to move, from a structure or
// from a table.
struct structure_step {
    uint32_t move;
    enum structure_state state;
    struct cltb_value value;
};

// Finds the best line from the position: up to mate, to a position that neither a structure nor a table has, or to
// `most` plies. Returns their number, or a negative code.
int structure_line(const struct structure_answer *answer, const struct structure_values *values,
                   struct structure_step *line, int most);

#endif
