// perft.h - counting the leaves of the tree of legal moves, the usual proof of a move generator
#ifndef CLTB_CHESS_PERFT_H
#define CLTB_CHESS_PERFT_H

#include "chess/move.h"

enum { PERFT_DEPTH_MAX = MOVE_LIST_PLIES };

// The number of move sequences of `depth` plies (1 for depth 0). Moves of the last ply are counted without being made.
// `threads` share the root's moves; with 0 or 1 all work is done in the caller's thread. The position is not changed.
// Finally `each` (may be NULL) is called for every root move in the generator's order; a nonzero result ends the calls
// and is returned.
typedef int perft_visit(void *context, const struct position *p, uint32_t move, uint64_t leaves);
int perft_divide(const struct position *p, int depth, int threads, perft_visit *each, void *context, uint64_t *leaves);

#endif
