// stats_grid.h - counts all positions of a material by grids
#ifndef CLTB_CHECK_STATS_GRID_H
#define CLTB_CHECK_STATS_GRID_H

#include "check/tally.h"

// Are its grids small enough?
bool stats_grid_fits(const struct material *material);

// tally[threads] get the counts.
int stats_by_grids(cltb_tables *tables, const struct material *material, const struct tally_men *men,
                   struct tally *tally, struct thread_pool *pool);

#endif
