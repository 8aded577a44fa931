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
    size_t count; //
};

// The traffic from one process to another.
struct peer_traffic {
    uint64_t bytes;
    uint64_t messages;
};

struct peers {
    int rank;
    int ranks;
    // Gives give[r] to process r, and puts what process r gives into take[r], which the caller frees. 0 or a negative
    // cltb_status.
    int (*exchange)(void *context, const struct peer_bytes *give, struct peer_bytes *take);
    // number[i] becomes the sum of all processes' number[i].
    int (*sum)(void *context, uint64_t *number, int count);
    void *context;
    // Memory that the processes of one machine share, if there are several; else these are NULL. All of them call these
    // functions. The first one (`fills`) writes there until all have met: others only read.
    bool fills;
    int (*common)(void *context, size_t bytes, void **memory); // zeroed; CLTB_E_MEMORY in all of them
    int (*meet)(void *context);                                // waits for all of the machine
    int (*drop)(void *context);                                // gives all such memory back
    int neighbours;                                            // processes of a machine, the least number; 0: unknown
    const bool *neighbour;              // [ranks] is it on the same machine as this one? NULL: unknown
    const struct peer_traffic *traffic; // of all of them together, as of the last sum; NULL: not counted
    bool *agreed;                       // all of them fail, by an error that all know
    // The last call of each, whether it has failed or not. If any has, everything that the others do together fails
    // until they come here, too; afterwards all can exchange() again. *told: others have failed, and this process's own
    // error only says so. A negative number: they cannot be told. NULL: there is no way to tell them.
    int (*finish)(void *context, bool failed, bool *told);
};

// 0 for one that is alone (peers == NULL).
static inline int peers_rank(const struct peers *peers)
{
    return peers != NULL ? peers->rank : 0;
}

// The bytes that a process gathers for each other one, and those that it has received.
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

// Fails in all processes if it fails in any. The sentence is that of the first one that does, and names it unless all
// say the same; the command prints it once. Afterwards nobody waits for anybody: *agreed is set.
int peers_agree(const struct peers *peers, int code);

// To be called after all work, whatever its result: a failure in any process becomes one in all, as by peers_agree().
// Alone (peers == NULL) the result is `code`.
int peers_finish(const struct peers *peers, int code);

// The process that works on a window of `groups`.
static inline int peers_owner(const struct peers *peers, uint32_t groups, uint32_t group)
{
    return (int)((uint64_t)group * (uint64_t)peers->ranks / groups);
}

// The process that makes a section of a file that has `sections` for each of `sides` sides to move. A section's
// processes for both sides are neighbours.
static inline int peers_section_owner(const struct peers *peers, int sides, uint32_t sections, int side,
                                      uint32_t section)
{
    return peers_owner(peers, sections * (uint32_t)sides, section * (uint32_t)sides + (uint32_t)side);
}

#endif
