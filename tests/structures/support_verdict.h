// support_verdict.h - verdicts for tests
#ifndef CLTB_TESTS_STRUCTURES_SUPPORT_VERDICT_H
#define CLTB_TESTS_STRUCTURES_SUPPORT_VERDICT_H

#include "support/support.h"

#include "chess/fen.h"
#include "structures/file.h"
#include "structures/verdict.h"

// Without tables. `first`, `last`: efforts.
struct verdict *verdict_of(const char *fen, int first, int last);

// The same from effort 0 on, where of every further effort only those structures are solved that decide.
struct verdict *verdict_narrowed(const char *fen, int last);

// With men that are kept to squares.
struct verdict *verdict_kept(const char *fen, int effort, const struct structure_sets *sets);
void verdict_done(struct verdict *verdict);

// The value of another position that can come of the verdict's, which must have no bounds.
struct cltb_value verdict_query(const struct verdict *verdict, const struct position *p);

// All that can come of a position with one effort, in a file, which is open.
struct structure_file *file_of(const char *fen, int effort, const char *folders, int tables_men);

// Compares every position without a promoted man that can come of one, solved with effort 0 in the run of `winner`,
// with what brute force makes of it, in memory and in a file. Seconds for two locked pawns, a minute for four.
void compare_by_force(const char *fen, int winner);

struct position position_named(const char *fen);

// Puts the pawns on random squares; `near`: black ones stand beside where the first white one comes to by a double
// step, so that it may be taken en passant.
void draw_pawns(struct man *men, int count, bool near);

// A position with the pawns where they are and the other men on random squares, of some after a double step; false if
// it is not legal.
bool draw_position(struct position *p, struct man *men, int count);

#endif
