// value.h - what positions are worth: which value is better, and what a move makes of a value
//
// A value is an outcome for the side to move and a distance to zeroing (DTZ) in plies, see <cltb/cltb.h>. The 50-move
// rule makes a win or a loss of more than PLY_LIMIT plies a cursed win or a blessed loss. Where only outcomes are
// known, the distance is DTZ_UNKNOWN, and counts as longer than any that is known:
//
//     after a move        before a quiet move   before a zeroing move
//     loss in 7           win in 8              win in 1
//     loss in 100         cursed win in 101     win in 1
//     win in 3            loss in 4             loss in 1
//     blessed loss 120    cursed win in 121     cursed win in 101
#ifndef CLTB_CHESS_VALUE_H
#define CLTB_CHESS_VALUE_H

#include <cltb/cltb.h>

#include <stdbool.h>
#include <stdint.h>

enum {
    PLY_LIMIT = 100, // the longest distance that the 50-move rule allows
    DTZ_UNKNOWN = -1,
    PLY_UNKNOWN = 1 << 20,     // how long it counts
    CURSED_PLY = PLY_LIMIT + 1 // the distance of a zeroing move that keeps a cursed win or a blessed loss
};

static inline bool outcome_is_cursed(int outcome)
{
    return outcome == CLTB_CURSED_WIN || outcome == CLTB_BLESSED_LOSS;
}

// The outcome of a win or loss in that many plies.
static inline int outcome_at(bool won, int ply)
{
    const int win = ply > PLY_LIMIT ? CLTB_CURSED_WIN : CLTB_WIN;
    return won ? win : -win;
}

// A value as a code of 16 bits, and back: 0 is a draw. So a win in 3 is 9, and a loss in 4 is 10. Code 1 is none; it
// counts as a draw.
static inline uint16_t value_code(bool won, int ply)
{
    return (uint16_t)((ply + 1) * 2 + (won ? 1 : 0));
}

static inline struct cltb_value value_of_code(unsigned code)
{
    struct cltb_value value = {.outcome = CLTB_DRAW};
    if (code <= 1)
        return value;
    value.dtz = (int)(code / 2) - 1;
    value.outcome = outcome_at(code % 2 != 0, value.dtz);
    return value;
}

// The distance of a position, not a draw, whose outcome a zeroing move keeps.
static inline int zeroing_ply(int outcome)
{
    return outcome_is_cursed(outcome) ? CURSED_PLY : 1;
}

// The value with a half-move clock of `fifty`: wins and losses that come too late are cursed wins and blessed losses.
static inline struct cltb_value value_with_clock(struct cltb_value value, int fifty)
{
    const int plies = value.dtz == DTZ_UNKNOWN ? 1 : value.dtz; // at least
    if (fifty + plies > PLY_LIMIT && (value.outcome == CLTB_WIN || value.outcome == CLTB_LOSS))
        value.outcome = outcome_at(value.outcome == CLTB_WIN, CURSED_PLY);
    return value;
}

// The value of a position from the value after one of its moves, with the half-move clock at 0 before the move.
static inline struct cltb_value value_before(struct cltb_value after, bool zeroing)
{
    struct cltb_value before = {.outcome = -after.outcome};
    if (before.outcome == CLTB_DRAW)
        return before;
    before.dtz = zeroing ? zeroing_ply(before.outcome) : after.dtz == DTZ_UNKNOWN ? DTZ_UNKNOWN : after.dtz + 1;
    before.rounded = !zeroing && after.rounded;
    return value_with_clock(before, 0);
}

// Negative if `a` is better than `b` for its side, 0 if they are equal. Wins should be fast, losses slow.
static inline int value_compare(struct cltb_value a, struct cltb_value b)
{
    if (a.outcome != b.outcome)
        return b.outcome - a.outcome;
    const int longer = (a.dtz == DTZ_UNKNOWN ? PLY_UNKNOWN : a.dtz) - (b.dtz == DTZ_UNKNOWN ? PLY_UNKNOWN : b.dtz);
    return a.outcome > CLTB_DRAW ? longer : -longer;
}

#endif
