// stats.h - prints the counts of a set of placements
#ifndef CLTB_PLACED_CLI_STATS_H
#define CLTB_PLACED_CLI_STATS_H

#include "kind/kind.h"
#include "placed/check/set.h"

// In the format that is wanted. `bounds`: also what is not decided.
void placed_stats_print(const struct stats_request *request, const char *name, const struct outcome_counts *counts,
                        bool bounds);

#endif
