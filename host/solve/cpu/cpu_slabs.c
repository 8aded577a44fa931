// cpu_slabs.c - the bits of many slabs into the slices of a plane: what pawn moves and captures lead to
//
//     plane |= slab(all pieces, or without one) ^ inverted      in certain entries of one slice, for each import
//
// The slices that share their tiles (a head of the plane) are one work item, in rows of 64 tiles:
//
//     1. Find the first import into one of the slices; they are sorted by slice.
//     2. Clear the row's tiles that have no flag.
//     3. For each import, find the tiles of the row in which it can have entries at all.
//     4. In each of them, OR the slab's words: whole ones where no entry is excluded, else those of the patterns
//        (cpu.h) that say which entries the import is for, and which squares must be empty.
//
// So a row stays in the first cache while all imports of its slices go over it, and no two threads write to one tile.
//
// Example: with K, k and Q beside the pawns, a slice has 512 tiles of 8 words, 8 rows. The u digit of the first king is
// constant in a row. An import into the entries with the queen on a square of u = 3 touches the row's 8 tiles in which
// the queen has that u.
//
// With two pieces a slice is one row of tiles with one word each: all imports of a slice are added up in 64 words.
#include "solve/cpu/cpu.h"

#include <string.h>

enum { SLAB_WORDS = 64 }; // masks made together

struct slab_work {
    struct cpu_backend *cpu;
    struct plane *to;
    const struct slab_import *imports;
    size_t count;
    uint64_t head; // the first slice / 8^d that is imported into
    uint64_t rows; // for each head
};

// Entries of a tile, given as patterns: those to which any of the patterns applies. The array is too large to be
// cleared or copied for each tile.
struct entries {
    int count;
    const uint64_t *pattern[LAYOUT_PIECES_MAX * 8]; // as many as pieces can stand on squares with their u digits
};

_Static_assert((int)LAYOUT_PIECES_MAX * 8 >= (int)BACKEND_MEN_MAX, "room for all men that may take one");

static void add_entries(struct entries *entries, const uint64_t *pattern)
{
    if (pattern != NULL)
        entries->pattern[entries->count++] = pattern;
}

// The entries with a piece on one of the squares that must be empty.
static void find_excluded(const struct cpu_backend *cpu, const struct slab_import *import, const struct tile_men *men,
                          struct entries *entries)
{
    const struct layout *layout = &cpu->base.layout;
    entries->count = 0;
    for (int q = layout->slice_digits; import->empty != 0 && q < layout->pieces; q++) {
        for (unsigned l = 0, squares = import->empty >> 8 * men->u[q] & 0xff; squares >> l != 0; l++) {
            if (squares >> l & 1)
                add_entries(entries, place_pattern(cpu, q, l));
        }
    }
}

// The entries that an import is for, unless it is for all.
static void find_entries(const struct cpu_backend *cpu, const struct slab_import *import, const struct tile_men *men,
                         struct entries *entries)
{
    const struct layout *layout = &cpu->base.layout;
    const int pieces = layout->pieces;
    const int man = import->man;
    entries->count = 0;
    if (import->where == IMPORT_AT)
        add_entries(entries, cpu_standing(cpu, men, man, import->at));
    for (int q = layout->slice_digits; import->where == IMPORT_TAKEN && q < layout_men(layout); q++) {
        const uint8_t *code = layout->fixed_code[import->slice];
        if (!men_are_enemies(layout, q, man))
            continue;
        if (q < pieces && man < pieces)
            add_entries(entries, cpu_shared(cpu, men, q, man));
        else if (q < pieces)
            add_entries(entries, cpu_standing(cpu, men, q, code[man - pieces]));
        else if (man < pieces)
            add_entries(entries, cpu_standing(cpu, men, man, code[q - pieces]));
    }
}

// to |= from ^ inverted. A run is one word or a multiple of 8.
static inline void or_plain(uint64_t *restrict to, const uint64_t *restrict from, size_t words, uint64_t inverted)
{
    if (words == 1) {
        *to |= *from ^ inverted;
        return;
    }
    for (size_t w = 0; w < words; w += 8) {
        for (size_t i = 0; i < 8; i++)
            to[w + i] |= from[w + i] ^ inverted;
    }
}

// to |= (from ^ inverted) & the entries (`only` == NULL: all) & ~others, word by word. `from` may be NULL: all zero.
static void or_entries(uint64_t *to, const uint64_t *from, size_t words, uint64_t inverted, const struct entries *only,
                       const struct entries *but)
{
    static const uint64_t none[SLAB_WORDS];
    for (size_t start = 0; start < words; start += SLAB_WORDS) {
        const size_t some = words - start < SLAB_WORDS ? words - start : SLAB_WORDS;
        const uint64_t *restrict source = from == NULL ? none : from + start;
        uint64_t *restrict target = to + start;
        uint64_t mask[SLAB_WORDS];
        if (only == NULL && but->count == 0) {
            or_plain(target, source, some, inverted);
            continue;
        }
        memset(mask, only == NULL ? 0xff : 0, some * 8);
        for (int i = 0; only != NULL && i < only->count; i++)
            or_pattern(mask, only->pattern[i] + start, some);
        for (int i = 0; i < but->count; i++) {
            for (size_t w = 0; w < some; w++)
                mask[w] &= ~but->pattern[i][start + w];
        }
        for (size_t w = 0; w < some; w++)
            target[w] |= (source[w] ^ inverted) & mask[w];
    }
}

// Makes one import in one tile's run: `rest` is the tile's number among those of its slice.
static void slab_tile(const struct cpu_backend *cpu, const struct slab_import *import, uint64_t rest,
                      const struct tile_men *men, uint64_t *run)
{
    const struct layout *layout = &cpu->base.layout;
    const size_t words = run_qwords(cpu);
    const uint64_t inverted = import->invert ? UINT64_MAX : 0;
    const bool all = import->where == IMPORT_ALL;
    struct entries entries;
    struct entries but;
    find_entries(cpu, import, men, &entries);
    but.count = 0;
    if (!all && entries.count == 0)
        return;
    if (import->where != IMPORT_TAKEN)
        find_excluded(cpu, import, men, &but);
    if (import->bits == NULL || all || import->man >= layout->pieces) {
        const uint64_t *from = import->bits == NULL ? NULL : import->bits + rest * words;
        or_entries(run, from, words, inverted, all ? NULL : &entries, &but);
        return;
    }
    // The slab has no digits of this man.
    const int digit = layout->pieces - 1 - import->man;
    const uint64_t below = (UINT64_C(1) << 3 * digit) - 1;
    const uint64_t *from = import->bits + ((rest & below) | (rest >> 3 & ~below)) * (words / 8);
    for (size_t w = 0; w < words; w++) {
        uint64_t mask = 0;
        for (int i = 0; i < entries.count; i++)
            mask |= entries.pattern[i][w];
        for (int i = 0; i < but.count; i++)
            mask &= ~but.pattern[i][w];
        if (mask != 0)
            run[w] |= (word_without(from, w, digit) ^ inverted) & mask;
    }
}

// The tiles of a row in which a piece has this u digit. The row runs over the u digits of the last two pieces.
static uint64_t tiles_with(const struct layout *layout, int piece, unsigned u, uint64_t row)
{
    if (piece == layout->pieces - 1)
        return UINT64_C(0x0101010101010101) << u;
    if (piece == layout->pieces - 2)
        return UINT64_C(0xff) << 8 * u;
    return (row >> (layout_lane_shift(layout, piece) - 6) & 7) == u ? UINT64_MAX : 0;
}

// The tiles of a row in which an import can have any entries.
static uint64_t possible_tiles(const struct layout *layout, const struct slab_import *import, uint64_t row)
{
    if (import->where == IMPORT_AT)
        return tiles_with(layout, import->man, import->at >> 3, row);
    if (import->where == IMPORT_ALL || import->man < layout->pieces)
        return UINT64_MAX;
    const unsigned u = layout->fixed_code[import->slice][import->man - layout->pieces] >> 3;
    uint64_t tiles = 0;
    for (int q = layout->slice_digits; q < layout->pieces; q++) {
        if (men_are_enemies(layout, q, import->man))
            tiles |= tiles_with(layout, q, u, row);
    }
    return tiles;
}

// Makes one import in a row of tiles.
static void slab_row(const struct slab_work *work, const struct slab_import *import, uint64_t head, uint64_t row)
{
    const struct cpu_backend *cpu = work->cpu;
    const struct layout *layout = &cpu->base.layout;
    const size_t words = run_qwords(cpu);
    const uint64_t low = import->slice & ((UINT64_C(1) << 3 * layout->slice_digits) - 1);
    uint64_t plain = import->where != IMPORT_ALL || import->bits == NULL ? 0 : UINT64_MAX; // tiles that take all
    for (unsigned u = 0; plain != 0 && u < 8; u++) {
        for (int q = layout->slice_digits; (import->empty >> 8 * u & 0xff) != 0 && q < layout->pieces; q++)
            plain &= ~tiles_with(layout, q, u, row);
    }
    uint64_t *to = tile_at(cpu, work->to, head * layout->slice_stride + row * ROW_TILES);
    to += low * words;
    if (import->bits == NULL && !import->invert)
        return;
    for (uint64_t left = possible_tiles(layout, import, row); left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        const uint64_t rest = row * ROW_TILES + i;
        uint64_t *run = to + i * tile_qwords(cpu);
        if (plain >> i & 1) {
            or_plain(run, import->bits + rest * words, words, import->invert ? UINT64_MAX : 0);
            continue;
        }
        struct tile_men men = {.head = (uint32_t)head};
        for (int q = layout->slice_digits; q < layout->pieces; q++)
            men.u[q] = rest >> layout_lane_shift(layout, q) & 7;
        slab_tile(cpu, import, rest, &men, run);
    }
}

// ---- slabs of two pieces: one row of tiles with one word each ----

// Makes one import into words of the slice; false if it must be done tile by tile.
static bool pair_import(const struct layout *layout, const struct slab_import *import, uint64_t words[ROW_TILES])
{
    const uint64_t inverted = import->invert ? UINT64_MAX : 0;
    const uint64_t *restrict slab = import->bits;
    const bool taken = import->where == IMPORT_TAKEN && import->man >= layout->pieces;
    if (slab == NULL || (import->where != IMPORT_ALL && !taken))
        return false;
    if (!taken && import->empty == 0) {
        or_plain(words, slab, ROW_TILES, inverted);
        return true;
    }
    for (unsigned w = 0; !taken && w < ROW_TILES; w++) {
        // A piece on a square that must be empty: each bit l of the byte fills byte l, or all bytes get the byte.
        const uint64_t low = (import->empty >> 8 * (w & 7) & 0xff) * UINT64_C(0x0101010101010101);
        const uint64_t byte = import->empty >> 8 * (w >> 3) & 0xff;
        const uint64_t full = low | word_without(&byte, 0, 0);
        words[w] |= (slab[w] ^ inverted) & ~full;
    }
    if (!taken)
        return true;
    // The square that a piece must stand on.
    const unsigned code = layout->fixed_code[import->slice][import->man - layout->pieces];
    const unsigned u = code >> 3;
    const uint64_t lanes[2] = {place_word(0, 0, code & 7), place_word(0, 1, code & 7)}; // by digit
    for (int digit = 0; digit < 2; digit++) {
        for (unsigned i = 0; men_are_enemies(layout, layout->pieces - 1 - digit, import->man) && i < 8; i++) {
            const unsigned w = digit == 0 ? 8 * i + u : 8 * u + i;
            words[w] |= (slab[w] ^ inverted) & lanes[digit];
        }
    }
    return true;
}

// Makes all imports into one slice, from number i on; returns the number of the next slice's first import.
static size_t pair_slice(const struct slab_work *work, size_t i, uint64_t head)
{
    const struct cpu_backend *cpu = work->cpu;
    const struct layout *layout = &cpu->base.layout;
    const uint64_t slice = work->imports[i].slice;
    uint64_t words[ROW_TILES] = {0};
    for (; i < work->count && work->imports[i].slice == slice; i++) {
        if (!pair_import(layout, &work->imports[i], words))
            slab_row(work, &work->imports[i], head, 0);
    }
    uint64_t *to = tile_at(cpu, work->to, head * layout->slice_stride);
    to += slice & ((UINT64_C(1) << 3 * layout->slice_digits) - 1);
    for (unsigned w = 0; w < ROW_TILES; w++)
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
    size_t i = 0; // the first import into a slice of the head
    for (size_t high = work->count; i < high;) {
        const size_t middle = i + (high - i) / 2;
        if (work->imports[middle].slice < head << 3 * layout->slice_digits)
            i = middle + 1;
        else
            high = middle;
    }
    if (i == work->count || work->imports[i].slice >> 3 * layout->slice_digits != head)
        return 0;
    const uint64_t first = head * layout->slice_stride + row * ROW_TILES;
    for (uint64_t tile = first; tile < first + ROW_TILES; tile++)
        tile_open(cpu, work->to, tile);
    while (i < work->count && work->imports[i].slice >> 3 * layout->slice_digits == head) {
        if (has_row_slices(layout))
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
    const int code = slab_imports_check(layout, imports, count);
    if (code != 0 || count == 0)
        return code;
    struct slab_work work = {.cpu = cpu, .to = plane, .imports = imports, .count = count};
    work.head = imports[0].slice >> 3 * layout->slice_digits;
    work.rows = layout->slice_stride / ROW_TILES;
    const uint64_t last = imports[count - 1].slice >> 3 * layout->slice_digits;
    return threads_each(cpu->pool, (last - work.head + 1) * work.rows, slabs_run, &work);
}
