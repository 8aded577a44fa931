// support_restricted.h - specs and tables for the tests of restricted endgames, and tables against the naive oracle
//
// A naive solution may be based on another one, or on the oracle of full tables, so that it shares nothing with the
// tables' own futurebases.
#ifndef CLTB_TESTS_RESTRICTED_SUPPORT_RESTRICTED_H
#define CLTB_TESTS_RESTRICTED_SUPPORT_RESTRICTED_H

#include "support/compare_tables.h"

#include "oracle/restricted.h"
#include "restricted/make/build.h"
#include "restricted/table.h"

// The men, then a prune rule a line, "white discard P=[RBN]"; futurebases are added by spec_add_futurebase().
struct spec spec_of(const char *men, const char *rules);
struct restricted_index index_of(const char *men);

// Writes a table of these values, of any spec.
typedef uint16_t value_formula(uint32_t slice, int side, uint64_t entry);
void write_formula(const char *path, const struct spec *spec, value_formula *formula, struct thread_pool *pool);

// Packs the values of a slice and puts them into the file.
int write_slice(struct restricted_writer *writer, uint32_t slice, uint16_t *const value[COLOURS],
                struct thread_pool *pool);

// The values of a slice by the formula; free() them.
uint16_t *formula_values(const struct restricted_index *index, uint32_t slice, int side, value_formula *formula);

// Builds a table in tables_folder, where full futurebases lie, too.
void build_restricted(const struct spec *spec, const char *file);

// Of a file in tables_folder; one of four texts that are used in turn.
const char *file_in_tables(const char *file);

// ---- where leaving moves of a naive solution get their values ----

enum { NAIVE_BASES_MAX = 4 };

struct naive_bases {
    const struct naive_restricted *restricted[NAIVE_BASES_MAX]; // asked first, in this order
    bool invert[NAIVE_BASES_MAX];                               //
    bool full_is_own; // the full tables that matter are among the spec's futurebases
};

// The oracle of all full tables made so far, which come after the restricted ones.
extern struct naive *full_oracle;

// A naive_leave with a struct naive_bases, or NULL for full tables alone.
int naive_bases_leave(void *context, const struct position *p, bool own, struct naive_value *value);

// ---- comparing ----

// Sorts numbers and leaves each once. Returns how many there are.
size_t sort_once(uint64_t *number, size_t count);
int compare_numbers(const void *a, const void *b);

extern uint64_t restricted_far; // wins and losses of more than three plies in all tables compared so far

// Builds a spec and compares every position with its naive solution, which is returned.
struct naive_restricted *build_and_compare(const struct spec *spec, const char *file, struct naive_bases *bases);

// The same, and the naive solution must be consistent.
void build_and_check(const struct spec *spec, const char *file, struct naive_bases *bases);

// Makes a full table, and adds it to full_oracle.
void make_full(const char *name);

// Compares a spec that has the values of a full endgame.
void compare_whole(const char *name, const struct spec *spec);

// The teardown of a group that began with folder_make().
int full_teardown(void **state);

#endif
