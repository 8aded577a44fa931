// reachable.h - the positions that can be reached from the initial position of dobutsu shogi, counted ply by ply
//
// A position is the board, the hands and the side to move; positions that become the same by turning the board (so that
// Sente is to move), by mirroring it or by exchanging identical pieces are one. No move is played from a decided
// position, but it is counted:
//
//     catch       the side to move can take the enemy lion (whatever else is true)
//     try         the enemy lion has ascended: it is on its far rank
//     can ascend  the side to move can ascend safely; decided only under the second rule
//     open        all others
//
// First rule: an ascension is played, and the position after it is decided one ply later. Second rule, `stop`: no
// winning move is played, so a lion is on its far rank only if it can be taken.
//
// The search goes breadth first. A set has one bit for each position, found by its place, a code as in dobutsu/code.h
// but with all pairs of lions that can occur: Sente's lion on 0, 1, 3, 4, 6 or 7 (2, 5, 8 are mirrored; it is never on
// its far rank, as its owner would have won), Gote's on any other square.
//
//     place = (((PC * 56 + PG) * 56 + PE) * 66 + lions) * 256 + op        < 2967207936
//
// With Sente's lion on file b, it is the smaller place of the position and its mirror image; a pair in hand of
// different owners has Sente's first. The set takes 371 MB, the open positions of two plies (4 bytes each) up to 100
// MB.
#ifndef CLTB_DOBUTSU_CHECK_REACHABLE_H
#define CLTB_DOBUTSU_CHECK_REACHABLE_H

#include "dobutsu/make/values.h"

#include <stdio.h>

enum { DOBUTSU_PLIES_MAX = 64 }; // room: the last new position is found at ply 39 (second rule: 40)

struct dobutsu_reached {
    uint64_t open;
    uint64_t catch;
    uint64_t try_lost; // for the side to move
    uint64_t can_ascend;
};

struct dobutsu_reachable {
    bool stop;                                     // the second rule
    int plies;                                     // entries of `ply`
    uint64_t moves;                                // out of the open positions whose moves were played
    struct dobutsu_reached ply[DOBUTSU_PLIES_MAX]; // new positions
    struct dobutsu_reached all;                    // their sums
    uint64_t value[DOBUTSU_VALUES];                // of the open positions
};

struct dobutsu_reachable_options {
    bool stop;
    int plies;              // the last ply to be counted; 0: all
    dobutsu_source *source; // values, read part by part at the end; NULL: `value` stays 0
    void *context;          // of the source
    struct thread_pool *pool;
};

// CLTB_E_MEMORY; CLTB_E_MISMATCH if the values do not go with the rules; or what the source returns.
int dobutsu_reachable_count(struct dobutsu_reachable *result, const struct dobutsu_reachable_options *options);

// All positions: the open ones and those in which the game ends.
uint64_t dobutsu_reached_sum(const struct dobutsu_reached *reached);

// Positions by their result for the side to move.
struct dobutsu_results {
    uint64_t won; // catch, can ascend, and open ones that are won
    uint64_t lost;
    uint64_t drawn;
};
struct dobutsu_results dobutsu_reachable_results(const struct dobutsu_reachable *result);

// "rule ply new open catch try_lost can_ascend cumulative", one line for each ply.
void dobutsu_reachable_write_plies(const struct dobutsu_reachable *result, FILE *file);

// "class byte meaning count", one line for each class and value; then "# sum - NAME NUMBER".
void dobutsu_reachable_write_values(const struct dobutsu_reachable *result, FILE *file);

#endif
