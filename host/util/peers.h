// peers.h - processes that do one thing together
//
// All of them call the same functions in the same order. A process that fails must not go on: whoever started them
// ends the others.
#ifndef CLTB_UTIL_PEERS_H
#define CLTB_UTIL_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes to, or from, one process.
struct peer_bytes {
    void *bytes;  // malloc()'s; NULL: none
    size_t count; //
};

// What has gone from one process to another.
struct peer_traffic {
    uint64_t bytes;
    uint64_t messages;
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
    const struct peer_traffic *traffic; // of all of them together, as of the last sum; NULL: not counted
    bool *agreed;                       // all of them fail, by an error that all know
};

// 0 for one that is alone (peers == NULL).
static inline int peers_rank(const struct peers *peers)
{
    return peers != NULL ? peers->rank : 0;
}

// What a process gives to each one, gathered, and what it has got.
struct peer_mail {
    const struct peers *peers;
    struct peer_bytes *give; // [ranks]
    struct peer_bytes *take; // [ranks], of the last exchange
    size_t *space;           // [ranks], of give
};

int peer_mail_open(struct peer_mail *mail, const struct peers *peers); // to be closed whatever the result
void peer_mail_close(struct peer_mail *mail);

// Adds bytes for a process, or room for bytes that the caller fills in before the next call.
int peer_mail_put(struct peer_mail *mail, int rank, const void *bytes, size_t count);
int peer_mail_room(struct peer_mail *mail, int rank, size_t count, void **room);

int peer_mail_exchange(struct peer_mail *mail);

// Fails in all of them if any fails. The sentence is that of the first one that does, and names it unless all say the
// same; the command prints it once. Afterwards nobody waits for anybody: *agreed is set.
int peers_agree(const struct peers *peers, int code);

// The process that works on a window of `groups`.
static inline int peers_owner(const struct peers *peers, uint32_t groups, uint32_t group)
{
    return (int)((uint64_t)group * (uint64_t)peers->ranks / groups);
}

#endif
