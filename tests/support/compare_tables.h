// compare_tables.h - a whole table against the naive oracle; its statistics
//
// Every position of the oracle's main material is probed once for all its images, and again with every right to capture
// en passant that it could have and that allows a legal capture.
#ifndef CLTB_TESTS_SUPPORT_COMPARE_TABLES_H
#define CLTB_TESTS_SUPPORT_COMPARE_TABLES_H

#include "support/support.h"

#include <cltb/cltb.h>

#include "check/stats.h"
#include "chess/fen.h"
#include "make/build.h"
#include "oracle/naive.h"
#include "util/error.h"

enum { WRONG_SHOWN = 10 }; // wrong positions that are printed

// A new folder for tables, made by the group's setup and removed with its files by its teardown.
extern char tables_folder[TEST_PATH_MAX];
int folder_make(void **state);
int folder_remove(void **state);

// Solves a material such as KPvKP, in the colours of its name, and what it leads to, and adds them to an oracle, or to
// a new one for NULL. Names such as KQvKR.dtm say the metric, here and below.
void oracle_solve(struct naive **oracle, const char *name);

void public_position(const struct position *p, cltb_position *out);
cltb_value probe(cltb_tables *tables, const struct position *p);

// Builds a table in tables_folder; again with `both_sides`: with distances for both sides to move.
void make_table(const char *name, bool both_sides);

// Builds a table anew, with distances in lists (table/pattern_code.h) for both sides to move.
void make_listed(const char *name);

// folder_make(), with the table KQvKR and what it needs.
int folder_with_table(void **state);

// Builds the table and compares it; adds what is needed to the oracle. Returns the number of positions with a slot.
uint64_t compare_table(struct naive **oracle, const char *name);

// ---- statistics ----

// free() them with stats_free().
struct stats *count_stats(const char *name);

// Checks that each example has the value of which it is an example.
void check_examples(const struct stats *stats);

#endif
