// solution.c - reading values out of a solution's planes
//
// A position's code has a bit in each distance plane; the won plane tells whether it indexes the wins or the losses. An
// entry that is in the won plane without a code is not a legal position.
#include "solve/solution.h"

#include "util/error.h"

#include <stdlib.h>
#include <string.h>

// ---- planes in memory ----

static unsigned code_high(const struct slice_side *planes, size_t w, unsigned lane)
{
    unsigned high = 0;
    for (unsigned bit = 8; bit < DISTANCE_PLANES_MAX; bit++) {
        if (planes->distance[bit] != NULL)
            high |= (unsigned)(planes->distance[bit][w] >> lane & 1) << bit;
    }
    return high;
}

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
                if (tall)
                    number |= code_high(planes, w, lane);
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

struct reader {
    size_t words; // 64-bit words of each plane
    struct slice_side planes;
    uint64_t *memory; // of all of them
};

static int reader_open(struct reader *reader, const struct solution *solution, int side, uint64_t first, uint64_t count)
{
    const struct backend_ops *ops = solution->backend->ops;
    *reader = (struct reader){.words = count * solution->backend->layout.tile_lanes / 64};
    const size_t bytes = (DISTANCE_PLANES_MAX + 1) * reader->words * sizeof(uint64_t);
    reader->memory = malloc(bytes);
    if (reader->memory == NULL) {
        error_memory(bytes, "reading a solution");
        return CLTB_E_MEMORY;
    }
    reader->planes.won = reader->memory;
    int code = ops->read(solution->backend, solution->won[side], first, count, reader->memory);
    for (int bit = 0; code == 0 && bit < DISTANCE_PLANES_MAX; bit++) {
        if (solution->distance[side][bit] == NULL)
            continue;
        uint64_t *plane = reader->memory + (size_t)(bit + 1) * reader->words;
        reader->planes.distance[bit] = plane;
        code = ops->read(solution->backend, solution->distance[side][bit], first, count, plane);
    }
    if (code != 0)
        free(reader->memory);
    return code;
}

int solution_read(const struct solution *solution, int side, uint64_t first, uint64_t count, solver_value *values)
{
    struct reader reader;
    TRY(reader_open(&reader, solution, side, first, count));
    planes_values(&reader.planes, solution->value[side], 0, reader.words, values);
    free(reader.memory);
    return 0;
}

int solution_read_resolved(const struct solution *solution, int side, uint64_t first, uint64_t count, uint64_t *bits)
{
    return solution->backend->ops->read(solution->backend, solution->resolved[side], first, count, bits);
}

int solution_read_illegal(const struct solution *solution, int side, uint64_t first, uint64_t count, uint64_t *bits)
{
    struct reader reader;
    TRY(reader_open(&reader, solution, side, first, count));
    planes_illegal(&reader.planes, 0, reader.words, bits);
    free(reader.memory);
    return 0;
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
