// position_check.h - is a position consistent with itself, and are two the same?
#ifndef CLTB_TESTS_ORACLE_POSITION_CHECK_H
#define CLTB_TESTS_ORACLE_POSITION_CHECK_H

#include "chess/position.h"

// Do both have the same men, side to move, castling rights and en passant slot? (Counters and history may differ.)
bool position_same(const struct position *a, const struct position *b);

// Recomputes everything that is kept incrementally (lists, counts, bit sets, key) and compares; checks castling rights
// and slot. Returns 0, or CLTB_E_POSITION with a sentence that names the first difference.
int position_check(const struct position *p);

#endif
