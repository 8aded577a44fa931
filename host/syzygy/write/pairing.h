// pairing.h - symbols that often stand side by side become pairs
#ifndef CLTB_SYZYGY_WRITE_PAIRING_H
#define CLTB_SYZYGY_WRITE_PAIRING_H

#include "syzygy/write/symbols.h"

struct pairing_limits {
    unsigned ids;       // numbers of symbols, at most IDS_MAX
    unsigned frequency; // the lowest threshold (pairing.c)
    unsigned step;      // percent: how far it falls at a time
    int64_t toll;       // what is taken off a pair's gain each time it occurs, bits times 2^LOG2_BITS
    uint64_t room;      // bytes that threads may take to note changes; 0: no limit
};

// CLTB_E_MEMORY, or the result of threads_check(). `pool`: NULL for the calling thread alone.
int pairing_run(struct symbols *symbols, const struct pairing_limits *limits, struct thread_pool *pool);

// Bytes that it takes with all numbers of symbols: with one thread, and with `threads` threads without a limit.
void pairing_bytes(int threads, uint64_t *least, uint64_t *most);

#endif
