// verify.h - compares the values of a set of placements with what follows from the legal moves
#ifndef CLTB_PLACED_CHECK_VERIFY_H
#define CLTB_PLACED_CHECK_VERIFY_H

#include "placed/check/set.h"

struct placed_verify_options {
    uint64_t sample; // 0: every position; else this many at random
    uint64_t seed;   // of the sample
    struct thread_pool *pool;
};

// Returns 0; CLTB_E_MISMATCH with a sentence about the first wrong position (FEN, stored and right value); or another
// negative code. *positions: the number checked.
int placed_verify(const struct placed_set *set, const struct placed_verify_options *options, uint64_t *positions);

// CLTB_E_MISMATCH: the table's value of the position contradicts another one.
int placed_contradiction(const struct position *position, struct cltb_value value, struct cltb_value other,
                         const char *says);

#endif
