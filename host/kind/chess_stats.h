// chess_stats.h - what `cltb stats` prints about a full table, as text, JSON and TSV
#ifndef CLTB_KIND_CHESS_STATS_H
#define CLTB_KIND_CHESS_STATS_H

#include "check/stats.h"
#include "show/json.h"

#include <stdio.h>

// `all`: print every mutual zugzwang, not only a few examples of each kind.
void chess_stats_text(const struct stats *stats, bool all);

// `file`: NULL is standard output. `most`: print so many mutual zugzwangs of each kind; 0: only their numbers.
void chess_stats_json(FILE *file, const struct stats *stats, size_t most);

// Writes a table's outcomes by side to move and, only if its file keeps statistics, the list "longest", as fields of an
// object.
int chess_stats_summary(struct json *json, cltb_tables *tables, const struct material *material);

// Prints counts, or one of two lists: the longest of each outcome, or the mutual zugzwangs.
void chess_stats_tsv(const struct stats *stats, bool longest, bool zugzwangs);

#endif
