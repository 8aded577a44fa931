// by_solving.c - futurebases that are solved when a test's solver asks for them
#include "support/by_solving.h"

#include "support/support.h"

solver_value *read_values(const struct solution *solution, int side)
{
    const struct layout *layout = &solution->backend->layout;
    solver_value *values = malloc(layout_bits(layout) * sizeof *values);
    assert_non_null(values);
    GOOD(solution_read(solution, side, 0, layout->tiles, values));
    return values;
}

void fill_base(const struct solution *solution, struct futurebase *base)
{
    const uint64_t entries = layout_bits(&solution->backend->layout);
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t **arrays[] = {&base->lost[side], &base->lost_ever[side], &base->won_ever[side], &base->won[side]};
        for (int i = 0; i < 4; i++)
            *arrays[i] = host_words(entries / 64);
        solver_value *values = read_values(solution, side);
        for (uint64_t index = 0; index < entries; index++) {
            const int outcome = solver_value_outcome(values[index]);
            const uint64_t bit = UINT64_C(1) << index % 64;
            if (outcome != CLTB_DRAW)
                (*arrays[outcome > CLTB_DRAW ? 2 : 1])[index / 64] |= bit;
            if (outcome == CLTB_WIN || outcome == CLTB_LOSS)
                (*arrays[outcome == CLTB_WIN ? 3 : 0])[index / 64] |= bit;
        }
        free(values);
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
    TRY(backend_cpu_open(&backend, sub, test_pool, NULL));
    const int code = solver_solve(&solution, backend, &by_solving, &options);
    if (code == 0)
        fill_base(&solution, base);
    solution_free(&solution);
    backend->ops->close(backend);
    return code;
}

const struct futurebase_source by_solving = {NULL, load_by_solving};
