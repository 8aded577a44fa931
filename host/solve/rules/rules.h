// rules.h - the additional rules of a restricted endgame, as a guest of the iteration
#ifndef CLTB_SOLVE_RULES_RULES_H
#define CLTB_SOLVE_RULES_RULES_H

#include "solve/iteration_state.h"

// The endgame's entries are those in which each man stands on a square of its set; all others are outside
// (zeroing.outside). A rule may decide a quiet move out of the endgame, a capture, or a move of a fixed man: the move
// does not exist, or it wins or draws at once. captured() and pawn_moves() of struct zeroing include moves that win or
// draw by a rule. The worth of external moves is known for each entry separately, with its ply; planes treat these
// moves as if they did not exist.
//
// The functions get zeroing.context.
struct rules {
    struct iteration_guest guest; // first, so that its hooks find the rest
    // plane |= the entries, outside or overlaps, to which moves of `mover` would lead that the rules rule out.
    int (*absent)(void *context, struct plane *plane, int mover);
    // plane |= the entries from which a quiet move of a fixed piece of `mover` leads into `from`, or ~from. NULL: there
    // are none.
    int (*hops)(void *context, struct plane *plane, int mover, const struct plane *from, bool invert);
    // plane |= the entries with `side` to move whose best external move wins, or loses, in exactly `ply` plies; ply -1:
    // those that have an external move. NULL: there are none.
    int (*external)(void *context, struct plane *plane, int side, bool won, int ply);
    // The next such ply from `ply` on, for wins or for losses; INT_MAX: none.
    int (*next_external)(void *context, int side, bool won, int ply);
    bool stalemate_wins[COLOURS]; // by the side that has no move: it is not a draw
    bool stalemate_loses[COLOURS];
    // Of the current attacker:
    struct plane *held;     // the defender's entries with a move of external() that is not lost yet
    struct plane *avoiding; // closed, and the entries that avoid a loss only at this ply
};

// Sets the guest's hooks. close() is the caller's.
void rules_open(struct rules *rules);

#endif
