// pack.h - the values of a sub-table of a Syzygy file, compressed by recursive pairing
//
// Values are leaves, bytes or 16-bit numbers, and some may be free: a free value takes any leaf that is allowed there,
// whichever compresses best. The result is the sub-table as it is in the file: a pair header with the symbols and the
// lengths of their codes, a sparse index, the lengths of blocks, and the blocks.
#ifndef CLTB_SYZYGY_WRITE_PACK_H
#define CLTB_SYZYGY_WRITE_PACK_H

#include "syzygy/write/packed.h"
#include "syzygy/write/values.h"
#include "util/threads.h"

// CLTB_E_MEMORY; a non-zero result of threads_each() or threads_check(). `pool`: NULL for the calling thread alone.
int syzygy_pack(struct syzygy_packed *packed, const struct syzygy_values *values, struct thread_pool *pool);

// About how many bytes these values would take, from a few rounds of pairing. For comparing orders of the same values;
// overwrites them. Thread-safe. CLTB_E_MEMORY.
int syzygy_estimate(const struct syzygy_values *values, uint64_t *bytes);

#endif
