// packed.h - a sub-table as it is in a Syzygy file
#ifndef CLTB_SYZYGY_WRITE_PACKED_H
#define CLTB_SYZYGY_WRITE_PACKED_H

#include <stdbool.h>
#include <stdint.h>

// All arrays are malloc'ed.
struct syzygy_packed {
    bool single;        // all values are equal: only `value` below is used
    uint16_t value;     //
    uint64_t values;    //
    uint8_t block_bits; // e: a block has 2^e bytes
    uint8_t span_bits;  // b: an entry of the sparse index stands for 2^b values
    uint8_t padding;    // p: lengths after those of the real blocks
    uint8_t code_min;   // lengths of codes, bits
    uint8_t code_max;
    uint32_t blocks;
    uint16_t *first;  // [code_max - code_min + 1] the first symbol of a length, from code_min on
    uint16_t symbols; // n
    uint8_t *symbol;  // [3 * n] as in the file
    uint8_t *sparse;  // [6 * spans] as in the file
    uint64_t spans;   //
    uint16_t *length; // [blocks + padding] values of a block - 1
    uint8_t *data;    // [blocks << block_bits]
};

// The bytes that a file needs for it: header, sparse index, lengths and blocks, rounded as in the file.
uint64_t syzygy_packed_bytes(const struct syzygy_packed *packed);

void syzygy_packed_free(struct syzygy_packed *packed);

#endif
