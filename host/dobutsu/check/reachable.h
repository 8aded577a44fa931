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
// The search goes breadth first. A set has one bit for each position, at its place (dobutsu/code.h): with Sente's lion
// on file b the smaller one of the position and its mirror image; a pair in hand of different owners has Sente's first.
// The set takes 371 MB, and the open positions of two plies 270 MB.
#ifndef CLTB_DOBUTSU_CHECK_REACHABLE_H
#define CLTB_DOBUTSU_CHECK_REACHABLE_H

#include "dobutsu/table.h"

#include <stdio.h>

enum { DOBUTSU_PLIES_MAX = 64 }; // room: the last new position is found at ply 39 (second rule: 40)

enum dobutsu_reached { DOBUTSU_OPEN, DOBUTSU_CATCH, DOBUTSU_TRY, DOBUTSU_CAN_ASCEND, DOBUTSU_REACHED };

struct dobutsu_reachable {
    bool stop;                                        // the second rule
    int plies;                                        // entries of `ply`
    uint64_t moves;                                   // out of the open positions whose moves were played
    uint64_t ply[DOBUTSU_PLIES_MAX][DOBUTSU_REACHED]; // new positions
    uint64_t all[DOBUTSU_REACHED];                    // their sums
    uint64_t value[DOBUTSU_VALUES];                   // of the open positions
};

struct dobutsu_reachable_options {
    bool stop;
    int plies;             // the last ply to be counted; 0: all
    const uint8_t *values; // of all codes; NULL: `value` stays 0
    struct thread_pool *pool;
};

// CLTB_E_MEMORY; CLTB_E_MISMATCH if the values do not go with the rules.
int dobutsu_reachable_count(struct dobutsu_reachable *result, const struct dobutsu_reachable_options *options);

// All positions: the open ones and those in which the game ends.
uint64_t dobutsu_reached_sum(const uint64_t reached[DOBUTSU_REACHED]);

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
