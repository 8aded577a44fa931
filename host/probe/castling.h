// castling.h - the values of positions in which a side may still castle, from tables that know no such rights
//
// A king and a rook with a right stand still, like pawns: once they move, a table has the position. So all positions in
// which the other men stand anywhere are few, and are solved together, exactly (castling.c).
#ifndef CLTB_PROBE_CASTLING_H
#define CLTB_PROBE_CASTLING_H

#include "probe/probe.h"

enum { CASTLING_MEN_MAX = 5 };

struct castling_sets; // what has been solved, kept for later positions; used by one thread at a time

int castling_open(struct castling_sets **castling, cltb_tables *tables);
void castling_close(struct castling_sets *castling);

// As probe_value(), for a legal position, with castling rights or without. CLTB_E_POSITION if there are more than
// CASTLING_MEN_MAX men, CLTB_E_MISSING if a table is missing or knows no exact distances. Without `distance` only the
// outcome is right, which is often found without solving anything.
int castling_value(struct castling_sets *castling, struct position *p, bool distance, struct cltb_value *value);

// As probe_moves(), but a missing table is an error.
int castling_moves(struct castling_sets *castling, struct position *p, struct ranked_move ranked[CLTB_MOVES_MAX]);

#endif
