// cpu_fill.c - whole-plane operations: overlap entries, futurebases, logic, reading back
//
// An overlap pattern says which lanes of a tile have two l digits equal, or one digit at a value. Which of them apply
// to a tile depends on its u digits alone.
#include "solver/backend_cpu/cpu.h"

#include "util/error.h"
#include "util/memory.h"

#include <string.h>

static size_t tile_qwords(const struct cpu_backend *cpu)
{
    return cpu->tile_bytes / 8;
}

// Patterns, in this order: pairs of pieces (p < q) row by row as a square matrix, then [piece][l].
static uint64_t *pair_pattern(const struct cpu_backend *cpu, int p, int q)
{
    const size_t k = (size_t)cpu->base.layout.pieces;
    return cpu->pattern + ((size_t)p * k + (size_t)q) * tile_qwords(cpu);
}

static uint64_t *place_pattern(const struct cpu_backend *cpu, int piece, unsigned l)
{
    const size_t k = (size_t)cpu->base.layout.pieces;
    return cpu->pattern + (k * k + 8 * (size_t)piece + l) * tile_qwords(cpu);
}

static size_t pattern_bytes(const struct cpu_backend *cpu)
{
    const size_t k = (size_t)cpu->base.layout.pieces;
    return (k * k + 8 * k) * cpu->tile_bytes;
}

int cpu_patterns(struct cpu_backend *cpu)
{
    const struct layout *layout = &cpu->base.layout;
    cpu->pattern = memory_map(pattern_bytes(cpu));
    if (cpu->pattern == NULL)
        return error_memory(pattern_bytes(cpu), "overlap patterns");
    for (uint64_t lane = 0; lane < layout->tile_lanes; lane++) {
        const uint64_t bit = UINT64_C(1) << (lane & 63);
        for (int p = 0; p < layout->pieces; p++) {
            const unsigned l = lane >> layout_lane_shift(layout, p) & 7;
            place_pattern(cpu, p, l)[lane / 64] |= bit;
            for (int q = 0; q < layout->pieces; q++) {
                if ((lane >> layout_lane_shift(layout, q) & 7) == l)
                    pair_pattern(cpu, p, q)[lane / 64] |= bit;
            }
        }
    }
    return 0;
}

void cpu_patterns_free(struct cpu_backend *cpu)
{
    memory_unmap(cpu->pattern, pattern_bytes(cpu));
}

static int colour_of(const struct layout *layout, int man)
{
    return man == layout->pieces ? BLACK : layout->colour[man];
}

static bool blank(const struct layout *layout, int man)
{
    return man < layout->pieces && layout->type[man] == BLANK;
}

// The lanes of a tile in which men p and q share a square; NULL: none.
static const uint64_t *shared(const struct cpu_backend *cpu, const struct tile_men *men, int p, int q)
{
    const struct layout *layout = &cpu->base.layout;
    if (p == q || blank(layout, p) || blank(layout, q))
        return NULL;
    const int king = layout->pieces;
    if (p == king || q == king) {
        const int piece = p == king ? q : p;
        const unsigned code = square_code[triangle_square[men->king]];
        return men->u[piece] == code >> 3 ? place_pattern(cpu, piece, code & 7) : NULL;
    }
    return men->u[p] == men->u[q] ? pair_pattern(cpu, p, q) : NULL;
}

void cpu_clear_shared(const struct cpu_backend *cpu, const struct tile_men *men, int man, uint64_t *bits)
{
    const struct layout *layout = &cpu->base.layout;
    for (int q = 0; q <= layout->pieces; q++) {
        if (colour_of(layout, q) == colour_of(layout, man))
            continue;
        const uint64_t *pattern = shared(cpu, men, man, q);
        for (size_t w = 0; pattern != NULL && w < tile_qwords(cpu); w++)
            bits[w] &= ~pattern[w];
    }
}

struct fill_work {
    struct cpu_backend *cpu;
    struct plane *to;
    const struct plane *from;
    enum plane_operation operation;
    const struct men_pairs *pairs;
    const struct import *import;
    uint64_t tiles_each; // tiles of one work item
};

static void tile_men_of(const struct layout *layout, uint64_t tile, struct tile_men *men)
{
    unsigned king;
    layout_digits(layout, tile, &king, men->u);
    men->king = (uint8_t)king;
}

// Calls one of the functions below for runs of tiles on all threads.
static int each_run(struct fill_work *work, int (*run)(void *context, uint64_t item, int worker))
{
    const uint64_t tiles = work->cpu->base.layout.tiles;
    const uint64_t wanted = (UINT64_C(1) << 18) / work->cpu->tile_bytes; // 256 KiB of each plane: a cache's worth
    work->tiles_each = wanted > 0 ? wanted : 1;
    return threads_each(work->cpu->pool, (tiles + work->tiles_each - 1) / work->tiles_each, run, work);
}

static uint64_t run_end(const struct fill_work *work, uint64_t item)
{
    const uint64_t tiles = work->cpu->base.layout.tiles;
    const uint64_t end = (item + 1) * work->tiles_each;
    return end < tiles ? end : tiles;
}

static int overlaps_run(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct fill_work *work = context;
    const struct cpu_backend *cpu = work->cpu;
    const int king = cpu->base.layout.pieces;
    for (uint64_t tile = item * work->tiles_each; tile < run_end(work, item); tile++) {
        struct tile_men men;
        tile_men_of(&cpu->base.layout, tile, &men);
        uint64_t *bits = tile_at(cpu, work->to, tile);
        for (int p = 0; p <= king; p++) {
            for (int q = p + 1; q <= king; q++) {
                const uint64_t *pattern = work->pairs->with[p] >> q & 1 ? shared(cpu, &men, p, q) : NULL;
                for (size_t w = 0; pattern != NULL && w < tile_qwords(cpu); w++)
                    bits[w] |= pattern[w];
            }
        }
    }
    return 0;
}

int cpu_overlaps(struct backend *backend, struct plane *plane, const struct men_pairs *pairs)
{
    struct fill_work work = {.cpu = cpu_of(backend), .to = plane, .pairs = pairs};
    return each_run(&work, overlaps_run);
}

// Word w of a parent's tile out of the futurebase's tile, which lacks the digit at `digit` (counted from the lowest).
static uint64_t expand(const uint64_t *sub, size_t w, int digit)
{
    if (digit >= 2) {
        const size_t low = ((size_t)1 << 3 * (digit - 2)) - 1;
        return sub[(w & low) | (w >> 3 & ~low)];
    }
    const uint64_t byte = sub[w / 8] >> 8 * (w % 8) & 0xff;
    if (digit == 1)
        return byte * UINT64_C(0x0101010101010101);
    uint64_t spread = 0;
    for (int i = 0; i < 8; i++)
        spread |= (byte >> i & 1) * UINT64_C(0xff) << 8 * i;
    return spread;
}

static const uint64_t *sub_tile(const struct import *import, int parent_pieces, const struct tile_men *men)
{
    const struct layout *sub = import->sub;
    uint8_t u[LAYOUT_PIECES_MAX] = {0};
    int at = sub->pieces - (parent_pieces - 1); // a blank comes first
    for (int i = 0; i < parent_pieces; i++) {
        if (i != import->captured)
            u[at++] = men->u[i];
    }
    return import->bits + layout_tile(sub, men->king, u) * (sub->tile_lanes / 64);
}

static int import_run(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct fill_work *work = context;
    const struct cpu_backend *cpu = work->cpu;
    const struct import *import = work->import;
    const struct layout *layout = &cpu->base.layout;
    const int digit = layout->pieces - 1 - import->captured;
    const uint64_t flip = import->invert ? UINT64_MAX : 0;
    for (uint64_t tile = item * work->tiles_each; tile < run_end(work, item); tile++) {
        struct tile_men men;
        tile_men_of(layout, tile, &men);
        uint64_t *bits = tile_at(cpu, work->to, tile);
        for (int p = 0; p <= layout->pieces; p++) {
            if (colour_of(layout, p) == colour_of(layout, import->captured))
                continue;
            const uint64_t *pattern = shared(cpu, &men, p, import->captured);
            if (pattern == NULL)
                continue;
            const uint64_t *sub = import->bits == NULL ? NULL : sub_tile(import, layout->pieces, &men);
            for (size_t w = 0; w < tile_qwords(cpu); w++) {
                if (pattern[w] != 0)
                    bits[w] |= pattern[w] & ((sub == NULL ? 0 : expand(sub, w, digit)) ^ flip);
            }
        }
    }
    return 0;
}

int cpu_import(struct backend *backend, struct plane *plane, const struct import *import)
{
    struct fill_work work = {.cpu = cpu_of(backend), .to = plane, .import = import};
    return each_run(&work, import_run);
}

static const uint64_t zeros[8];

// `from` may be NULL: all zero. The operation is chosen outside the loop, so that each loop is plain enough for
// vectors.
static void combine_words(uint64_t *restrict to, const uint64_t *restrict from, size_t words,
                          enum plane_operation operation)
{
    const size_t step = from == NULL ? 0 : 1;
    const uint64_t *at = from == NULL ? zeros : from;
#define COMBINE(expression)                                                                                            \
    for (size_t w = 0; w < words; w += 8) {                                                                            \
        for (size_t i = 0; i < 8; i++) {                                                                               \
            const uint64_t value = at[w * step + i];                                                                   \
            to[w + i] = expression;                                                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    break
    switch (operation) {
    case PLANE_COPY:
        COMBINE(value);
    case PLANE_OR:
        COMBINE(to[w + i] | value);
    case PLANE_AND:
        COMBINE(to[w + i] & value);
    case PLANE_AND_NOT:
        COMBINE(to[w + i] & ~value);
    case PLANE_COPY_NOT:
        COMBINE(~value);
    }
#undef COMBINE
}

static int combine_run(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct fill_work *work = context;
    const struct cpu_backend *cpu = work->cpu;
    for (uint64_t tile = item * work->tiles_each; tile < run_end(work, item); tile++) {
        uint64_t *to = tile_at(cpu, work->to, tile);
        if (!work->to->active[tile])
            memset(to, 0, cpu->tile_bytes);
        work->to->active[tile] = 1;
        combine_words(to, work->from->active[tile] ? tile_at(cpu, work->from, tile) : NULL, tile_qwords(cpu),
                      work->operation);
    }
    return 0;
}

int cpu_combine(struct backend *backend, struct plane *to, enum plane_operation operation, const struct plane *from)
{
    struct fill_work work = {.cpu = cpu_of(backend), .to = to, .from = from, .operation = operation};
    return each_run(&work, combine_run);
}

static int zero_run(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct fill_work *work = context;
    const uint64_t first = item * work->tiles_each;
    const uint64_t count = run_end(work, item) - first;
    memset(tile_at(work->cpu, work->to, first), work->operation == PLANE_COPY_NOT ? 0xff : 0,
           count * work->cpu->tile_bytes);
    memset(work->to->active + first, 1, count);
    return 0;
}

int cpu_fill(struct backend *backend, struct plane *plane, bool bit)
{
    struct fill_work work = {.cpu = cpu_of(backend), .to = plane, .operation = bit ? PLANE_COPY_NOT : PLANE_COPY};
    return each_run(&work, zero_run);
}

int cpu_read(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count, uint64_t *bits)
{
    const struct cpu_backend *cpu = cpu_of(backend);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t *to = bits + i * tile_qwords(cpu);
        if (plane->active[first + i])
            memcpy(to, tile_at(cpu, plane, first + i), cpu->tile_bytes);
        else
            memset(to, 0, cpu->tile_bytes);
    }
    return 0;
}
