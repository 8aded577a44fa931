// stats.h - how many positions of a file of structures have which outcome and distance
#ifndef CLTB_STRUCTURES_CHECK_STATS_H
#define CLTB_STRUCTURES_CHECK_STATS_H

#include "check/outcome_counts.h"
#include "structures/file.h"
#include "util/threads.h"

// Every position on the board counts once, without the right to capture en passant. If the outcome is proved but not
// the distance, the shorter distance counts.
struct structure_stats {
    struct outcome_counts counts;
    uint64_t undecided[COLOURS]; // by side to move: the outcome is not proved; these count nowhere else
    uint64_t bounds[COLOURS];    // the distance is not proved
};

int structure_stats_count(struct structure_stats *stats, struct structure_file *file, struct thread_pool *pool);

#endif
