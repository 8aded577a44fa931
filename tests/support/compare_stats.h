// compare_stats.h - the two ways of counting positions give the same
#ifndef CLTB_TESTS_SUPPORT_COMPARE_STATS_H
#define CLTB_TESTS_SUPPORT_COMPARE_STATS_H

#include "check/stats.h"

// free() them with stats_free().
struct stats *count_stats(const char *name, enum stats_method method);

// Checks that each example has the value of which it is an example.
void check_examples(const struct stats *stats);

// Builds a table in tables_folder (`both_sides`: again, with distances for both sides to move), and counts it both
// ways.
void compare_stats(const char *name, bool both_sides);

#endif
