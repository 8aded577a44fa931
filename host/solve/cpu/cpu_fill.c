// cpu_fill.c - whole-plane operations: overlap entries, futurebases, logic, reading back
#include "solve/cpu/cpu.h"

#include "util/error.h"

#include <string.h>

struct fill_work {
    struct cpu_backend *cpu;
    struct plane *to;
    const struct plane *from;
    enum plane_operation operation;
    const struct men_pairs *pairs;
    const struct import *import;
    uint64_t tiles_each; // tiles in a work item
};

// Runs one of the functions below on runs of tiles, on all threads.
static int each_run(struct fill_work *work, int (*run)(void *context, uint64_t item, int worker))
{
    enum { BYTES_LEAST = 1 << 15, BYTES_MOST = 1 << 18, THREAD_ITEMS = 4 }; // of each plane; these fit into a cache
    const uint64_t tiles = work->cpu->tiles;
    const uint64_t share =
        tiles * work->cpu->tile_bytes / (THREAD_ITEMS * (uint64_t)threads_count(work->cpu->pool)) + 1;
    uint64_t bytes = BYTES_MOST; // a power of 2, so that an item has complete rows of tiles
    while (bytes > BYTES_LEAST && bytes > share)
        bytes /= 2;
    const uint64_t wanted = bytes / work->cpu->tile_bytes;
    work->tiles_each = wanted > 0 ? wanted : 1;
    return threads_each(work->cpu->pool, (tiles + work->tiles_each - 1) / work->tiles_each, run, work);
}

static uint64_t run_end(const struct fill_work *work, uint64_t item)
{
    const uint64_t tiles = work->cpu->tiles;
    const uint64_t end = (item + 1) * work->tiles_each;
    return end < tiles ? end : tiles;
}

// The men of a tile of the planes. In a window, planes are only part of the table.
static struct tile_men men_of_tile(const struct cpu_backend *cpu, uint64_t tile)
{
    const struct side_blocks *at = &cpu->plan[cpu->window.side].at;
    struct tile_men men;
    unsigned head;
    if (cpu->window.open)
        tile = side_blocks_first(at, cpu->window.first + tile / at->locals, NULL) + at->offset[tile % at->locals];
    layout_digits(&cpu->base.layout, tile, &head, men.u);
    men.head = head;
    return men;
}

// ---- overlap entries ----

// Marks overlaps of pieces and fixed men in one tile.
static void overlaps_fixed(const struct fill_work *work, const struct tile_men *men, uint64_t *bits)
{
    const struct cpu_backend *cpu = work->cpu;
    const struct layout *layout = &cpu->base.layout;
    const size_t words = run_qwords(cpu);
    for (unsigned low = 0; low < tile_slices(layout, men); low++) {
        const uint8_t *code = layout->fixed_code[tile_slice(layout, men) + low];
        for (int f = 0; f < layout->fixed; f++) {
            const unsigned with = work->pairs->with[layout->pieces + f];
            for (int p = layout->slice_digits; p < layout->pieces; p++) {
                if (with >> p & 1)
                    or_pattern(bits + low * words, cpu_standing(cpu, men, p, code[f]), words);
            }
        }
    }
}

// The same for two pieces, where tiles have a word of each slice: takes a whole row of tiles, but touches only tiles in
// which one of the pieces stands on the fixed man's square.
static void overlaps_row(const struct fill_work *work, const struct tile_men *men, uint64_t *bits)
{
    const struct layout *layout = &work->cpu->base.layout;
    const size_t step = tile_qwords(work->cpu);
    for (unsigned low = 0; low < tile_slices(layout, men); low++) {
        const uint8_t *code = layout->fixed_code[tile_slice(layout, men) + low];
        for (int f = 0; f < layout->fixed; f++) {
            const unsigned with = work->pairs->with[layout->pieces + f] >> layout->slice_digits;
            const unsigned u = code[f] >> 3;
            for (unsigned i = 0; i < 8; i++) {
                if (with & 1)
                    bits[(8 * u + i) * step + low] |= place_word(0, 1, code[f] & 7);
                if (with & 2)
                    bits[(8 * i + u) * step + low] |= place_word(0, 0, code[f] & 7);
            }
        }
    }
}

static int overlaps_run(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct fill_work *work = context;
    const struct cpu_backend *cpu = work->cpu;
    const struct layout *layout = &cpu->base.layout;
    const int men_count = cpu_men(layout);
    for (uint64_t tile = item * work->tiles_each; tile < run_end(work, item); tile++)
        tile_open(cpu, work->to, tile);
    for (uint64_t tile = item * work->tiles_each; tile < run_end(work, item); tile++) {
        const struct tile_men men = men_of_tile(cpu, tile);
        uint64_t *bits = tile_at(cpu, work->to, tile);
        for (int p = 0; p < men_count; p++) {
            for (int q = p + 1; q < men_count; q++) {
                if (work->pairs->with[p] >> q & 1)
                    or_pattern(bits, cpu_shared(cpu, &men, p, q), tile_qwords(cpu));
            }
        }
        if (layout->slices == 0)
            continue;
        const size_t used = tile_slices(layout, &men) * run_qwords(cpu);
        memset(bits + used, 0xff, cpu->tile_bytes - used * 8); // padding
        if (!has_row_slices(layout))
            overlaps_fixed(work, &men, bits);
        else if (tile % ROW_TILES == 0) // an item has complete rows
            overlaps_row(work, &men, bits);
    }
    return 0;
}

int cpu_overlaps(struct backend *backend, struct plane *plane, const struct men_pairs *pairs)
{
    struct fill_work work = {.cpu = cpu_of(backend), .to = plane, .pairs = pairs};
    return each_run(&work, overlaps_run);
}

// ---- futurebases ----

// The words of a futurebase with the men of a tile. With pairs of kings it is in the shown form: the white king's l
// digit is the highest one of its tiles.
static const uint64_t *base_tile(const struct import *import, const struct layout *layout, const struct tile_men *men)
{
    const struct layout *sub = import->sub;
    uint8_t u[LAYOUT_PIECES_MAX] = {0};
    unsigned head = men->head;
    uint64_t part = 0;
    int at = sub->pieces - (layout->pieces - 1); // a blank comes first
    if (layout->kings) {
        const unsigned code = square_code[layout_head_square(layout, men->head, layout->white_king)];
        head = pair_black(men->head);
        u[sub->white_king] = (uint8_t)(code >> 3);
        part = (uint64_t)(code & 7) << layout_lane_shift(sub, sub->white_king);
    }
    for (int i = 0; i < layout->pieces; i++) {
        if (i != import->captured)
            u[at++] = men->u[i];
    }
    return import->bits + (layout_tile(sub, head, u) * sub->tile_lanes + part) / 64;
}

static int import_run(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct fill_work *work = context;
    const struct cpu_backend *cpu = work->cpu;
    const struct import *import = work->import;
    const struct layout *layout = &cpu->base.layout;
    const int digit = layout->pieces - 1 - import->captured;
    const uint64_t inverted = import->invert ? UINT64_MAX : 0;
    for (uint64_t tile = item * work->tiles_each; tile < run_end(work, item); tile++) {
        const struct tile_men men = men_of_tile(cpu, tile);
        const uint64_t *base = import->bits == NULL ? NULL : base_tile(import, layout, &men);
        uint64_t *bits = NULL; // opened only if there is something to add
        for (int p = 0; p < layout_men(layout); p++) {
            const uint64_t *pattern = cpu_shared(cpu, &men, p, import->captured);
            if (pattern == NULL || !men_are_enemies(layout, p, import->captured))
                continue;
            for (size_t w = 0; w < tile_qwords(cpu); w++) {
                if (pattern[w] == 0)
                    continue;
                const uint64_t enter = pattern[w] & ((base == NULL ? 0 : word_without(base, w, digit)) ^ inverted);
                if (enter != 0 && bits == NULL)
                    bits = tile_open(cpu, work->to, tile);
                if (enter != 0)
                    bits[w] |= enter;
            }
        }
    }
    return 0;
}

int cpu_import(struct backend *backend, struct plane *plane, const struct import *import)
{
    if (backend->layout.slices > 0)
        return error_set(CLTB_E_USAGE, "slices take slabs, not whole futurebases");
    struct fill_work work = {.cpu = cpu_of(backend), .to = plane, .import = import};
    return each_run(&work, import_run);
}

// ---- logic ----

static const uint64_t zeros[8];

// `from` may be NULL: all zero. The operation is chosen outside the loops, so that each loop is plain enough to be
// vectorised. Returns whether any bit is set.
static bool combine_words(uint64_t *restrict to, const uint64_t *restrict from, size_t words,
                          enum plane_operation operation)
{
    const size_t step = from == NULL ? 0 : 1;
    const uint64_t *at = from == NULL ? zeros : from;
    uint64_t any[8] = {0};
#define COMBINE(expression)                                                                                            \
    for (size_t w = 0; w < words; w += 8) {                                                                            \
        for (size_t i = 0; i < 8; i++) {                                                                               \
            const uint64_t value = at[w * step + i];                                                                   \
            any[i] |= to[w + i] = expression;                                                                          \
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
    for (size_t i = 1; i < 8; i++)
        any[0] |= any[i];
    return any[0] != 0;
}

static int combine_run(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct fill_work *work = context;
    const struct cpu_backend *cpu = work->cpu;
    for (uint64_t tile = item * work->tiles_each; tile < run_end(work, item); tile++) {
        const enum plane_operation operation = work->operation;
        const bool from = work->from->active[tile];
        uint8_t *to = &work->to->active[tile];
        if (!from && (operation == PLANE_COPY || operation == PLANE_AND))
            *to = 0;
        if ((!from && operation != PLANE_COPY_NOT) || (!*to && (operation == PLANE_AND || operation == PLANE_AND_NOT)))
            continue;
        *to = combine_words(tile_open(cpu, work->to, tile), from ? tile_at(cpu, work->from, tile) : NULL,
                            tile_qwords(cpu), operation);
    }
    return 0;
}

int cpu_combine(struct backend *backend, struct plane *to, enum plane_operation operation, const struct plane *from)
{
    struct fill_work work = {.cpu = cpu_of(backend), .to = to, .from = from, .operation = operation};
    return each_run(&work, combine_run);
}

// ---- lists of words ----

enum {
    ENTER_PARTS = 16, // in a work item
    LISTS_AHEAD = 4,  // parts whose lists are prefetched
    LIST_BYTES = 512  // of each
};

struct enter_work {
    const struct cpu_backend *cpu;
    struct plane *to;
    const struct plane_lines *parts;
    size_t count;
};

static void prefetch_list(const struct plane_lines *part)
{
    for (size_t i = 0; i < LIST_BYTES; i += 64)
        __builtin_prefetch((const char *)part->list.line + i);
}

static void prefetch_lines(const struct enter_work *work, const struct plane_lines *part)
{
    for (size_t i = 0; i < part->count; i++)
        __builtin_prefetch(work->to->bits + part->first + (size_t)LINE_WORDS * part->list.line[i], 1);
}

static int enter_run(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct enter_work *work = context;
    const int shift = __builtin_ctzll(tile_qwords(work->cpu));
    const size_t first = item * ENTER_PARTS;
    const size_t end = first + ENTER_PARTS < work->count ? first + ENTER_PARTS : work->count;
    for (size_t p = first; p < end && p < first + LISTS_AHEAD; p++)
        prefetch_list(&work->parts[p]);
    prefetch_lines(work, &work->parts[first]);
    for (size_t p = first; p < end; p++) {
        const struct plane_lines *part = &work->parts[p];
        if (p + LISTS_AHEAD < end)
            prefetch_list(part + LISTS_AHEAD);
        if (p + 1 < end)
            prefetch_lines(work, part + 1);
        for (size_t i = 0; i < part->count; i++) {
            const size_t at = part->first + (size_t)LINE_WORDS * part->list.line[i];
            for (size_t tile = at >> shift; tile <= (at + LINE_WORDS - 1) >> shift; tile++)
                tile_open(work->cpu, work->to, tile);
        }
        work->cpu->codes->enter(&part->list, part->count, work->to->bits + part->first);
    }
    return 0;
}

int cpu_enter(struct backend *backend, struct plane *plane, const struct plane_lines *parts, size_t count, bool clear)
{
    struct cpu_backend *cpu = cpu_of(backend);
    struct enter_work work = {.cpu = cpu, .to = plane, .parts = parts, .count = count};
    if (clear)
        memset(plane->active, 0, cpu->tiles);
    return threads_each(cpu->pool, (count + ENTER_PARTS - 1) / ENTER_PARTS, enter_run, &work);
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
    if (plane->packed)
        return cpu_packed_read(backend, plane, first, count, bits);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t *to = bits + i * tile_qwords(cpu);
        if (plane->active[first + i])
            memcpy(to, tile_at(cpu, plane, first + i), cpu->tile_bytes);
        else
            memset(to, 0, cpu->tile_bytes);
    }
    return 0;
}
