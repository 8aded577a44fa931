// solution.c - reading values out of a solution's planes
//
// A position's code has a bit in each distance plane; the won plane tells whether it indexes the wins or the losses. An
// entry that is in the won plane without a code is no legal position.
#include "solver/solver.h"

#include "util/error.h"

#include <stdlib.h>
#include <string.h>

// Bit i of byte j <-> bit j of byte i.
static uint64_t transpose8(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ t ^ t << 28;
}

struct reader {
    size_t words;                         // 64-bit words of each plane
    uint64_t *won;                        // [words]
    uint64_t *plane[DISTANCE_PLANES_MAX]; // [words] or NULL
    uint64_t *memory;                     // of all of them
};

static int reader_open(struct reader *reader, const struct solution *solution, int side, uint64_t first, uint64_t count)
{
    const struct backend_ops *ops = solution->backend->ops;
    *reader = (struct reader){.words = count * solution->backend->layout.tile_lanes / 64};
    const size_t bytes = (DISTANCE_PLANES_MAX + 1) * reader->words * sizeof(uint64_t);
    reader->memory = malloc(bytes);
    if (reader->memory == NULL)
        return error_memory(bytes, "reading a solution");
    reader->won = reader->memory;
    int code = ops->read(solution->backend, solution->won[side], first, count, reader->won);
    for (int bit = 0; code == 0 && bit < DISTANCE_PLANES_MAX; bit++) {
        if (solution->distance[side][bit] == NULL)
            continue;
        reader->plane[bit] = reader->memory + (size_t)(bit + 1) * reader->words;
        code = ops->read(solution->backend, solution->distance[side][bit], first, count, reader->plane[bit]);
    }
    if (code != 0)
        free(reader->memory);
    return code;
}

// The low 8 bits of the codes of the 8 lanes from bit 8 * byte of word w.
static uint64_t codes_low(const struct reader *reader, size_t w, unsigned byte)
{
    uint64_t rows = 0;
    for (unsigned bit = 0; bit < 8; bit++) {
        if (reader->plane[bit] != NULL)
            rows |= (reader->plane[bit][w] >> 8 * byte & 0xff) << 8 * bit;
    }
    return rows == 0 ? 0 : transpose8(rows);
}

static unsigned code_high(const struct reader *reader, size_t w, unsigned lane)
{
    unsigned high = 0;
    for (unsigned bit = 8; bit < DISTANCE_PLANES_MAX; bit++) {
        if (reader->plane[bit] != NULL)
            high |= (unsigned)(reader->plane[bit][w] >> lane & 1) << bit;
    }
    return high;
}

int solution_read(const struct solution *solution, int side, uint64_t first, uint64_t count, solver_value *values)
{
    struct reader reader;
    int code = reader_open(&reader, solution, side, first, count);
    if (code != 0)
        return code;
    bool tall = false;
    for (int bit = 8; bit < DISTANCE_PLANES_MAX; bit++)
        tall |= reader.plane[bit] != NULL;
    for (size_t w = 0; w < reader.words; w++) {
        uint64_t any = 0;
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            any |= reader.plane[bit] != NULL ? reader.plane[bit][w] : 0;
        solver_value *out = values + 64 * w;
        if (any == 0) {
            memset(out, 0, 64 * sizeof *out);
            continue;
        }
        for (unsigned byte = 0; byte < 8; byte++) {
            const uint64_t low = codes_low(&reader, w, byte);
            for (unsigned i = 0; i < 8; i++) {
                const unsigned lane = 8 * byte + i;
                unsigned number = low >> 8 * i & 0xff;
                if (tall)
                    number |= code_high(&reader, w, lane);
                out[lane] = solution->value[side][reader.won[w] >> lane & 1][number];
            }
        }
    }
    free(reader.memory);
    return 0;
}

int solution_read_decided(const struct solution *solution, int side, uint64_t first, uint64_t count, uint64_t *bits)
{
    return solution->backend->ops->read(solution->backend, solution->decided[side], first, count, bits);
}

int solution_read_illegal(const struct solution *solution, int side, uint64_t first, uint64_t count, uint64_t *bits)
{
    struct reader reader;
    int code = reader_open(&reader, solution, side, first, count);
    if (code != 0)
        return code;
    for (size_t w = 0; w < reader.words; w++) {
        uint64_t any = 0;
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            any |= reader.plane[bit] != NULL ? reader.plane[bit][w] : 0;
        bits[w] = reader.won[w] & ~any;
    }
    free(reader.memory);
    return 0;
}
