// packed.h - the values of a sub-table, and what they become in a Syzygy file: compressed by recursive pairing
//
// Values are leaves, and some may be free: a free value takes any leaf that is allowed there,
// whichever compresses best. The result is the sub-table as it is in the file: a pair header with the symbols and the
// lengths of their codes, a sparse index, the lengths of blocks, and the blocks.
#ifndef CLTB_SYZYGY_WRITE_PACKED_H
#define CLTB_SYZYGY_WRITE_PACKED_H

#include "util/threads.h"

#include <stdbool.h>
#include <stdint.h>

// Free values. Leaves are smaller than all of these.
enum syzygy_free {
    SYZYGY_FREE_MIN = 0xfc,
    SYZYGY_TO_BLESSED = 0xfc, // a leaf 0 or 1: any outcome up to a blessed loss
    SYZYGY_TO_DRAW = 0xfd,    // 0..2
    SYZYGY_TO_CURSED = 0xfe,  // 0..3
    SYZYGY_ANY = 0xff         // any leaf
};

struct value_slices;

struct syzygy_values {
    uint8_t *values;             // [count], which packing overwrites
    struct value_slices *slices; // or the same in slices, which packing drops; else NULL
    uint64_t count;
    bool wdl; // outcomes 0..4; else codes of distances
    // How free values are filled; either way may take fewer bytes. False: outcomes between two neighbours that both fit
    // become the more frequent of these; long runs of distances become the most frequent distance of all. True:
    // outcomes continue a neighbour that is in a run, preferably the one before; long runs of distances are filled as
    // short ones.
    bool go_on;
    // Memory from memory_map() for packing, used as far as it suffices; its pages are given back if the symbols do not
    // fit. NULL: none.
    void *scratch;
    uint64_t scratch_bytes;
    uint64_t room; // bytes that threads may use for notes of changes of pairs; 0: no limit
};

// A sub-table as it is in the file. All arrays are malloc'ed.
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
    uint8_t *data;    // [blocks << block_bits]; NULL: they are away,
    uint64_t away;    // at this place (disk/overflow.h)
};

// ---- pack.c ----

// Packs values. CLTB_E_MEMORY, or a nonzero result of threads_each() or threads_check(). `pool`: NULL to use only the
// calling thread.
int syzygy_pack(struct syzygy_packed *packed, const struct syzygy_values *values, struct thread_pool *pool);
void syzygy_packed_free(struct syzygy_packed *packed);

// Estimates from a few rounds of pairing how many bytes these values would take, for comparing orders of the same
// values. Overwrites the values. Thread-safe. CLTB_E_MEMORY.
int syzygy_estimate(const struct syzygy_values *values, uint64_t *bytes);

#endif
