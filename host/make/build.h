// build.h - making tables: futurebases first, solve, write
#ifndef CLTB_MAKE_BUILD_H
#define CLTB_MAKE_BUILD_H

#include "index/material.h"
#include "make/options.h"

// Makes the tables of some materials (standard colours), and first all their missing futurebases, in the order that
// make/plan.h describes. If two runs use one folder at the same time, the second fails, unless it has nothing to write.
int build_tables(const struct material *materials, size_t count, const struct build_options *options);

// The same for one material.
int build_table(const struct material *material, const struct build_options *options);

#endif
