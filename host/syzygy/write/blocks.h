// blocks.h - symbols in codes, codes in blocks, and the tables that a reader needs
#ifndef CLTB_SYZYGY_WRITE_BLOCKS_H
#define CLTB_SYZYGY_WRITE_BLOCKS_H

#include "syzygy/write/packed.h"
#include "syzygy/write/symbols.h"

// Makes the blocks. Open classes in the slices become leaves. CLTB_E_MEMORY, or the result of threads_check(). Call
// syzygy_packed_free() even after an error. `pool`: NULL for none.
int blocks_write(struct syzygy_packed *packed, struct symbols *symbols, bool wdl, struct thread_pool *pool);

// The bits that the slices take in a Huffman code, without the list of symbols. Closes open classes, too.
// CLTB_E_MEMORY.
int blocks_estimate(struct symbols *symbols, uint64_t *bits);

enum { CODE_BITS_MAX = 32 }; // readers refill 64 bits when 32 are used

// length[i]: bits of the code of symbol i; 0 if its frequency is 0, 1 if it is the only symbol. No code of at most
// `limit` bits takes fewer bits in total; 2^limit >= count. CLTB_E_MEMORY.
int huffman_lengths(const uint64_t *frequency, unsigned count, unsigned limit, uint8_t *length);

#endif
