// pack.h - the values of a sub-table of a Syzygy file, compressed by recursive pairing
//
// Values are leaves, and some may be free: a free value takes any leaf that is allowed there,
// whichever compresses best. The result is the sub-table as it is in the file: a pair header with the symbols and the
// lengths of their codes, a sparse index, the lengths of blocks, and the blocks.
#ifndef CLTB_SYZYGY_WRITE_PACK_H
#define CLTB_SYZYGY_WRITE_PACK_H

#include "syzygy/write/packed.h"
#include "util/threads.h"

// Packs values. CLTB_E_MEMORY, or a nonzero result of threads_each() or threads_check(). `pool`: NULL to use only the
// calling thread.
int syzygy_pack(struct syzygy_packed *packed, const struct syzygy_values *values, struct thread_pool *pool);

// Estimates from a few rounds of pairing how many bytes these values would take, for comparing orders of the same
// values. Overwrites the values. Thread-safe. CLTB_E_MEMORY.
int syzygy_estimate(const struct syzygy_values *values, uint64_t *bytes);

#endif
