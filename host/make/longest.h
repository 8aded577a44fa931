// longest.h - a guest of the iteration that gives the longest wins and losses of a side
#ifndef CLTB_MAKE_LONGEST_H
#define CLTB_MAKE_LONGEST_H

#include "solve/iteration.h"
#include "solve/iteration_state.h"

// All positions of a side's longest win or loss, under the 50-move rule or beyond it.
struct solver_longest {
    int side; // to move
    bool won;
    int ply;
    const struct plane *positions;
    bool quiet; // only those that no zeroing move wins
};

struct longest_watch {
    struct iteration_guest guest;
    int side;
    int (*give)(void *context, struct backend *backend, const struct solver_longest *longest);
    void *context;
    // The plies found last, whose positions are in the plane that the side's next step writes or, for losses, in either
    // of two planes; then the plane that replaces it, and its ply. -1: none.
    int found_at[2];
    struct plane *spare;
    int spare_at;
    struct plane *quiet;
    int quiet_at; // its ply
};

// give() is called with the longest wins and losses of `side` (-1: neither), whose distances are not kept, at most
// twice each; with keep_slabs, if the longest wins of either side are in 1 ply, or 101, also with the quiet ones among
// them. It takes a plane. Only for DTZ, without rules. The watch serves one iteration at a time.
void longest_watch_open(struct longest_watch *watch, int side,
                        int (*give)(void *context, struct backend *backend, const struct solver_longest *longest),
                        void *context);

#endif
