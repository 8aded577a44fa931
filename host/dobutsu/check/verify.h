// verify.h - proves a dobutsu database right from the rules of the game and nothing else
//
// What is checked, for every code:
//
//     1. it is marked invalid (0xff) exactly if two men stand on one square or a chick in hand is a rooster;
//     2. else its value is 0 exactly if Sente can take the lion or ascend safely (dobutsu/rules.h);
//     3. else its value follows from the values of the positions after all possible moves: 1 + the smallest odd one if there
//        is an odd one; else a draw if one is a draw; else 1 + the largest one, or 1 without a move. A position after a move that
//        has no code counts as 0, and there Gote must be able to take the lion.
//
// Why that is enough. By induction on n, a code with the value n < 0xfe is won (n even) or lost (n odd) in exactly n plies
// before the winning move: 0 are those won at once. An odd n says that every move leads to a win of the opponent in at most
// n - 1, one in exactly that, none to a draw or a loss; an even n > 0 that some move leads to a loss of the opponent in n - 1
// and none to a shorter one. A code marked as a draw has a move to one marked as a draw and none to one marked (so, in truth)
// lost: each side can keep to draws for ever and cannot do better. What follows from 253 would be 254, a byte that stands for
// a draw: there no value is right. Codes of one position (mirror images, identical pieces in hand with their owners exchanged) are
// checked one by one.
//
// Nothing of the solver and of the sets that the store leaves out is used: only the rules and the position of a code.
#ifndef CLTB_DOBUTSU_CHECK_VERIFY_H
#define CLTB_DOBUTSU_CHECK_VERIFY_H

#include "dobutsu/make/values.h"

enum { DOBUTSU_FAULT_MAX = 300, DOBUTSU_NONE_RIGHT = -1 };

struct dobutsu_verify_options {
    uint64_t sample; // 0: every code; else this many at random
    uint64_t seed;   // of the sample
    struct thread_pool *pool;
};

struct dobutsu_verify_result {
    uint64_t codes;                // looked at
    uint64_t invalid;              // of these
    uint64_t won;                  // at once
    char fault[DOBUTSU_FAULT_MAX]; // CLTB_E_MISMATCH: code, position, what is stored, what is right
};

// 0; CLTB_E_MISMATCH with the sentence in `fault`, too; or another negative code. Every code: the checksums are checked first,
// the counts of the table's head last, and it takes DOBUTSU_CODES bytes of memory. Shown is the wrong code with the lowest
// number from which no move leads to another wrong one (where one byte is wrong: that one). It is given up at 1000 wrong codes.
int dobutsu_verify(struct dobutsu_values *values, const struct dobutsu_verify_options *options,
                   struct dobutsu_verify_result *result);

// The value of another code for dobutsu_verify_code(). 0 or a negative code.
typedef int dobutsu_lookup(void *context, uint32_t code, uint8_t *value);

// What the byte of a code must be, by the values that `lookup` gives for the positions after the moves, or
// DOBUTSU_NONE_RIGHT.
int dobutsu_verify_code(uint32_t code, dobutsu_lookup *lookup, void *context, int *right);

#endif
