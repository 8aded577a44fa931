// stats.h - how many positions of a restricted endgame have which outcome and distance
#ifndef CLTB_RESTRICTED_CHECK_STATS_H
#define CLTB_RESTRICTED_CHECK_STATS_H

#include "check/outcome_counts.h"
#include "restricted/table.h"
#include "util/threads.h"

// Looks at every entry. Each placement on the board is counted once: symmetric images count separately, identical
// pieces do not.
int restricted_count(struct outcome_counts *counts, struct restricted_table *table, struct thread_pool *pool);

#endif
