// code_pairs.h - entries with the same code, word by word (in cpu/: kernels for each instruction set)
#ifndef CLTB_SOLVE_CODE_PAIRS_H
#define CLTB_SOLVE_CODE_PAIRS_H

#include <stddef.h>
#include <stdint.h>

// The entries of a word that have the same code.
struct code_pair {
    uint64_t mask;
    uint16_t word;
    uint16_t code;
};

// Finds the pairs of `words` words, a multiple of 8 and at most 2^16: bit i of their entries' codes is in
// planes[i * words]. Entries in `closed` and those with code 0 are in none. Counts those of each code in
// counts[1 << bits], at most MATE_CODE_BITS bits. `pairs` has room for 64 pairs a word and one more. Returns their
// number.
typedef size_t (*code_pairs_find)(const uint64_t *planes, const uint64_t *closed, size_t words, int bits,
                                  struct code_pair *pairs, uint32_t *counts);

// The one of the best instruction set of this processor.
code_pairs_find code_pairs_choose(void);

#endif
