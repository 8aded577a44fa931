// solving.h - endgames that a test solves in memory, with futurebases that are solved on demand
#ifndef CLTB_TESTS_SUPPORT_SOLVING_H
#define CLTB_TESTS_SUPPORT_SOLVING_H

#include "support/planes.h"

#include "solve/solver.h"

// The names of this processor's instruction sets that have kernels with such words; NULL after the last one.
const char *const *isas_here(unsigned word_bits);

// All distances and `resolved`.
extern const struct solver_options keep_all;

// A source for any solver that uses `test_pool`.
extern const struct futurebase_source by_solving;

struct solved {
    struct backend *backend;
    struct solution solution;
};

// On the processor; `flags` of the layout, `isa` NULL for the best instruction set.
void solve(struct solved *solved, const char *name, unsigned flags, const char *isa,
           const struct solver_options *options);
// The same with distances, and planes that are done, packed.
void solve_packed(struct solved *solved, const char *name, const struct solver_options *options);
void unsolve(struct solved *solved);

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

// The values of tiles first..first+count-1 for one side to move, by index; overlaps and illegal positions have 0.
// `illegal` (may be NULL): a bit for each entry that is not a legal position.
void read_tiles(const struct solution *solution, int side, uint64_t first, uint64_t count, solver_value *values,
                uint64_t *illegal);

// Those of all tiles; free() them.
solver_value *read_values(const struct solution *solution, int side, uint64_t *illegal);

// The positions of the whole board by side to move and value, identical pieces told apart. Illegal entries have no
// value.
enum { VALUES = 2 * (SOLVER_PLY_MAX + 2) };
void count_positions(const struct solution *solution, uint64_t count[COLOURS][VALUES]);

// The outcomes of a solution as a futurebase.
void fill_base(const struct solution *solution, struct futurebase *base);

#endif
