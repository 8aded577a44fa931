// stats_kept.h - statistics that are kept in the file of a table (docs/format.md)
#ifndef CLTB_CHECK_STATS_KEPT_H
#define CLTB_CHECK_STATS_KEPT_H

#include "check/stats.h"

// Reads the statistics in the table's file. `*stats` is NULL if there are none, or if the values come from Syzygy
// files. CLTB_E_CORRUPT if they do not fit the figures in the file's head.
int stats_read(struct stats **stats, cltb_tables *tables, const struct material *material);

// Are the numbers the same as in the file's head?
bool stats_fit_head(const struct stats *stats, const struct table_info *info);

// Writes a table's file `from` with statistics to `to`, which may be the same path. On systems that cannot replace an
// open file, nothing may have that one open.
int stats_keep(const struct stats *stats, const char *from, const char *to);

// Puts statistics into a table's file that is being written and has everything else.
struct container_writer;
int stats_add(const struct stats *stats, struct container_writer *file);

// Have the statistics too many zugzwangs (seven million classes) for a file? Then a build stores none.
bool stats_too_large(const struct stats *stats);

// Returns 0, or CLTB_E_MISMATCH with a sentence that names the first difference.
int stats_compare(const struct stats *kept, const struct stats *counted);

#endif
