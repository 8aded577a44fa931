// stats_slabs.h - counts all positions of a material from slabs
#ifndef CLTB_CHECK_STATS_SLABS_H
#define CLTB_CHECK_STATS_SLABS_H

#include "check/tally.h"
#include "util/threads.h"

// Are the material's slabs small enough?
bool stats_slabs_fit(const struct material *material);

// Adds the counts to tally[threads].
int stats_by_slabs(cltb_tables *tables, const struct material *material, const struct tally_men *men,
                   struct tally *tally, struct thread_pool *pool);

#endif
