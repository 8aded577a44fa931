// by_solving.h - futurebases that are solved when a test's solver asks for them
//
// Whoever includes this has a `pool` of threads, and GOOD() for calls that must not fail.
#ifndef CLTB_TESTS_SUPPORT_BY_SOLVING_H
#define CLTB_TESTS_SUPPORT_BY_SOLVING_H

#include "solve/cpu/cpu.h"
#include "solve/solver.h"
#include "util/error.h"

#include <stdlib.h>

static int load_by_solving(void *context, const struct layout *sub, struct futurebase *base);

static const struct futurebase_source by_solving = {NULL, load_by_solving};

static uint64_t *new_bits(const struct layout *layout)
{
    uint64_t *bits = calloc(layout_bits(layout) / 64, sizeof *bits);
    if (bits == NULL)
        abort();
    return bits;
}

static solver_value *read_values(const struct solution *solution, int side)
{
    const struct layout *layout = &solution->backend->layout;
    solver_value *values = malloc(layout_bits(layout) * sizeof *values);
    if (values == NULL)
        abort();
    GOOD(solution_read(solution, side, 0, layout->tiles, values));
    return values;
}

static void fill_base(const struct solution *solution, struct futurebase *base)
{
    const struct layout *layout = &solution->backend->layout;
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t *by_outcome[] = {new_bits(layout), new_bits(layout), NULL, new_bits(layout), new_bits(layout)};
        solver_value *values = read_values(solution, side);
        for (uint64_t index = 0; index < layout_bits(layout); index++) {
            uint64_t *bits = by_outcome[solver_value_outcome(values[index]) + 2];
            if (bits != NULL)
                bits[index / 64] |= UINT64_C(1) << index % 64;
        }
        free(values);
        base->lost[side] = by_outcome[0];
        base->blessed_lost[side] = by_outcome[1];
        base->cursed_won[side] = by_outcome[3];
        base->won[side] = by_outcome[4];
    }
}

static int load_by_solving(void *context, const struct layout *sub, struct futurebase *base)
{
    (void)context;
    struct backend *backend;
    struct solution solution;
    const struct solver_options options = {.keep_distance = {false, false}};
    if (material_men(&sub->material) < 3)
        return error_set(CLTB_E_USAGE, "bare kings are asked for");
    int code = backend_cpu_open(&backend, sub, pool, NULL);
    if (code != 0)
        return code;
    if ((code = solver_solve(&solution, backend, &by_solving, &options)) == 0) {
        fill_base(&solution, base);
        solution_free(&solution);
    }
    backend->ops->close(backend);
    return code;
}

#endif
