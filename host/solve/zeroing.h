// zeroing.h - captures and pawn moves, as planes
//
// Moves that reset the 50-move clock leave the planes that are being solved. The values of the positions that they lead
// to come from struct zeroing, which has two implementations: futurebases of an endgame without pawns (solver.c), and
// slabs for slices (slice_moves.c).
#ifndef CLTB_SOLVE_ZEROING_H
#define CLTB_SOLVE_ZEROING_H

#include "solve/backend.h"

// Bits of the position after the move, for the side that is then to move. "Ever": without the 50-move rule.
enum zeroing_bits {
    BITS_LOST,
    BITS_LOST_EVER,
    BITS_NOT_WON, // also legal, for pawn moves
    BITS_NOT_WON_EVER,
    BITS_LEGAL, // all; for captures also illegal ones
    BITS_EXIST  // for pawn moves: those that exist by the rules of the endgame
};

struct iteration_guest; // iteration_state.h

struct zeroing {
    void *context;
    bool cursed; // some of the endgames have cursed wins or blessed losses
    // plane |= the bits, at the overlap entries in which a piece has just captured a man of `victim`'s colour; `victim`
    // is then to move.
    int (*captured)(void *context, struct plane *plane, int victim, enum zeroing_bits which);
    // plane |= the entries from which a pawn move of `mover` leads to a position with that bit. NULL: no pawns.
    int (*pawn_moves)(void *context, struct plane *plane, int mover, enum zeroing_bits which, bool captures_only);
    // plane |= the entries that are outside the endgame although no men share a square. NULL: there are none.
    int (*outside)(void *context, struct plane *plane);
    // plane |= the entries in which a fixed piece of `side` attacks the enemy king. NULL: there are none.
    int (*attacks)(void *context, struct plane *plane, int side);
    struct iteration_guest *guest; // or NULL
};

// to = the positions from which a zeroing move of `mover` leads to a position with that bit. `illegal`, or NULL: the
// entries that are illegal with the other side to move; captures that lead to these do not count.
int zeroing_find(struct backend *backend, const struct zeroing *zeroing, struct plane *to, int mover,
                 enum zeroing_bits which, bool captures_only, struct plane *scratch, const struct plane *illegal);

// ---- entries in which men share a square ----

enum pair_choice {
    PAIRS_ALL,
    PAIRS_OF_SIDE, // two men of `side`
    PAIRS_ON_KING  // a man of `side` and the enemy king
};

// plane |= the entries in which the two men of such a pair share a square.
int overlaps_mark(struct backend *backend, struct plane *plane, enum pair_choice choice, int side);

// ---- what captures alone decide ----

// Bits of the positions of one side to move, as planes of a backend or as words of 64 entries. "Ever": without the
// 50-move rule; if nothing is cursed, these planes are NULL, and these words are those with the rule.
enum verdict_plane {
    VERDICT_ILLEGAL, // an overlap, or the other king is en prise
    VERDICT_WINS,    // some capture wins
    VERDICT_HOLDS,   // some capture does not lose
    VERDICT_WINS_EVER,
    VERDICT_HOLDS_EVER,
    VERDICT_PLANES
};

// `illegal`: as for zeroing_find(). `zeroing` == NULL: only VERDICT_ILLEGAL.
int capture_verdict_find(struct backend *backend, const struct zeroing *zeroing, int side, const struct plane *illegal,
                         struct plane *verdict[VERDICT_PLANES]);
void capture_verdict_free(struct backend *backend, struct plane *verdict[VERDICT_PLANES]);

// The outcomes of one side to move, as words of 64 entries.
struct outcome_words {
    uint64_t *illegal; // NULL: not wanted
    uint64_t *won;     // under the 50-move rule; also illegal entries
    uint64_t *lost;
    uint64_t *won_ever; // without the rule; NULL if there is no difference
    uint64_t *lost_ever;
};

// Completes stored outcomes, where a position that is resolved by a capture may have any value up to the capture's: a
// capture that wins makes a win, one that holds removes a loss. An illegal entry is won. Initially won_ever and
// lost_ever need not include won and lost.
void outcomes_resolve(const struct outcome_words *outcome, uint64_t *const verdict[VERDICT_PLANES], size_t words);

#endif
