// value.h - the values of positions in the two runs, from those of structures and of tables; a position and its moves,
// each with the least and the greatest value that it can have
#ifndef CLTB_STRUCTURES_VALUE_H
#define CLTB_STRUCTURES_VALUE_H

#include "chess/move.h"
#include "chess/value.h"
#include "structures/graph.h"

// The source of values: structures in memory (store.h) or in a file (file.h), and tables.
struct structure_values {
    void *context;
    bool bounded;  // some structure is bounded: the runs of White and Black differ; otherwise there is only White's run
    bool outcomes; // without distances, which are 0
    // The value of a legal position in the run of `winner`, with the half-move clock taken as 0, if a structure has it
    // (STRUCTURE_SOLVED, without the right to capture en passant) or a table (STRUCTURE_TABLE, with that right).
    int (*known)(const struct structure_values *values, int winner, struct position *position, struct cltb_value *value,
                 enum structure_state *state);
};

// The same value for any position. In a bounded structure it is what `winner` gets from it, or the value after a
// capture by the side to move if that is better for this side.
int structure_value(const struct structure_values *values, int winner, struct position *position,
                    struct cltb_value *value);

// The same after a move from a structure, as the solver knows it: of the captures in bounded structures, those by men
// that have been promoted since the last structure do not count.
int structure_value_after(const struct structure_values *values, int winner, struct position *position, uint32_t move,
                          struct cltb_value *value);

// Does the side have more than a king?
bool structure_can_win(const struct material *material, int side);

// ---- a position and its moves ----

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

enum { STRUCTURE_LINE_MAX = 200 };

// A move of the best line, and what the position before it has: its value for the side to move, from a structure or
// from a table.
struct structure_step {
    uint32_t move;
    enum structure_state state;
    struct cltb_value value;
};

struct structure_answer {
    struct position position;
    struct verdict_value value;
    struct verdict_move move[MOVES_MAX]; // [moves] best first
    int moves;
    struct structure_step line[STRUCTURE_LINE_MAX]; // [plies] a line that proves the outcome, not the shortest one
    int plies;                                      // 0: the values give the line
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

// Puts the best moves first.
void structure_answer_sort(struct structure_answer *answer);

// Finds the best line from the position: up to mate, to a position that neither a structure nor a table has, or to
// `most` plies. Returns their number, or a negative code.
int structure_line(const struct structure_answer *answer, const struct structure_values *values,
                   struct structure_step *line, int most);

#endif
