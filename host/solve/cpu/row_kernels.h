// row_kernels.h - a code of bitsets while a table is solved: not the smallest one, but quick
//
// A row is eight words. It is stored as its difference (XOR) from the words some places before them. Of eight distances
// that one is chosen whose code is shortest: often a man one square away makes no difference.
//
//     masks    a bit for each row that has a bit, in words of 64 rows
//     rows     of each of these, first a byte: the row it differs from (3 bits), and the number of different bytes
//              (5 bits), or ROW_MASKS
//              then the places of these bytes in the row, 0..63
//              after ROW_MASKS: a byte with a bit for each different word, and for each of these words a byte with a
//              bit for each different byte
//              then the differences of the bytes
//
// zstd took a fifth of the CPU time of KQRvKRB with packed planes: its level 1 packs 480 MB/s and unpacks 1180 where
// this code does 1200 and 2150. It takes 1.2 to 1.5 times the bytes of gap codes and zstd.
//
// The code is the same for every instruction set.
#ifndef CLTB_SOLVE_CPU_ROW_KERNELS_H
#define CLTB_SOLVE_CPU_ROW_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum {
    ROW_WORDS = 8,
    ROW_BYTES = 8 * ROW_WORDS,
    ROW_BEFORE = 1024,     // words that must lie before the bits, all zero
    ROW_SLACK = ROW_BYTES, // bytes after a code that are read or written, but not used
    ROWS_OF_MASK = 64
};

struct row_kernels {
    // Packs a bitset into code[row_code_bound()]; returns the code's bytes, 0 if no bit is set. The words after the
    // bitset up to a whole row must be zero.
    size_t (*pack)(const uint64_t *bits, size_t words, uint8_t *code);
    // Adds the words first..first+count-1 of a bitset of `words` words to some planes, `to`[planes][count]. `space` has
    // ROW_BEFORE words before it, and words enough for whole rows; it must be zero, and is left so.
    void (*add)(const uint8_t *code, size_t words, uint64_t *space, size_t first, size_t count, uint64_t *const *to,
                int planes);
    // Unpacks a bitset to bits[words]; the words after it up to a whole row become zero.
    void (*unpack)(const uint8_t *code, size_t words, uint64_t *bits);
};

static inline size_t rows_of(size_t words)
{
    return (words + ROW_WORDS - 1) / ROW_WORDS;
}

static inline size_t row_masks_of(size_t words)
{
    return (rows_of(words) + ROWS_OF_MASK - 1) / ROWS_OF_MASK;
}

// The most bytes that the code of a bitset takes, with the slack.
static inline size_t row_code_bound(size_t words)
{
    return 8 * row_masks_of(words) + (2 + ROW_WORDS + ROW_BYTES) * rows_of(words) + ROW_SLACK;
}

#endif
