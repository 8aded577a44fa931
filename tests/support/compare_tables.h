// compare_tables.h - a whole table against the naive oracle
//
// Every position of the oracle's main material is probed, one image of each, and again with every en passant slot that
// it could have and in which a capture is legal.
#ifndef CLTB_TESTS_SUPPORT_COMPARE_TABLES_H
#define CLTB_TESTS_SUPPORT_COMPARE_TABLES_H

#include "support/support.h"

#include <cltb/cltb.h>

#include "chess/fen.h"
#include "make/build.h"
#include "oracle/naive.h"
#include "util/error.h"

enum { WRONG_SHOWN = 10 }; // wrong positions that are printed

// A new folder for tables, made by the group's setup and removed with its files by its teardown.
extern char tables_folder[TEST_PATH_MAX];
int folder_make(void **state);
int folder_remove(void **state);

// The men of a name such as KPvKP or KvKR, in its colours. Returns their number.
int men_of_name(const char *name, struct man *men);

void public_position(const struct position *p, cltb_position *out);

// Builds a table in tables_folder.
void make_table(const char *name);

// Builds the table and compares it; adds what is needed to the oracle. Returns the number of positions with a slot.
uint64_t compare_table(struct naive **oracle, const char *name);

#endif
