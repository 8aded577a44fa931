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
    BITS_EXIST  // for pawn moves: those that exist (struct zeroing_rules)
};

// The additional rules of a restricted endgame. Its entries are those in which each man stands on a square of its set;
// all others are `outside`. A rule may decide a quiet move out of the endgame, a capture, or a move of a fixed man: the
// move does not exist, or it wins or draws at once. captured() and pawn_moves() include moves that win or draw by a
// rule. The worth of external moves is known for each entry separately, with its ply; planes treat these moves as if
// they did not exist.
struct zeroing_rules {
    // plane |= the entries that are outside.
    int (*outside)(void *context, struct plane *plane);
    // plane |= the entries in which a fixed piece of `side` attacks the enemy king.
    int (*attacks)(void *context, struct plane *plane, int side);
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
};

// What is known of an attacker's entries before the first ply of distances to mate.
struct mate_begin {
    const struct plane *illegal;     // with the defender to move, including overlap entries
    const struct plane *own_illegal; // the same without overlap entries
    const struct plane *won;         // illegal with the attacker to move, including overlap entries
    const struct plane *refuted;     // with the attacker to move: illegal entries and overlaps, without the defender's
                                     // legal captures
};

struct zeroing {
    void *context;
    bool cursed; // some of the endgames have cursed wins or blessed losses
    // plane |= the bits, at the overlap entries in which a piece has just captured a man of `victim`'s colour; `victim`
    // is then to move.
    int (*captured)(void *context, struct plane *plane, int victim, enum zeroing_bits which);
    // plane |= the entries of captured() in which the victim has won, or lost, in exactly `ply` plies to mate; sets
    // *any if there may be such entries; `longest`: the largest number of plies. NULL: there are no distances to mate.
    // Without begin_mates() they include captures that leave the king in check.
    int (*captured_at)(void *context, struct plane *plane, int victim, bool won, int ply, bool *any);
    int longest;
    // Unless NULL, must be called before these for each attacker.
    int (*begin_mates)(void *context, int attacker, const struct mate_begin *begin);
    // Sets *at to the entries from which the best pawn move of `mover`, won or lost for the other side, leads to a
    // position of exactly `ply` plies to mate. NULL: there are none. Valid until the next call.
    int (*pawn_moves_at)(void *context, int mover, bool won, int ply, const struct plane **at);
    // plane |= the entries from which a pawn move of `mover` leads to a position with that bit. NULL: no pawns.
    int (*pawn_moves)(void *context, struct plane *plane, int mover, enum zeroing_bits which, bool captures_only);
    const struct zeroing_rules *rules; // NULL: none
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
