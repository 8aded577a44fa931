// pack.h - the values of a sub-table of a Syzygy file, compressed by recursive pairing
//
// Values are leaves, bytes or 16-bit numbers, and some may be free: a free value takes any leaf that is allowed there,
// whichever compresses best. What comes out is what the file has of a sub-table: a pair header with the symbols and the
// lengths of their codes, a sparse index, the lengths of blocks, and the blocks.
#ifndef CLTB_SYZYGY_WRITE_PACK_H
#define CLTB_SYZYGY_WRITE_PACK_H

#include "util/threads.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Free values: bytes, or 16-bit numbers of the same names with 0xff00 added. Leaves are smaller than all of these.
enum syzygy_free {
    SYZYGY_FREE_MIN = 0xfc,
    SYZYGY_TO_BLESSED = 0xfc, // a leaf 0 or 1: any outcome up to a blessed loss
    SYZYGY_TO_DRAW = 0xfd,    // 0..2
    SYZYGY_TO_CURSED = 0xfe,  // 0..3
    SYZYGY_ANY = 0xff         // any leaf
};

struct syzygy_values {
    void *values;   // [count], which packing overwrites
    unsigned width; // bytes of a value, 1 or 2
    uint64_t count;
    bool wdl; // outcomes 0..4; else codes of distances
};

// All arrays are malloc'ed.
struct syzygy_packed {
    bool single;        // one value for all: nothing below but `value`
    uint16_t value;     //
    uint64_t values;    //
    uint8_t block_bits; // e: a block has 2^e bytes
    uint8_t span_bits;  // b: an entry of the sparse index for 2^b values
    uint8_t padding;    // p: lengths behind those of real blocks
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

// The bytes that a file spends on it: header, sparse index, lengths and blocks, rounded as in the file.
uint64_t syzygy_packed_bytes(const struct syzygy_packed *packed);

// CLTB_E_MEMORY; a non-zero result of threads_each(). `pool`: NULL for the calling thread alone.
int syzygy_pack(struct syzygy_packed *packed, const struct syzygy_values *values, struct thread_pool *pool);
void syzygy_packed_free(struct syzygy_packed *packed);

// About how many bytes these values would take, from a few rounds of pairing. For comparing orders of the same values;
// overwrites them. Thread-safe. CLTB_E_MEMORY.
int syzygy_estimate(const struct syzygy_values *values, uint64_t *bytes);

#endif
