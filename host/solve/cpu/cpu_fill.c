// cpu_fill.c - whole-plane operations: overlap entries, futurebases, logic, reading back
//
// An overlap pattern says which lanes of a tile have two l digits equal, or one digit at a value. Which of them apply
// to a tile depends on its u digits alone.
//
// In a layout of slices a tile has one run of lanes for each of its slices. Patterns of pieces are alike in all runs,
// so that the first run of a pattern does for a fixed man of any slice.
#include "solve/cpu/cpu.h"

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

// The bits of a word in which the digit at `digit` (counted from the lowest) has the value l.
static uint64_t place_word(size_t word, int digit, unsigned l)
{
    if (digit == 0)
        return UINT64_C(0x0101010101010101) << l;
    if (digit == 1)
        return UINT64_C(0xff) << 8 * l;
    return (word >> 3 * (digit - 2) & 7) == l ? UINT64_MAX : 0;
}

int cpu_patterns(struct cpu_backend *cpu)
{
    const int k = cpu->base.layout.pieces;
    cpu->pattern = memory_map(pattern_bytes(cpu));
    if (cpu->pattern == NULL)
        return error_memory(pattern_bytes(cpu), "overlap patterns");
    for (int p = 0; p < k; p++) {
        for (unsigned l = 0; l < 8; l++) {
            uint64_t *place = place_pattern(cpu, p, l);
            for (size_t w = 0; w < tile_qwords(cpu); w++)
                place[w] = place_word(w, k - 1 - p, l);
        }
    }
    for (int p = 0; p < k; p++) {
        for (int q = 0; q < k; q++) {
            uint64_t *both = pair_pattern(cpu, p, q);
            for (unsigned l = 0; l < 8; l++) {
                for (size_t w = 0; w < tile_qwords(cpu); w++)
                    both[w] |= place_pattern(cpu, p, l)[w] & place_pattern(cpu, q, l)[w];
            }
        }
    }
    return 0;
}

void cpu_patterns_free(struct cpu_backend *cpu)
{
    memory_unmap(cpu->pattern, pattern_bytes(cpu));
}

// Men that have patterns of their own: the pieces, and the triangle's black king.
static int pattern_men(const struct layout *layout)
{
    return layout->pieces + (layout->slices == 0 ? 1 : 0);
}

// The lanes of a tile in which two of these men share a square; NULL: none.
static const uint64_t *shared(const struct cpu_backend *cpu, const struct tile_men *men, int p, int q)
{
    const struct layout *layout = &cpu->base.layout;
    if (p == q || !layout_is_man(layout, p) || !layout_is_man(layout, q))
        return NULL;
    const int king = layout->pieces;
    if (p == king || q == king) {
        const int piece = p == king ? q : p;
        const unsigned code = square_code[triangle_square[men->head]];
        return men->u[piece] == code >> 3 ? place_pattern(cpu, piece, code & 7) : NULL;
    }
    return men->u[p] == men->u[q] ? pair_pattern(cpu, p, q) : NULL;
}

// The lanes of a slice in which a piece stands on a square; NULL: none.
static const uint64_t *standing(const struct cpu_backend *cpu, const struct tile_men *men, int piece, unsigned code)
{
    return men->u[piece] == code >> 3 ? place_pattern(cpu, piece, code & 7) : NULL;
}

static bool enemies(const struct layout *layout, int p, int q)
{
    return layout_colour_of(layout, p) != layout_colour_of(layout, q);
}

// 64-bit words of a tile that belong to one slice.
static size_t run_qwords(const struct cpu_backend *cpu)
{
    return tile_qwords(cpu) >> 3 * cpu->base.layout.slice_digits;
}

// Two pieces beside the slices' fixed men: a tile has a word of each slice, and a slice has SLICE_PAIR_TILES of them.
enum { SLICE_PAIR_TILES = 64 };

static bool pair_slices(const struct layout *layout)
{
    return layout->slices > 0 && layout->pieces - layout->slice_digits == 2;
}

static void or_pattern(uint64_t *bits, const uint64_t *pattern, size_t words)
{
    for (size_t w = 0; pattern != NULL && w < words; w++)
        bits[w] |= pattern[w];
}

static void clear_pattern(uint64_t *bits, const uint64_t *pattern, size_t words)
{
    for (size_t w = 0; pattern != NULL && w < words; w++)
        bits[w] &= ~pattern[w];
}

static void clear_fixed(const struct cpu_backend *cpu, const struct tile_men *men, int man, uint64_t *bits)
{
    const struct layout *layout = &cpu->base.layout;
    const uint64_t first = tile_slice(layout, men);
    for (unsigned low = 0; low < tile_slices(layout, men); low++) {
        uint64_t *run = bits + low * run_qwords(cpu);
        for (int f = 0; f < layout->fixed; f++) {
            if (enemies(layout, man, layout->pieces + f))
                clear_pattern(run, standing(cpu, men, man, layout->fixed_code[first + low][f]), run_qwords(cpu));
        }
    }
}

void cpu_clear_shared(const struct cpu_backend *cpu, const struct tile_men *men, int man, uint64_t *bits)
{
    const struct layout *layout = &cpu->base.layout;
    for (int q = 0; q < pattern_men(layout); q++) {
        if (enemies(layout, q, man))
            clear_pattern(bits, shared(cpu, men, man, q), tile_qwords(cpu));
    }
    if (layout->slices > 0)
        clear_fixed(cpu, men, man, bits);
}

// A fixed pawn's attack on the enemy king, in the run of its slice.
static void pawn_attacks(const struct cpu_backend *cpu, const struct tile_men *men, int pawn, unsigned code,
                         uint64_t *run)
{
    const struct layout *layout = &cpu->base.layout;
    const int colour = layout->fixed_colour[pawn];
    const int king = layout_king(layout, colour ^ 1);
    const int file = code_square[code] % 8;
    const int rank = code_square[code] / 8 + (colour == WHITE ? 1 : -1);
    for (int to = file - 1; to <= file + 1; to += 2) {
        if (to < 0 || to > 7 || rank < 0 || rank > 7)
            continue;
        const uint64_t *attacked = standing(cpu, men, king, square_code[rank * 8 + to]);
        for (size_t w = 0; attacked != NULL && w < run_qwords(cpu); w++) {
            uint64_t lanes = attacked[w];
            for (int q = layout->slice_digits; q < layout->pieces; q++) {
                const uint64_t *taken = layout->colour[q] == colour ? NULL : standing(cpu, men, q, code);
                lanes &= taken == NULL ? UINT64_MAX : ~taken[w];
            }
            run[w] |= lanes;
        }
    }
}

void cpu_pawn_attacks(const struct cpu_backend *cpu, const struct tile_men *men, int side, uint64_t *bits)
{
    const struct layout *layout = &cpu->base.layout;
    const uint64_t first = tile_slice(layout, men);
    for (unsigned low = 0; low < tile_slices(layout, men); low++) {
        for (int f = 0; f < layout->fixed; f++) {
            if (layout->fixed_type[f] == PAWN && layout->fixed_colour[f] == side)
                pawn_attacks(cpu, men, f, layout->fixed_code[first + low][f], bits + low * run_qwords(cpu));
        }
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

static void tile_men_of(const struct cpu_backend *cpu, uint64_t tile, struct tile_men *men)
{
    unsigned head;
    layout_digits(&cpu->base.layout, table_tile(cpu, tile), &head, men->u);
    men->head = head;
}

// Calls one of the functions below for runs of tiles on all threads.
static int each_run(struct fill_work *work, int (*run)(void *context, uint64_t item, int worker))
{
    const uint64_t tiles = work->cpu->tiles;
    const uint64_t wanted = (UINT64_C(1) << 18) / work->cpu->tile_bytes; // 256 KiB of each plane: a cache's worth
    work->tiles_each = wanted > 0 ? wanted : 1;
    return threads_each(work->cpu->pool, (tiles + work->tiles_each - 1) / work->tiles_each, run, work);
}

static uint64_t run_end(const struct fill_work *work, uint64_t item)
{
    const uint64_t tiles = work->cpu->tiles;
    const uint64_t end = (item + 1) * work->tiles_each;
    return end < tiles ? end : tiles;
}

// Pieces on fixed men where two pieces' tiles have a word of each slice: only tiles in which one of them stands there.
static void overlaps_pairs(const struct fill_work *work, uint64_t first_tile)
{
    const struct cpu_backend *cpu = work->cpu;
    const struct layout *layout = &cpu->base.layout;
    const size_t step = tile_qwords(cpu);
    struct tile_men men;
    tile_men_of(cpu, first_tile, &men);
    uint64_t *bits = tile_at(cpu, work->to, first_tile);
    const uint64_t first = tile_slice(layout, &men);
    for (unsigned low = 0; low < tile_slices(layout, &men); low++) {
        for (int f = 0; f < layout->fixed; f++) {
            const unsigned with = work->pairs->with[layout->pieces + f] >> layout->slice_digits;
            const unsigned code = layout->fixed_code[first + low][f];
            const unsigned u = code >> 3;
            for (unsigned i = 0; i < 8; i++) {
                if (with & 1)
                    bits[(8 * u + i) * step + low] |= place_word(0, 1, code & 7);
                if (with & 2)
                    bits[(8 * i + u) * step + low] |= place_word(0, 0, code & 7);
            }
        }
    }
}

// The padding of a tile.
static void overlaps_padding(const struct cpu_backend *cpu, const struct tile_men *men, uint64_t *bits)
{
    const size_t used = tile_slices(&cpu->base.layout, men) * run_qwords(cpu);
    if (used < tile_qwords(cpu))
        memset(bits + used, 0xff, cpu->tile_bytes - used * 8);
}

// Pieces on fixed men.
static void overlaps_fixed(const struct fill_work *work, const struct tile_men *men, uint64_t *bits)
{
    const struct cpu_backend *cpu = work->cpu;
    const struct layout *layout = &cpu->base.layout;
    const uint64_t first = tile_slice(layout, men);
    const unsigned used = tile_slices(layout, men);
    for (unsigned low = 0; low < used; low++) {
        uint64_t *run = bits + low * run_qwords(cpu);
        for (int f = 0; f < layout->fixed; f++) {
            const unsigned with = work->pairs->with[layout->pieces + f];
            const unsigned code = layout->fixed_code[first + low][f];
            for (int p = layout->slice_digits; p < layout->pieces; p++)
                or_pattern(run, with >> p & 1 ? standing(cpu, men, p, code) : NULL, run_qwords(cpu));
        }
    }
}

static int overlaps_run(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct fill_work *work = context;
    const struct cpu_backend *cpu = work->cpu;
    const struct layout *layout = &cpu->base.layout;
    const int count = pattern_men(layout);
    const bool pairs = pair_slices(layout);
    for (uint64_t tile = item * work->tiles_each; tile < run_end(work, item); tile++)
        tile_open(cpu, work->to, tile);
    for (uint64_t tile = item * work->tiles_each; tile < run_end(work, item); tile++) {
        struct tile_men men;
        tile_men_of(cpu, tile, &men);
        uint64_t *bits = tile_at(cpu, work->to, tile);
        for (int p = 0; p < count; p++) {
            for (int q = p + 1; q < count; q++)
                or_pattern(bits, work->pairs->with[p] >> q & 1 ? shared(cpu, &men, p, q) : NULL, tile_qwords(cpu));
        }
        if (layout->slices == 0)
            continue;
        overlaps_padding(cpu, &men, bits);
        if (!pairs)
            overlaps_fixed(work, &men, bits);
        else if (tile % SLICE_PAIR_TILES == 0) // an item has whole rows
            overlaps_pairs(work, tile);
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
    // Bit i of the byte fills byte i.
    const uint64_t one = byte * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
    return ((one + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101)) * 0xff;
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
    return import->bits + layout_tile(sub, men->head, u) * (sub->tile_lanes / 64);
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
        tile_men_of(cpu, tile, &men);
        uint64_t *bits = tile_open(cpu, work->to, tile);
        for (int p = 0; p <= layout->pieces; p++) {
            if (!enemies(layout, p, import->captured))
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
    if (backend->layout.slices > 0)
        return error_set(CLTB_E_USAGE, "slices take slabs, not whole futurebases");
    struct fill_work work = {.cpu = cpu_of(backend), .to = plane, .import = import};
    return each_run(&work, import_run);
}

// ---- slabs ----

enum {
    SLAB_TILES = 64, // a row: two u digits; two kings alone have no more
    SLAB_WORDS = 64  // worked on at a time
};

// Tiles in rows of SLAB_TILES stay in the first cache while all imports of their slices go over them. One item has all
// slices of a tile, so that no two threads write to one.
struct slab_work {
    struct cpu_backend *cpu;
    struct plane *to;
    const struct slab_import *imports;
    size_t count;
    uint64_t head; // the first slice / 8^d that is imported into
    uint64_t rows; // of each slice / 8^d
};

// Entries of a tile, as patterns one of which applies.
struct entries {
    int count;
    const uint64_t *pattern[BACKEND_MEN_MAX];
};

static void add_entries(struct entries *entries, const uint64_t *pattern)
{
    if (pattern != NULL)
        entries->pattern[entries->count++] = pattern;
}

// Entries in which a man of the other colour stands on `man`.
static void entries_taken(struct entries *entries, const struct cpu_backend *cpu, const struct slab_import *import,
                          const struct tile_men *men)
{
    const struct layout *layout = &cpu->base.layout;
    const int pieces = layout->pieces;
    for (int q = layout->slice_digits; q < layout_men(layout); q++) {
        if (!enemies(layout, q, import->man))
            continue;
        if (q < pieces && import->man < pieces)
            add_entries(entries, shared(cpu, men, q, import->man));
        else if (q < pieces)
            add_entries(entries, standing(cpu, men, q, layout->fixed_code[import->slice][import->man - pieces]));
        else if (import->man < pieces)
            add_entries(entries, standing(cpu, men, import->man, layout->fixed_code[import->slice][q - pieces]));
    }
}

// Entries with a piece on `empty`.
static void entries_full(struct entries *entries, const struct cpu_backend *cpu, unsigned empty,
                         const struct tile_men *men)
{
    const struct layout *layout = &cpu->base.layout;
    for (int q = layout->slice_digits; empty != NO_SQUARE && q < layout->pieces; q++)
        add_entries(entries, standing(cpu, men, q, empty));
}

// to |= from ^ flip: a run is one word or a multiple of 8.
static inline void or_plain(uint64_t *restrict to, const uint64_t *restrict from, size_t words, uint64_t flip)
{
    if (words == 1) {
        *to |= *from ^ flip;
        return;
    }
    for (size_t w = 0; w < words; w += 8) {
        for (size_t i = 0; i < 8; i++)
            to[w + i] |= from[w + i] ^ flip;
    }
}

// to |= (from ^ flip) & the entries (or the others, if `but`), word for word. `from` may be NULL: all zero.
static void or_entries(uint64_t *to, const uint64_t *from, size_t words, uint64_t flip, const struct entries *entries,
                       bool but)
{
    static const uint64_t none[SLAB_WORDS];
    for (size_t start = 0; start < words; start += SLAB_WORDS) {
        const size_t some = words - start < SLAB_WORDS ? words - start : SLAB_WORDS;
        const uint64_t *restrict source = from == NULL ? none : from + start;
        uint64_t *restrict target = to + start;
        if (but && entries->count == 0) {
            or_plain(target, source, some, flip);
            continue;
        }
        uint64_t mask[SLAB_WORDS];
        memcpy(mask, entries->pattern[0] + start, some * 8);
        for (int i = 1; i < entries->count; i++)
            or_pattern(mask, entries->pattern[i] + start, some);
        for (size_t w = 0; w < some; w++)
            target[w] |= (source[w] ^ flip) & (but ? ~mask[w] : mask[w]);
    }
}

// The same from a slab without the digit at `digit`.
static void or_expanded(uint64_t *to, const uint64_t *from, size_t words, uint64_t flip, const struct entries *entries,
                        int digit)
{
    for (size_t w = 0; w < words; w++) {
        uint64_t mask = 0;
        for (int i = 0; i < entries->count; i++)
            mask |= entries->pattern[i][w];
        if (mask != 0)
            to[w] |= (expand(from, w, digit) ^ flip) & mask;
    }
}

// One import into one tile: `rest` is its number among those of its slice.
static void slab_tile(const struct slab_work *work, const struct slab_import *import, uint64_t rest,
                      const struct tile_men *men, uint64_t *run)
{
    const struct cpu_backend *cpu = work->cpu;
    const struct layout *layout = &cpu->base.layout;
    const size_t words = run_qwords(cpu);
    const uint64_t flip = import->invert ? UINT64_MAX : 0;
    const bool all = import->where == IMPORT_ALL;
    struct entries entries = {.count = 0};
    if (all)
        entries_full(&entries, cpu, import->empty, men);
    else if (import->where == IMPORT_TAKEN)
        entries_taken(&entries, cpu, import, men);
    else
        add_entries(&entries, standing(cpu, men, import->man, import->at));
    if (!all && entries.count == 0)
        return;
    if (import->bits == NULL || all || import->man >= layout->pieces) {
        or_entries(run, import->bits == NULL ? NULL : import->bits + rest * words, words, flip, &entries, all);
        return;
    }
    const int digit = layout->pieces - 1 - import->man;
    const uint64_t below = (UINT64_C(1) << 3 * digit) - 1;
    const uint64_t tile = (rest & below) | (rest >> 3 & ~below);
    or_expanded(run, import->bits + tile * (words / 8), words, flip, &entries, digit);
}

// The tiles of a row that take all of the slab's tile. The u digits of the last two pieces run over the row.
static uint64_t plain_tiles(const struct layout *layout, const struct slab_import *import, uint64_t row)
{
    if (import->where != IMPORT_ALL || import->bits == NULL)
        return 0;
    if (import->empty == NO_SQUARE)
        return UINT64_MAX;
    const unsigned u = import->empty >> 3;
    for (int q = layout->slice_digits; q < layout->pieces - 2; q++) {
        if ((row >> (layout_lane_shift(layout, q) - 6) & 7) == u)
            return 0;
    }
    return ~(UINT64_C(0xff) << 8 * u | UINT64_C(0x0101010101010101) << u);
}

// The tiles of a row in which a piece has that u digit.
static uint64_t tiles_with(const struct layout *layout, int piece, unsigned u, uint64_t row)
{
    if (piece == layout->pieces - 1)
        return UINT64_C(0x0101010101010101) << u;
    if (piece == layout->pieces - 2)
        return UINT64_C(0xff) << 8 * u;
    return (row >> (layout_lane_shift(layout, piece) - 6) & 7) == u ? UINT64_MAX : 0;
}

// The tiles of a row in which an import can have entries at all.
static uint64_t possible_tiles(const struct layout *layout, const struct slab_import *import, uint64_t row)
{
    if (import->where == IMPORT_AT)
        return tiles_with(layout, import->man, import->at >> 3, row);
    if (import->where == IMPORT_ALL || import->man < layout->pieces)
        return UINT64_MAX;
    const unsigned u = layout->fixed_code[import->slice][import->man - layout->pieces] >> 3;
    uint64_t tiles = 0;
    for (int q = layout->slice_digits; q < layout->pieces; q++) {
        if (enemies(layout, q, import->man))
            tiles |= tiles_with(layout, q, u, row);
    }
    return tiles;
}

// One import into a row of tiles.
static void slab_row(const struct slab_work *work, const struct slab_import *import, uint64_t head, uint64_t row)
{
    const struct cpu_backend *cpu = work->cpu;
    const struct layout *layout = &cpu->base.layout;
    const size_t words = run_qwords(cpu);
    const uint64_t low = import->slice & ((UINT64_C(1) << 3 * layout->slice_digits) - 1);
    const uint64_t flip = import->invert ? UINT64_MAX : 0;
    const uint64_t plain = plain_tiles(layout, import, row);
    uint64_t *to = tile_at(cpu, work->to, head * layout->slice_stride + row * SLAB_TILES);
    to += low * words;
    if (import->bits == NULL && !import->invert)
        return;
    for (uint64_t left = possible_tiles(layout, import, row); left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        const uint64_t rest = row * SLAB_TILES + i;
        if (plain >> i & 1) {
            or_plain(to + i * tile_qwords(cpu), import->bits + rest * words, words, flip);
            continue;
        }
        struct tile_men men = {.head = (uint32_t)head};
        for (int q = layout->slice_digits; q < layout->pieces; q++)
            men.u[q] = rest >> layout_lane_shift(layout, q) & 7;
        slab_tile(work, import, rest, &men, to + i * tile_qwords(cpu));
    }
}

// The first import into a slice >= this one.
static size_t first_import(const struct slab_work *work, uint64_t slice)
{
    size_t low = 0;
    size_t high = work->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (work->imports[middle].slice < slice)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// ---- slabs of two pieces: one row of tiles with one word each ----

// Is it one that pair_import() does?
static bool is_pair_import(const struct layout *layout, const struct slab_import *import)
{
    return import->bits != NULL &&
           (import->where == IMPORT_ALL || (import->where == IMPORT_TAKEN && import->man >= layout->pieces));
}

// words[8 u + v] |= slab ^ flip, where the man of digit `digit` stands on that square.
static void pair_standing(uint64_t *words, const uint64_t *slab, uint64_t flip, int digit, unsigned code)
{
    const uint64_t lanes = place_word(0, digit, code & 7);
    const unsigned first = digit == 0 ? code >> 3 : code >> 3 << 3;
    for (unsigned i = 0; i < 8; i++) {
        const unsigned w = first + (digit == 0 ? 8 * i : i);
        words[w] |= (slab[w] ^ flip) & lanes;
    }
}

// One import as words of the slice.
static void pair_import(const struct layout *layout, const struct slab_import *import, uint64_t words[SLAB_TILES])
{
    const uint64_t flip = import->invert ? UINT64_MAX : 0;
    const uint64_t *restrict slab = import->bits;
    if (import->where == IMPORT_TAKEN) {
        const unsigned code = layout->fixed_code[import->slice][import->man - layout->pieces];
        for (int q = layout->slice_digits; q < layout->pieces; q++) {
            if (enemies(layout, q, import->man))
                pair_standing(words, slab, flip, layout->pieces - 1 - q, code);
        }
        return;
    }
    if (import->empty == NO_SQUARE) {
        for (unsigned w = 0; w < SLAB_TILES; w++)
            words[w] |= slab[w] ^ flip;
        return;
    }
    const unsigned u = import->empty >> 3;
    const uint64_t lanes[2] = {place_word(0, 0, import->empty & 7), place_word(0, 1, import->empty & 7)};
    for (unsigned w = 0; w < SLAB_TILES; w++) {
        const uint64_t full = ((w & 7) == u ? lanes[0] : 0) | (w >> 3 == u ? lanes[1] : 0);
        words[w] |= (slab[w] ^ flip) & ~full;
    }
}

// All imports of one slice from number i on; returns the number of the next slice's first one.
static size_t pair_slice(const struct slab_work *work, size_t i, uint64_t head)
{
    const struct cpu_backend *cpu = work->cpu;
    const struct layout *layout = &cpu->base.layout;
    const uint64_t slice = work->imports[i].slice;
    uint64_t words[SLAB_TILES] = {0};
    for (; i < work->count && work->imports[i].slice == slice; i++) {
        if (is_pair_import(layout, &work->imports[i]))
            pair_import(layout, &work->imports[i], words);
        else
            slab_row(work, &work->imports[i], head, 0);
    }
    uint64_t *to = tile_at(cpu, work->to, head * layout->slice_stride);
    to += slice & ((UINT64_C(1) << 3 * layout->slice_digits) - 1);
    for (unsigned w = 0; w < SLAB_TILES; w++)
        to[w * tile_qwords(cpu)] |= words[w];
    return i;
}

static int slabs_run(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct slab_work *work = context;
    const struct cpu_backend *cpu = work->cpu;
    const struct layout *layout = &cpu->base.layout;
    const uint64_t head = work->head + item / work->rows;
    const uint64_t row = item % work->rows;
    size_t i = first_import(work, head << 3 * layout->slice_digits);
    if (i == work->count || work->imports[i].slice >> 3 * layout->slice_digits != head)
        return 0;
    const uint64_t first = head * layout->slice_stride + row * SLAB_TILES;
    for (uint64_t tile = first; tile < first + SLAB_TILES; tile++) {
        if (!work->to->active[tile])
            memset(tile_at(cpu, work->to, tile), 0, cpu->tile_bytes);
        work->to->active[tile] = 1;
    }
    const bool pairs = pair_slices(layout);
    while (i < work->count && work->imports[i].slice >> 3 * layout->slice_digits == head) {
        if (pairs)
            i = pair_slice(work, i, head);
        else
            slab_row(work, &work->imports[i++], head, row);
    }
    return 0;
}

int cpu_import_slabs(struct backend *backend, struct plane *plane, const struct slab_import *imports, size_t count)
{
    struct cpu_backend *cpu = cpu_of(backend);
    const struct layout *layout = &backend->layout;
    int code = slab_imports_check(layout, imports, count);
    if (code != 0 || count == 0)
        return code;
    struct slab_work work = {.cpu = cpu, .to = plane, .imports = imports, .count = count};
    work.head = imports[0].slice >> 3 * layout->slice_digits;
    work.rows = layout->slice_stride / SLAB_TILES;
    const uint64_t last = imports[count - 1].slice >> 3 * layout->slice_digits;
    return threads_each(cpu->pool, (last - work.head + 1) * work.rows, slabs_run, &work);
}

// ---- logic ----

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
        uint64_t *to = tile_open(cpu, work->to, tile);
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
