// search.h - the order of the men in a sub-table
//
// An order is a permutation of the kinds of men, the fastest first. It is found greedily: for the next place every kind
// is tried that is left, with each of the others in the place after it, and the rest as they come; the kind of the best
// trial stays. A trial brings a sample of the values into its order and asks syzygy_estimate() for its bytes.
// In the end the best four compete with a sample four times as large.
//
// Without pawns three kinds with one man each make group 0: the slowest three that are neighbours in the permutation.
#ifndef CLTB_SYZYGY_WRITE_SEARCH_H
#define CLTB_SYZYGY_WRITE_SEARCH_H

#include "syzygy/write/gather.h"
#include "syzygy/write/pack.h"

// The best permutations that a search has found. What is best for pawns on one file is nearly so on the others.
struct search_memory {
    int count; // 0: nothing is known yet
    uint8_t kind[4][SYZYGY_MEN_MAX];
};

// The best order found for the values `from`, and about how many bytes it takes. `file`: of the leading pawn. Only the
// permutations in `memory` are tried if there are any, else those found are put there.
int search_order(const struct natural *natural, const struct gather_tables *tables, int file,
                 const struct syzygy_values *from, struct search_memory *memory, struct syzygy_shape *shape,
                 uint64_t *bytes);

// Bytes that it takes for a sub-table of so many values with so many threads, about.
uint64_t search_bytes(uint64_t values, int threads);

#endif
