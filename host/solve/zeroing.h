// zeroing.h - what captures and pawn moves lead to, as the iteration asks for it
//
// The moves that reset the 50-move counter leave the planes that are being solved. Two implementations: futurebases of a
// pawnless endgame (capture_bases.c), slabs for slices (slice_moves.c).
#ifndef CLTB_SOLVE_ZEROING_H
#define CLTB_SOLVE_ZEROING_H

#include "solve/backend.h"

// Bits of the position after the move, for the side that is then to move. "Ever": without the 50-move rule.
enum zeroing_bits {
    BITS_LOST,
    BITS_LOST_EVER,
    BITS_NOT_WON, // and legal, for pawn moves
    BITS_NOT_WON_EVER,
    BITS_LEGAL // pawn moves only
};

struct zeroing {
    void *context;
    bool cursed; // some of the endgames have cursed wins or blessed losses
    // plane |= the bits, at the overlap entries in which a man of `victim`'s colour has just been captured by a piece. `victim`
    // is then to move.
    int (*captured)(void *context, struct plane *plane, int victim, enum zeroing_bits which);
    // plane |= the entries from which a pawn move of `mover` leads to a position with that bit. NULL: no pawns.
    int (*pawn_moves)(void *context, struct plane *plane, int mover, enum zeroing_bits which, bool captures_only);
};

#endif
