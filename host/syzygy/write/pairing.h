// pairing.h - symbols that often stand side by side become pairs
#ifndef CLTB_SYZYGY_WRITE_PAIRING_H
#define CLTB_SYZYGY_WRITE_PAIRING_H

#include "syzygy/write/symbols.h"
#include "util/saturate.h"

struct pairing_limits {
    unsigned ids;       // numbers of symbols, at most IDS_MAX
    unsigned frequency; // the lowest threshold (pairing.c)
    unsigned step;      // per cent by which it falls at a time
    int64_t toll;       // subtracted from a pair's gain for each occurrence, in bits times 2^LOG2_BITS
    uint64_t room;      // bytes that threads may use for notes of changes; 0: no limit
};

// Replaces pairs. CLTB_E_MEMORY, or the result of threads_check(). `pool`: NULL to use only the calling thread.
int pairing_run(struct symbols *symbols, const struct pairing_limits *limits, struct thread_pool *pool);

// For all numbers of symbols: with one thread, and with `threads` threads and no limit.
struct memory_need pairing_need(int threads);

#endif
