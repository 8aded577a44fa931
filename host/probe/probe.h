// probe.h - the value of a position, from what its table stores and a look at its moves
//
// Positions are made and unmade in place, so `p` comes back as it was (its history needs room for a few plies: see
// POSITION_PLIES). Values here take the half-move clock as 0 unless a function says otherwise. All functions may be
// called by many threads at once, each with its own position.
#ifndef CLTB_PROBE_PROBE_H
#define CLTB_PROBE_PROBE_H

#include <cltb/cltb.h>

#include "chess/move.h"
#include "chess/value.h"
#include "index/material.h"

// Makes a position from its public form; checks everything that the rest of the library takes for granted (cltb.c).
int position_from_public(struct position *p, const cltb_position *from);

// The public form of a position.
void position_to_public(const struct position *p, cltb_position *position);

// Checks whether tables can hold this position at all: no castling rights, not too many men.
int probe_possible(const struct position *p);

// Are there only kings? Does not count bits, because not every processor has an instruction for that.
static inline bool only_kings(const struct position *p)
{
    return (p->men[WHITE] & (p->men[WHITE] - 1)) == 0 && (p->men[BLACK] & (p->men[BLACK] - 1)) == 0;
}

// Generates captures. Unless pawns capture, they include those by pieces that leave the own king en prise.
int probe_captures(const struct position *p, uint32_t moves[MOVES_MAX]);

// Is every legal move an en passant capture, and is there one?
bool probe_only_en_passant(const struct position *p);

// The value, with the half-move clock taken as 0. The position must be legal and probe_possible().
int probe_value(cltb_tables *tables, struct position *p, struct cltb_value *value);

// Only the outcome, which is cheaper.
int probe_outcome(cltb_tables *tables, struct position *p, int *outcome);

// The value, honouring the position's half-move clock. Checks probe_possible() first.
int probe_position(cltb_tables *tables, struct position *p, struct cltb_value *value);

// The same, but not an error if only the outcome is known: then the distance is DTZ_UNKNOWN.
int probe_known(cltb_tables *tables, struct position *p, struct cltb_value *value);

// The value without the 50-move rule, with a distance by another metric than DTZ. It comes from a table of that metric,
// where no value of a legal position is a don't-care. CLTB_E_MISSING also if there is no such table.
int probe_exact(cltb_tables *tables, struct position *p, enum metric metric, struct cltb_value *value);

// A legal move, and what the position is worth if it is played (see cltb_move), honouring the half-move clock.
struct ranked_move {
    uint32_t move;
    bool zeroing;
    bool mate;
    struct cltb_value value;
};

// Sorts the best move first, for qsort().
int ranked_move_compare(const void *left, const void *right);

// All legal moves, best first. Returns their number or a negative code. Checks probe_possible() first. Moves whose
// table is missing come last, with the outcome CLTB_UNKNOWN, and so do those whose probe fails, if `tolerant`; then
// error_text() says why. Where only outcomes are known, quiet moves have the distance DTZ_UNKNOWN.
int probe_moves(cltb_tables *tables, struct position *p, bool tolerant, struct ranked_move moves[CLTB_MOVES_MAX]);

// The same with values from probe_exact(). A missing table is an error.
int probe_exact_moves(cltb_tables *tables, struct position *p, enum metric metric,
                      struct ranked_move moves[CLTB_MOVES_MAX]);

// Is the first of these moves certainly the best? 0 if so, otherwise the error that leaves it open.
int probe_best_known(cltb_tables *tables, struct position *p, const struct ranked_move *moves, int count);

#endif
