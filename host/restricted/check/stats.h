// stats.h - how many positions of a restricted endgame have which outcome and distance
#ifndef CLTB_RESTRICTED_CHECK_STATS_H
#define CLTB_RESTRICTED_CHECK_STATS_H

#include "chess/fen.h"
#include "restricted/table.h"
#include "util/threads.h"

struct restricted_longest {
    int plies; // -1: there is none
    char fen[FEN_MAX];
};

// Indexed by side to move and outcome + 2. Each placement on the board is counted once: symmetric images count
// separately, identical pieces do not.
struct restricted_stats {
    uint64_t count[COLOURS][TABLE_OUTCOMES][TABLE_PLY_MAX + 1]; // [dtz]; draws: 0
    uint64_t total[COLOURS][TABLE_OUTCOMES];
    struct restricted_longest longest[COLOURS][TABLE_OUTCOMES]; // no draws
};

// Looks at every entry. The result does not depend on the number of threads.
int restricted_stats_count(struct restricted_stats *stats, struct restricted_table *table, struct thread_pool *pool);

#endif
