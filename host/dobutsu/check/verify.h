// verify.h - proves a dobutsu database right from the rules of the game and nothing else
//
// What is checked, for every code:
//
// 1. It is marked invalid (0xff) exactly if two men stand on one square or a chick in hand is a rooster.
// 2. Else its value is 0 exactly if Sente can take the lion or ascend safely (dobutsu/rules.h).
// 3. Else its value follows from the values of the positions after all possible moves: 1 + the smallest odd one if
//    there is an odd one; else a draw if one is a draw; else 1 + the largest one, or 1 without a move. A position after
//    a move that has no code counts as 0, and there Gote must be able to take the lion.
//
// Example: if the moves lead to the values 4, 31 and 254, the right value is 32 (the opponent is lost in 31); to 4, 10
// and 254, it is 254; to 4 and 10, it is 11.
//
// Why that is enough. By induction on n, a code with the value n < 0xfe is won (n even) or lost (n odd) in exactly n
// plies before the winning move. Those with 0 are won at once. An odd n says that every move leads to a win of the
// opponent in at most n - 1, one in exactly that, and none to a draw or a loss; an even n > 0 says that some move leads
// to a loss of the opponent in n - 1 and none to a shorter one. A code marked as a draw has a move to one marked as a
// draw and none to one marked as lost, which is truly lost: so each side can keep to draws for ever and cannot do
// better. What follows from 253 would be 254, a byte that stands for a draw: there no value is right. Codes of one
// position (mirror images, pairs in hand with their owners exchanged) are checked one by one.
//
// The verifier uses nothing of the solver, nor of the sets that the table leaves out: only the rules and the position
// of a code.
#ifndef CLTB_DOBUTSU_CHECK_VERIFY_H
#define CLTB_DOBUTSU_CHECK_VERIFY_H

#include "dobutsu/table.h"

enum { DOBUTSU_NONE_RIGHT = -1 };

struct dobutsu_verify_options {
    uint64_t sample; // 0: every code; else this many at random
    uint64_t seed;   // of the sample
    struct thread_pool *pool;
};

struct dobutsu_verify_result {
    uint64_t codes;   // looked at
    uint64_t invalid; // of these
    uint64_t won;     // at once
};

// Every code: the checksums are checked first, the counts of the table's head last, and it takes DOBUTSU_CODES bytes of
// memory. CLTB_E_MISMATCH: code, position, what is stored, what is right. The sentence is about the wrong code with the
// lowest number from which no move leads to another wrong one (where one byte is wrong: that one). Stops at 1000 wrong
// codes.
int dobutsu_verify(struct dobutsu_table *table, const struct dobutsu_verify_options *options,
                   struct dobutsu_verify_result *result);

// The value of another code for dobutsu_verify_code(). 0 or a negative code.
typedef int dobutsu_lookup(void *context, uint32_t code, uint8_t *value);

// Finds what the byte of a code must be, given the values of the positions after its moves from `lookup`: a byte or
// DOBUTSU_NONE_RIGHT.
int dobutsu_verify_code(uint32_t code, dobutsu_lookup *lookup, void *context, int *right);

#endif
