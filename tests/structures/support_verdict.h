// support_verdict.h - verdicts for tests
#ifndef CLTB_TESTS_STRUCTURES_SUPPORT_VERDICT_H
#define CLTB_TESTS_STRUCTURES_SUPPORT_VERDICT_H

#include "support/support.h"

#include "chess/fen.h"
#include "structures/file.h"
#include "structures/verdict.h"

// Without tables. `first`, `last`: efforts.
struct verdict *verdict_of(const char *fen, int first, int last);

// The same from effort 0 on. With each further effort only the structures that decide are solved.
struct verdict *verdict_narrowed(const char *fen, int last);

// With men that are kept to squares.
struct verdict *verdict_kept(const char *fen, int effort, const struct structure_sets *sets);
void verdict_done(struct verdict *verdict);

// The value of another position that can arise from the verdict's, which must have no bounds.
struct cltb_value verdict_query(const struct verdict *verdict, const struct position *p);

// All that can arise from a position, with one effort, in an open file.
struct structure_file *file_of(const char *fen, int effort, const char *folders, int tables_men);

// Compares every position without a promoted man that can arise from a given one, solved with effort 0 in the run of
// `winner`, with the result of brute force, in memory and in a file. Takes seconds for two locked pawns, a minute for
// four.
void compare_by_force(const char *fen, int winner);

struct position position_named(const char *fen);

// Puts the pawns on random squares. `near`: black ones stand beside the square to which the first white one can make a
// double step, so that it may be captured en passant.
void draw_pawns(struct man *men, int count, bool near);

// A position with the pawns on their squares and the other men on random ones; sometimes after a double step. False if
// it is not legal.
bool draw_position(struct position *p, struct man *men, int count);

#endif
