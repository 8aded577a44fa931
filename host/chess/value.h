// value.h - outcomes and distances: the 50-move rule, which of two values is better, and the value before a move
#ifndef CLTB_CHESS_VALUE_H
#define CLTB_CHESS_VALUE_H

#include <cltb/cltb.h>

#include <stdbool.h>

enum {
    PLY_LIMIT = 100, // the 50-move rule: a longer distance is cursed
    CURSED_PLY       // the shortest cursed one: a zeroing move that keeps a cursed win or a blessed loss
};

// The outcome of a win or loss in that many plies.
static inline int outcome_at(bool won, int ply)
{
    const int win = ply > PLY_LIMIT ? CLTB_CURSED_WIN : CLTB_WIN;
    return won ? win : -win;
}

// The distance of a position whose outcome, not a draw, a zeroing move keeps.
static inline int zeroing_ply(int outcome)
{
    return outcome == CLTB_WIN || outcome == CLTB_LOSS ? 1 : CURSED_PLY;
}

// The value of a position from the value after one of its moves, with the half-move clock at 0 before the move.
static inline struct cltb_value value_before(struct cltb_value after, bool zeroing)
{
    struct cltb_value before = {-after.outcome, 0};
    if (before.outcome == CLTB_DRAW)
        return before;
    before.dtz = zeroing ? zeroing_ply(before.outcome) : after.dtz + 1;
    if (before.dtz > PLY_LIMIT) // also a quiet move to a loss in 100
        before.outcome = outcome_at(before.outcome > CLTB_DRAW, before.dtz);
    return before;
}

// Negative if `a` is better than `b` for the side that has it, 0 if they are equal: wins fast, losses slowly.
static inline int value_compare(struct cltb_value a, struct cltb_value b)
{
    if (a.outcome != b.outcome)
        return b.outcome - a.outcome;
    return a.outcome > CLTB_DRAW ? a.dtz - b.dtz : b.dtz - a.dtz;
}

#endif
