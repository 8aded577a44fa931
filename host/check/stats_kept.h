// stats_kept.h - statistics that are kept in the file of a table (docs/format.md)
#ifndef CLTB_CHECK_STATS_KEPT_H
#define CLTB_CHECK_STATS_KEPT_H

#include "check/stats.h"

// Those in the table's file: `*stats` is NULL if it has none, or if the values come from Syzygy files. CLTB_E_CORRUPT
// if they do not fit the figures in the file's head.
int stats_read(struct stats **stats, cltb_tables *tables, const struct material *material);

// Are the numbers those in the file's head?
bool stats_fit_head(const struct stats *stats, const struct table_info *info);

// Puts them into a table's file, which is rewritten. Nothing may have the file open where a file that is open cannot
// be replaced.
int stats_keep(const struct stats *stats, const char *path);

// 0, or CLTB_E_MISMATCH with a sentence that names the first difference.
int stats_compare(const struct stats *kept, const struct stats *counted);

// Counts again and compares, unless the file has none; or if that would take hours (more than five men), does nothing.
int stats_verify(cltb_tables *tables, const struct material *material, struct thread_pool *pool);

#endif
