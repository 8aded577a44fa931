// bounds.h - what a search of a few plies proves about a position with more men than the naive oracle can solve
//
// Where a line ends in mate, stalemate or few enough men, the value is exact; where the search stops, any value is
// possible. Values are totally ordered (short wins first, then cursed wins, draws, blessed losses, long losses before
// short ones), and the step from a successor's value to the value of the move keeps that order. So bounds go up the
// tree as values do, and prove the value where they meet.
#ifndef CLTB_TESTS_ORACLE_BOUNDS_H
#define CLTB_TESTS_ORACLE_BOUNDS_H

#include "oracle/naive.h"

struct bounds {
    struct naive_value worst; // for the side to move
    struct naive_value best;
};

// Searches `plies` moves ahead. The oracle should know the materials that captures lead to.
void bounds_search(const struct naive *oracle, const struct position *p, int plies, struct bounds *bounds);

bool bounds_meet(const struct bounds *bounds);

// Is the value between the bounds?
bool bounds_hold(const struct bounds *bounds, struct naive_value value);

#endif
