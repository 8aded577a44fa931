// rests.h - the assumptions behind an undecided verdict
//
// One side's claim is the outcome that it gets in the run in which it wins all bounded structures. The claim rests on
// the bounded structures that are reached when that side plays as in that run, against all replies after which the
// claim is not proved: if the claim holds in these structures, it holds.
#ifndef CLTB_STRUCTURES_RESTS_H
#define CLTB_STRUCTURES_RESTS_H

#include "structures/store.h"

struct structure_rest {
    uint32_t number;    // of the structure in the graph
    uint32_t positions; // positions of the structure that are reached
    uint8_t claimant;
    uint8_t mover; // the side whose move leads to it
    uint8_t to;    // the target square of that move
    uint8_t type;  // the type of the man that is then on this square
    bool leaves;   // or: a man leaves the structure for a square outside its set, by a move to any structure
};

struct structure_rests {
    struct structure_rest *rest; // [count] most positions first
    size_t count;
    size_t room;
};

// The replies of the other side that are followed: all, or only some, which finds some of the structures that the claim
// rests on.
enum structure_replies {
    REPLIES_ONE,  // one reply that is best in the other run
    REPLIES_BEST, // all that are best there
    REPLIES_ALL   // all after which the claim is not proved
};

// The position must be reachable from the graph's position, and its outcome uncertain. Adds to *rests. `allowed`: bytes
// of all memory: positions that do not fit in a small part of it are left out.
int structure_rests_find(struct structure_rests *rests, struct structure_store *store, const struct position *position,
                         int claimant, enum structure_replies replies, uint64_t allowed);
void structure_rests_free(struct structure_rests *rests);

#endif
