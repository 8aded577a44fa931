// build.h - making tables: futurebases first, solve, write
#ifndef CLTB_MAKE_BUILD_H
#define CLTB_MAKE_BUILD_H

#include "index/material.h"
#include "make/options.h"

// Makes the tables of some materials (standard colours), and all their missing futurebases first: make/plan.h has the
// order. Of two runs in one folder at the same time the second fails, unless it has nothing to write.
int build_tables(const struct material *materials, size_t count, const struct build_options *options);

// The same for one.
int build_table(const struct material *material, const struct build_options *options);

#endif
