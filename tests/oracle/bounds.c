// bounds.c - a search with an interval of values for every position
#include "oracle/bounds.h"

#include "chess/move.h"

// Values as numbers in their order, the largest for a win of 1: BASE - d for wins, BASE / 2 - d for cursed wins.
enum { BASE = 2000, MATED = -BASE, WIN_IN_1 = BASE - 1, FIFTY_MOVES = 100 };

struct interval {
    int worst;
    int best;
};

static int score_of(struct naive_value value)
{
    const bool exact = value.outcome == CLTB_WIN || value.outcome == CLTB_LOSS;
    const int size = (exact ? BASE : BASE / 2) - value.dtz;
    if (value.outcome == CLTB_DRAW)
        return 0;
    return value.outcome < CLTB_DRAW ? -size : size;
}

static struct naive_value value_of(int score)
{
    const int size = score < 0 ? -score : score;
    if (size == 0)
        return (struct naive_value){CLTB_DRAW, 0};
    if (size > BASE / 2)
        return (struct naive_value){score > 0 ? CLTB_WIN : CLTB_LOSS, BASE - size};
    return (struct naive_value){score > 0 ? CLTB_CURSED_WIN : CLTB_BLESSED_LOSS, BASE / 2 - size};
}

// What a move into a position is worth to the side that makes it.
static int before(int score, bool zeroing)
{
    struct naive_value value = value_of(score);
    if (value.outcome == CLTB_DRAW)
        return 0;
    bool exact = value.outcome == CLTB_WIN || value.outcome == CLTB_LOSS;
    value.outcome = -value.outcome;
    value.dtz = zeroing ? (exact ? 1 : FIFTY_MOVES + 1) : value.dtz + 1;
    if (exact && value.dtz > FIFTY_MOVES)
        value.outcome /= 2;
    return score_of(value);
}

// Exact for few men; the moves take care of an en passant slot.
static bool known(const struct naive *oracle, const struct position *p, struct interval *interval)
{
    struct naive_value value;
    if (position_men(p) > NAIVE_MEN_MAX || naive_query(oracle, p, &value) != 0)
        return false;
    interval->worst = interval->best = score_of(value);
    return true;
}

static struct interval search(const struct naive *oracle, struct position *p, int plies)
{
    struct interval result = {MATED, WIN_IN_1};
    uint32_t moves[MOVES_MAX];
    if (known(oracle, p, &result))
        return result;
    int count = moves_legal(p, moves);
    if (count == 0)
        result.worst = result.best = position_in_check(p) ? MATED : 0;
    if (count == 0 || plies == 0)
        return result;
    result.best = MATED;
    for (int i = 0; i < count && result.worst < WIN_IN_1; i++) {
        bool zeroing = move_is_zeroing(p, moves[i]);
        position_make(p, moves[i]);
        struct interval after = search(oracle, p, plies - 1);
        position_undo(p);
        int worst = before(after.best, zeroing);
        int best = before(after.worst, zeroing);
        result.worst = worst > result.worst ? worst : result.worst;
        result.best = best > result.best ? best : result.best;
    }
    return result;
}

void bounds_search(const struct naive *oracle, const struct position *p, int plies, struct bounds *bounds)
{
    struct position copy;
    position_copy(&copy, p);
    struct interval interval = search(oracle, &copy, plies);
    *bounds = (struct bounds){value_of(interval.worst), value_of(interval.best)};
}

bool bounds_meet(const struct bounds *bounds)
{
    return score_of(bounds->worst) == score_of(bounds->best);
}

bool bounds_hold(const struct bounds *bounds, struct naive_value value)
{
    const int score = score_of(value);
    return score_of(bounds->worst) <= score && score <= score_of(bounds->best);
}
