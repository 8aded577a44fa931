// stats_findings.h - what threads, batches of slices and processes find of a table's statistics, to be joined
#ifndef CLTB_CHECK_STATS_FINDINGS_H
#define CLTB_CHECK_STATS_FINDINGS_H

#include "check/stats.h"
#include "solve/solution.h"
#include "util/peers.h"
#include "util/threads.h"

// Keys of cursed wins in 101 plies, if these are the longest, of a table without pawns. The key that is shown should be
// that of a win without a capture, and only probing can tell which they are.
struct pending {
    uint64_t *key; // [count]
    size_t count;
    size_t room;
    bool too_many;
};

struct findings {
    struct tally tally; // without bins
    struct pending pending[COLOURS];
    uint64_t weight[COLOURS][COLOURS][SOLVER_PLY_MAX + 1]; // as in struct solution
};

void findings_init(struct findings *findings);
void findings_free(struct findings *findings);

// The statistics of a table that is among `tables`; takes the zugzwangs. NULL: its values must be counted.
int findings_stats(struct stats **stats, struct findings *findings, const struct material *material,
                   cltb_tables *tables, struct thread_pool *pool);

// Afterwards `from` is as after findings_init().
int findings_add(struct findings *sum, struct findings *from);

int findings_pend(struct findings *findings, int side, uint64_t key);

// As bytes of this machine (malloc()'s).
int findings_put(const struct findings *findings, struct peer_bytes *bytes);
int findings_get(struct findings *findings, const void *bytes, size_t count); // CLTB_E_CORRUPT

#endif
