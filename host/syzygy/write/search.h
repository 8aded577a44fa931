// search.h - the order of the men in a sub-table
//
// An order is a permutation of the kinds of men, the fastest first. A trial brings a sample of the values into its
// order and asks syzygy_estimate() for its bytes; the kinds that are not chosen yet follow as they come.
//
//     1. All choices of the two fastest kinds are tried.
//     2. The best few of these go on with each other kind in the third place, and so on.
//     3. The best of all trials compete with a sample four times as large, and the best three of them, if they are
//        close and large, with one of eight times.
//     4. The best two are tried with the other way to fill free values, too: distances with yet another sample, as
//        they have been tried with both ways from the beginning.
//
// A sample has many short segments, one from each of as many shares of the sub-table: distant values differ most.
//
// Without pawns three kinds with one man each make group 0: the slowest three that are neighbours in the permutation.
#ifndef CLTB_SYZYGY_WRITE_SEARCH_H
#define CLTB_SYZYGY_WRITE_SEARCH_H

#include "syzygy/write/file.h"
#include "syzygy/write/gather.h"
#include "syzygy/write/packed.h"

// The best permutations that a search has found, and how they fill free values (packed.h). The best ones for pawns on
// one file are nearly the best on the others.
struct search_memory {
    int count; // 0: nothing is known yet
    uint8_t kind[10][SYZYGY_MEN_MAX];
    bool go_on[10];
    bool whole; // found by a whole search, not only by a guess
};

// Sets part->shape and part->go_on to the best found for the values `from`; *bytes is about what these take. `file`: of
// the leading pawn. If `memory` has permutations, only these are tried, otherwise those found are put there. `guess`:
// uses only the smallest samples.
int search_order(const struct natural *natural, const struct gather_tables *tables, int file,
                 const struct syzygy_values *from, bool guess, struct search_memory *memory, struct syzygy_part *part,
                 uint64_t *bytes);

// About the bytes needed for a sub-table of `values` values with `threads` threads.
uint64_t search_bytes(uint64_t values, int threads);

#endif
