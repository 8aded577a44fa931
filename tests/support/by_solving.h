// by_solving.h - values out of a solution's planes, and futurebases that are solved when a test's solver asks for them
#ifndef CLTB_TESTS_SUPPORT_BY_SOLVING_H
#define CLTB_TESTS_SUPPORT_BY_SOLVING_H

#include "solve/solver.h"

// Solves with `test_pool`.
extern const struct futurebase_source by_solving;

static inline bool solver_value_won(solver_value value)
{
    return value & 1;
}

static inline int solver_value_outcome(solver_value value)
{
    return value == 0 ? CLTB_DRAW : outcome_at(solver_value_won(value), solver_value_ply(value));
}

// The values of entries 64 * first .. 64 * (first + words) - 1 of these planes; `value` is what their codes mean.
void planes_values(const struct slice_side *planes, const solver_value value[COLOURS][DISTANCE_CODES], size_t first,
                   size_t words, solver_value *values);

// The values of tiles first..first+count-1 for one side to move. Overlaps and illegal positions have 0. Thread-safe.
int solution_read(const struct solution *solution, int side, uint64_t first, uint64_t count, solver_value *values);

// The bits of `resolved` for those tiles; a bit for each entry that is not a legal position.
int solution_read_resolved(const struct solution *solution, int side, uint64_t first, uint64_t count, uint64_t *bits);
int solution_read_illegal(const struct solution *solution, int side, uint64_t first, uint64_t count, uint64_t *bits);

// The values of all entries, by index; free() them.
solver_value *read_values(const struct solution *solution, int side);

// The outcomes of a solution as a futurebase.
void fill_base(const struct solution *solution, struct futurebase *base);

#endif
