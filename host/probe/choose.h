// choose.h - the move that a good player makes, among those that the tables call equally good
//
// The least distance to zeroing is no plan: it is often reached by giving a man up. Among the moves that keep the best
// outcome, in spite of the half-move clock, choose_move() takes
//
//     1. by distances to mate, where the tables have them, or the distance to zeroing is that to mate: the shortest
//        mate (the loser: the longest);
//     2. otherwise the best of a small search (captures to the end, `nodes` positions): the shortest mate that it
//        finds, else the move that keeps the most men, else the least distance to zeroing (the loser: the greatest),
//        else the one that drives the weaker king to the edge.
//
// Moves of the second kind need not shorten the distance to zeroing. Play ends nevertheless: the clock leaves only
// moves that do, at last, and positions that have occurred are avoided. The choice is the same on every machine.
#ifndef CLTB_PROBE_CHOOSE_H
#define CLTB_PROBE_CHOOSE_H

#include "probe/probe.h"

enum { CHOOSE_NODES = 30000, CHOOSE_NODES_LINE = 6000 }; // for a move to be played, and for each of a line

struct choice {
    int index;   // among the moves
    int to_mate; // plies, if mate is proved; -1: unknown
};

// `ranked`: all legal moves, best first; the clock counts as in their values. `past`: keys of positions that should not
// occur again, besides those in the history of `p`.
struct choice choose_move(cltb_tables *tables, struct position *p, const struct ranked_move *ranked, int count,
                          const uint64_t *past, int past_count, int nodes);

// Can the winner of this position win only by mate, and the loser not capture without drawing? Then the distance to
// zeroing is the distance to mate. This holds for a bare king against at most one piece, or two minor pieces.
bool distance_is_mate(const struct position *p, int winner);

#endif
