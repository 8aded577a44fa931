// solution.c - reading values out of a solution's planes
#include "solve/solution.h"

#include "util/error.h"

#include <stdlib.h>
#include <string.h>

// ---- planes in memory ----

void planes_values(const struct slice_side *planes, const solver_value value[COLOURS][DISTANCE_CODES], size_t first,
                   size_t words, solver_value *values)
{
    const bool tall = planes_tall(planes);
    for (size_t w = first; w < first + words; w++) {
        solver_value *out = values + 64 * (w - first);
        if (planes_any_code(planes, w) == 0) {
            memset(out, 0, 64 * sizeof *out);
            continue;
        }
        for (unsigned byte = 0; byte < 8; byte++) {
            const uint64_t low = planes_codes_low(planes, w, byte);
            for (unsigned i = 0; i < 8; i++) {
                const unsigned lane = 8 * byte + i;
                unsigned number = low >> 8 * i & 0xff;
                for (unsigned bit = 8; tall && bit < DISTANCE_PLANES_MAX; bit++) {
                    if (planes->distance[bit] != NULL)
                        number |= (unsigned)(planes->distance[bit][w] >> lane & 1) << bit;
                }
                out[lane] = value[planes->won[w] >> lane & 1][number];
            }
        }
    }
}

void planes_illegal(const struct slice_side *planes, size_t first, size_t words, uint64_t *bits)
{
    for (size_t w = first; w < first + words; w++)
        bits[w - first] = planes->won[w] & ~planes_any_code(planes, w);
}

// ---- planes of a backend ----

int solution_planes(const struct solution *solution, int side, uint64_t first, uint64_t count, bool resolved,
                    uint64_t *memory, struct slice_side *planes)
{
    const size_t words = count * solution->backend->layout.tile_lanes / 64;
    const struct {
        const struct plane *plane;
        const uint64_t **to;
    } fixed[] = {{solution->won[side], &planes->won}, {resolved ? solution->resolved[side] : NULL, &planes->resolved}};
    *planes = (struct slice_side){.won = NULL};
    for (int i = 0; i < 2 + DISTANCE_PLANES_MAX; i++) {
        const struct plane *plane = i < 2 ? fixed[i].plane : solution->distance[side][i - 2];
        if (plane == NULL)
            continue;
        TRY(solution->backend->ops->read(solution->backend, plane, first, count, memory));
        *(i < 2 ? fixed[i].to : &planes->distance[i - 2]) = memory;
        memory += words;
    }
    return 0;
}

// Reads tiles and makes values or illegal bits of them: one of the two is not NULL.
static int read_tiles(const struct solution *solution, int side, uint64_t first, uint64_t count, solver_value *values,
                      uint64_t *illegal)
{
    const size_t words = count * solution->backend->layout.tile_lanes / 64;
    const size_t bytes = (DISTANCE_PLANES_MAX + 1) * words * sizeof(uint64_t);
    struct slice_side planes;
    uint64_t *memory = malloc(bytes);
    if (memory == NULL)
        return error_memory(bytes, "reading a solution");
    const int code = solution_planes(solution, side, first, count, false, memory, &planes);
    if (code == 0 && values != NULL)
        planes_values(&planes, solution->value[side], 0, words, values);
    else if (code == 0)
        planes_illegal(&planes, 0, words, illegal);
    free(memory);
    return code;
}

int solution_read(const struct solution *solution, int side, uint64_t first, uint64_t count, solver_value *values)
{
    return read_tiles(solution, side, first, count, values, NULL);
}

int solution_read_illegal(const struct solution *solution, int side, uint64_t first, uint64_t count, uint64_t *bits)
{
    return read_tiles(solution, side, first, count, NULL, bits);
}

int solution_read_resolved(const struct solution *solution, int side, uint64_t first, uint64_t count, uint64_t *bits)
{
    return solution->backend->ops->read(solution->backend, solution->resolved[side], first, count, bits);
}

void solution_free(struct solution *solution)
{
    if (solution->backend == NULL)
        return;
    const struct backend_ops *ops = solution->backend->ops;
    for (int side = WHITE; side <= BLACK; side++) {
        ops->plane_free(solution->backend, solution->won[side]);
        ops->plane_free(solution->backend, solution->resolved[side]);
        ops->plane_free(solution->backend, solution->won_early[side]);
        ops->plane_free(solution->backend, solution->lost_early[side]);
        ops->plane_free(solution->backend, solution->stalemate[side]);
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            ops->plane_free(solution->backend, solution->distance[side][bit]);
    }
    solution->backend = NULL;
}
