// by_solving.h - futurebases that are solved when a test's solver asks for them
#ifndef CLTB_TESTS_SUPPORT_BY_SOLVING_H
#define CLTB_TESTS_SUPPORT_BY_SOLVING_H

#include "solve/solver.h"

// Solves with `test_pool`.
extern const struct futurebase_source by_solving;

// The values of all entries, by index; free() them.
solver_value *read_values(const struct solution *solution, int side);

// The outcomes of a solution as a futurebase.
void fill_base(const struct solution *solution, struct futurebase *base);

#endif
