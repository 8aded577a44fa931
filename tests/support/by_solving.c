// by_solving.c - values out of a solution's planes, and futurebases that are solved when a test's solver asks for them
#include "support/by_solving.h"

#include "support/support.h"

void planes_values(const struct slice_side *planes, const solver_value value[COLOURS][DISTANCE_CODES], size_t first,
                   size_t words, solver_value *values)
{
    for (size_t i = 64 * first; i < 64 * (first + words); i++) {
        unsigned code = 0;
        for (unsigned bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            code |= planes->distance[bit] == NULL ? 0 : (unsigned)bit_at(planes->distance[bit], i) << bit;
        *values++ = value[bit_at(planes->won, i)][code];
    }
}

// Reads the planes of some tiles to memory that the caller frees.
static int read_planes(const struct solution *solution, int side, uint64_t first, uint64_t count,
                       struct slice_side *planes, uint64_t **memory)
{
    *memory = host_words((DISTANCE_PLANES_MAX + 2) * count * solution->backend->layout.tile_lanes / 64);
    return solution_planes(solution, side, first, count, *memory, planes);
}

int solution_read(const struct solution *solution, int side, uint64_t first, uint64_t count, solver_value *values)
{
    struct slice_side planes;
    uint64_t *memory;
    const int code = read_planes(solution, side, first, count, &planes, &memory);
    if (code == 0)
        planes_values(&planes, solution->value[side], 0, count * solution->backend->layout.tile_lanes / 64, values);
    free(memory);
    return code;
}

int solution_read_illegal(const struct solution *solution, int side, uint64_t first, uint64_t count, uint64_t *bits)
{
    struct slice_side planes;
    uint64_t *memory;
    const int code = read_planes(solution, side, first, count, &planes, &memory);
    for (size_t w = 0; code == 0 && w < count * solution->backend->layout.tile_lanes / 64; w++)
        bits[w] = planes.won[w] & ~planes_any_code(&planes, w);
    free(memory);
    return code;
}

int solution_read_resolved(const struct solution *solution, int side, uint64_t first, uint64_t count, uint64_t *bits)
{
    return solution->backend->ops->read(solution->backend, solution->resolved[side], first, count, bits);
}

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
