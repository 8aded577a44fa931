// castling.h - the values of positions in which a side may still castle, from tables that know no such rights
//
// A king and a rook with a right stand still, like pawns: once they move, a table has the position. So all positions in
// which the other men stand anywhere are few, and are solved together, exactly (castling.c). What has been solved is
// kept with the tables. Four men take milliseconds; five men a second or, with pawns that may promote, half a minute.
// Threads wait for each other.
#ifndef CLTB_PROBE_CASTLING_H
#define CLTB_PROBE_CASTLING_H

#include "probe/probe.h"

enum { CASTLING_MEN_MAX = 5 };

// As probe_value(), for a legal position, with castling rights or without. CLTB_E_POSITION if there are more than
// CASTLING_MEN_MAX men, CLTB_E_MISSING if a table is missing or knows no exact distances. Without `distance` only the
// outcome is right, which is often found without solving anything.
int castling_value(cltb_tables *tables, struct position *p, bool distance, struct cltb_value *value);

// As probe_moves(), but a missing table is an error.
int castling_moves(cltb_tables *tables, struct position *p, struct ranked_move ranked[CLTB_MOVES_MAX]);

#endif
