// peers.h - processes that do one thing together
//
// All of them call the same functions in the same order. A process that fails must not go on: whoever started them
// ends the others.
#ifndef CLTB_UTIL_PEERS_H
#define CLTB_UTIL_PEERS_H

#include <stddef.h>
#include <stdint.h>

// Bytes to, or from, one process.
struct peer_bytes {
    void *bytes;  // malloc()'s; NULL: none
    size_t count; //
};

struct peers {
    int rank;
    int ranks;
    // Gives give[r] to process r and takes what it gives to take[r], which the caller frees. 0 or a negative
    // cltb_status.
    int (*exchange)(void *context, const struct peer_bytes *give, struct peer_bytes *take);
    // number[i] becomes the sum of all processes' number[i].
    int (*sum)(void *context, uint64_t *number, int count);
    void *context;
};

// The process that works on a window of `groups`.
static inline int peers_owner(const struct peers *peers, uint32_t groups, uint32_t group)
{
    return (int)((uint64_t)group * (uint64_t)peers->ranks / groups);
}

#endif
