// row_code.h - a code of bitsets that stay in memory: not the smallest one, but quick
//
// A row is eight words. It is stored as its difference (XOR) from the words some places before them. Of eight distances
// that one is chosen whose code is shortest: often a man one square away makes no difference.
//
//     masks    a bit for each row that has a bit, in words of 64 rows
//     rows     of each of these, first a byte: the row it differs from (3 bits), and the number of different bytes
//              (5 bits), or ROW_MASKS
//              then as many pairs: the place of a byte in the row, 0..63, and its difference
//              after ROW_MASKS: a byte with a bit for each different word, and for each of these words a byte with a
//              bit for each different byte, and their differences
#ifndef CLTB_SOLVE_CPU_ROW_CODE_H
#define CLTB_SOLVE_CPU_ROW_CODE_H

#include <stddef.h>
#include <stdint.h>

enum {
    ROW_WORDS = 8,
    ROW_BEFORE = 1024, // words that must lie before the bits, all zero
    ROW_SLACK = 8      // bytes after a code that are read, but not used
};

// The most bytes that the code of a bitset takes.
size_t row_code_bound(size_t words);

// Packs a bitset into code[row_code_bound()]; returns the code's bytes, 0 if no bit is set. The words after the bitset
// up to a whole row must be zero.
size_t row_code_pack(const uint64_t *bits, size_t words, uint8_t *code);

// Adds the words first..first+count-1 of a bitset of `words` words to some planes, `to`[planes][count]. `space` has
// ROW_BEFORE words before it, and words enough for whole rows; it must be zero, and is left so.
void row_code_or(const uint8_t *code, size_t words, uint64_t *space, size_t first, size_t count, uint64_t *const *to,
                 int planes);

#endif
