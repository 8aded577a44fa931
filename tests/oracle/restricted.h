// restricted.h - a slow solver of restricted endgames that shares only chess/ and restricted/spec.h with the real one
//
// It enumerates every placement of the spec's men on their squares, without symmetry, for both sides to move. Values
// are exact DTZ with the 50-move rule, in the conventions of naive.h. Moves that leave the spec have the value given by
// its prune rules (spec.h), otherwise by the caller. Some 20 million placements take a minute or two and 8 bytes each.
#ifndef CLTB_TESTS_ORACLE_RESTRICTED_H
#define CLTB_TESTS_ORACLE_RESTRICTED_H

#include "oracle/naive.h"

#include "restricted/spec.h"

struct naive_restricted;

// The value of the position after a leaving move, for the side to move there; the right to capture en passant counts.
// `own`: by one of the spec's futurebases, which come before its prune rules; else by any other table. CLTB_E_MISSING:
// not known.
typedef int naive_leave(void *context, const struct position *p, bool own, struct naive_value *value);

// The spec is copied. CLTB_E_MISSING, as leave() said it, if a leaving move is neither pruned nor known.
int naive_restricted_solve(struct naive_restricted **oracle, const struct spec *spec, naive_leave *leave,
                           void *context);
void naive_restricted_free(struct naive_restricted *oracle);

// The value of a position, its en passant slot included (the leaving moves' `context` must still be there).
// CLTB_E_POSITION if it does not belong to the spec or is illegal.
int naive_restricted_query(const struct naive_restricted *oracle, const struct position *p, struct naive_value *value);

// Calls visit() for every legal position of the spec, each once, without en passant slots; stops at the first non-zero
// result and returns it.
int naive_restricted_each(const struct naive_restricted *oracle, naive_visit *visit, void *context);

// The number of positions whose value is not the best over their moves (a one-ply search).
uint64_t naive_restricted_inconsistent(const struct naive_restricted *oracle);

#endif
