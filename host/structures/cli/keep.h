// keep.h - the men that `cltb solve --keep` keeps to squares, as text
#ifndef CLTB_STRUCTURES_CLI_KEEP_H
#define CLTB_STRUCTURES_CLI_KEEP_H

#include "structures/graph.h"

#include <stdbool.h>

// Reads "white rook a1-h3; black king e7 e8". For each of some men, separated by semicolons, it has a colour (which may
// be left out if only one side of the position has such a man), a name or a letter, and a set of squares as in
// restricted endgames (restricted/spec.h). A set applies to all men of that colour and type. CLTB_E_USAGE.
int keep_read(struct structure_sets *sets, const char *text, const struct position *position);

// The i-th suggestion for keeping a side's pawns, first White's and then Black's: one pawn that can move to its square
// and the others to their files; or all pawns of a side to their squares. False: there are no more.
// Black's; or all pawns of a side to their squares. False: there are no more ways.
enum { KEEP_TEXT_MAX = 64 };
bool keep_suggestion(const struct position *position, int i, char text[KEEP_TEXT_MAX]);

#endif
