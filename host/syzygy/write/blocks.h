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

#endif
