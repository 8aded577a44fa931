// peers.h - processes that do one thing together
//
// All of them call the same functions in the same order. A process that fails must not go on: its starter ends the
// others, unless they can be told.
#ifndef CLTB_UTIL_PEERS_H
#define CLTB_UTIL_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes to, or from, one process.
struct peer_bytes {
    void *bytes;  // malloc()'s; NULL: none
    size_t count; // bytes
};

// The traffic from one process to another.
struct peer_traffic {
    uint64_t bytes;
    uint64_t messages;
};

struct peers {
    int rank;
    int ranks;
    // Gives give[r] to process r, and puts what process r gives into take[r], which the caller must free. Returns 0 or
    // a negative cltb_status.
    int (*exchange)(void *context, const struct peer_bytes *give, struct peer_bytes *take);
    // number[i] becomes the sum of all processes' number[i].
    int (*sum)(void *context, uint64_t *number, int count);
    void *context;
    // Memory that the processes of one machine share. NULL if the machine has only one. All processes of the machine
    // call these functions together. The first one (`fills`) writes to the memory until all have met; the others only
    // read.
    bool fills;
    int (*common)(void *context, size_t bytes, void **memory); // zeroed; CLTB_E_MEMORY in all of them
    int (*meet)(void *context);                                // waits for all processes of the machine
    int (*drop)(void *context);                                // gives all such memory back
    int neighbours;                                            // least number of processes on one machine; 0: unknown
    const bool *neighbour;              // [ranks] is it on the same machine as this one? NULL: unknown
    const struct peer_traffic *traffic; // of all processes together, as of the last sum; NULL: not counted
    bool *agreed;                       // all fail, by an error that all know
    // The last call of each process, whether it has failed or not. If any has failed, every joint operation of the
    // others fails until they come here, too; afterwards all can exchange() again. *told: others have failed, and the
    // error of this process says no more than that. Returns a negative number if the others cannot be told. NULL: there
    // is no way to tell them.
    int (*finish)(void *context, bool failed, bool *told);
};

// 0 for a process that is alone (peers == NULL).
static inline int peers_rank(const struct peers *peers)
{
    return peers != NULL ? peers->rank : 0;
}

// The bytes that a process gathers for every other one, and those that it has received.
struct peer_mail {
    const struct peers *peers;
    struct peer_bytes *give; // [ranks]
    struct peer_bytes *take; // [ranks], of the last exchange
    size_t *space;           // [ranks], of give
};

int peer_mail_open(struct peer_mail *mail, const struct peers *peers); // must be closed, whatever the result
void peer_mail_close(struct peer_mail *mail);

// Adds bytes for a process, or room for bytes that the caller must fill in before the next call.
int peer_mail_put(struct peer_mail *mail, int rank, const void *bytes, size_t count);
int peer_mail_room(struct peer_mail *mail, int rank, size_t count, void **room);

int peer_mail_exchange(struct peer_mail *mail);

// Fails in all processes if it fails in any. The sentence is that of the first one that fails, and names that process
// unless all have the same sentence; the command prints it once. Afterwards nobody waits for anybody: *agreed is set.
int peers_agree(const struct peers *peers, int code);

// Called after all work, whatever its result: a failure in any process becomes one in all, as by peers_agree(). Without
// other processes (peers == NULL) the result is `code`.
int peers_finish(const struct peers *peers, int code);

// The process that works on a window of `groups`.
static inline int peers_owner(const struct peers *peers, uint32_t groups, uint32_t group)
{
    return (int)((uint64_t)group * (uint64_t)peers->ranks / groups);
}

// The process that makes a section of a file with `sections` sections for each of `sides` sides to move. The processes
// for both sides of a section are neighbours, or the same.
static inline int peers_section_owner(const struct peers *peers, int sides, uint32_t sections, int side,
                                      uint32_t section)
{
    return peers_owner(peers, sections * (uint32_t)sides, section * (uint32_t)sides + (uint32_t)side);
}

#endif
