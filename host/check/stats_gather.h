// stats_gather.h - statistics of a table, from the solver's planes while it is built
#ifndef CLTB_CHECK_STATS_GATHER_H
#define CLTB_CHECK_STATS_GATHER_H

#include "check/stats.h"
#include "make/statistics.h"

extern const struct statistics_ops stats_gather_ops;

// The statistics of a table that has been solved and is now among `tables`. NULL: its values must be counted.
int stats_gathered(struct stats **stats, struct statistics *statistics, cltb_tables *tables);

#endif
