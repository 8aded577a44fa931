// value.h - the values of positions in the two runs, from those of structures and of tables
#ifndef CLTB_STRUCTURES_VALUE_H
#define CLTB_STRUCTURES_VALUE_H

#include "chess/value.h"
#include "structures/graph.h"

// The source of values: structures in memory (store.h) or in a file (file.h), and tables.
struct structure_values {
    void *context;
    bool bounded; // some structure is bounded: the runs of White and Black differ; otherwise there is only White's run
    // The value of a legal position in the run of `winner`, with the half-move clock taken as 0, if a structure has it
    // (STRUCTURE_SOLVED, without the right to capture en passant) or a table (STRUCTURE_TABLE, with that right).
    int (*known)(void *context, int winner, struct position *position, struct cltb_value *value,
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

#endif
