// import.c - a table of cltb out of Syzygy files
//
// 1. Every entry of the natural order (index/entry.h) is probed, for each side to move, as a position without en
//    passant: its outcome and distance, and whether a capture decides it, as the solver marks that (solve/iteration.c).
// 2. The writer (table/write/write_table.h) asks for sections in orders of its own: the digits of an entry lead to the
//    natural one. With both kings on the diagonal a1-h8 the smaller of two mirrored entries counts in each order.
#include "import/import.h"

#include "check/stats.h"
#include "chess/fen.h"
#include "index/layout.h"
#include "make/pawn_memory.h"
#include "make/plan.h"
#include "make/plan_material.h"
#include "probe/probe.h"
#include "table/pattern_code.h"
#include "table/write/write_table.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/units.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 14, LEGAL = 8, BY_CAPTURE = 16, PLY_SHIFT = 5 };

typedef uint16_t packed; // 0: not a position; else outcome + 2, LEGAL, BY_CAPTURE, and the distance

struct importing {
    cltb_tables *tables;
    struct material material;
    struct pawn_slices *slices;
    struct entry_order natural;
    uint8_t *square[ENTRY_GROUPS_MAX]; // of natural groups, [size][count]: the squares of a digit
    uint32_t *image[ENTRY_GROUPS_MAX]; // [size]: the digit of the mirror image at the diagonal a1-h8
    int side;
    packed *value[COLOURS];    // [natural.entries]
    struct position *position; // [workers]
    _Atomic int longest[COLOURS][TABLE_OUTCOMES];
    atomic_bool occurs[COLOURS][TABLE_OUTCOMES][TABLE_PLY_MAX + 1]; // distances
};

static int make_tables(struct importing *in)
{
    for (int g = 0; g < in->natural.groups; g++) {
        const struct entry_group *group = &in->natural.group[g];
        TRY(memory_new(&in->square[g], group->size * group->count, 1, "the squares of men"));
        TRY(memory_new(&in->image[g], group->size, sizeof *in->image[g], "the squares of men"));
        for (uint64_t digit = 0; digit < group->size; digit++) {
            uint8_t image[MATERIAL_MEN_MAX] = {0};
            uint8_t *square = &in->square[g][digit * group->count];
            entry_digit_squares(digit, group->count, square);
            for (int i = 0; i < group->count; i++)
                image[i] = (uint8_t)(square[i] >> 3 | (square[i] & 7) << 3);
            in->image[g][digit] = (uint32_t)entry_digit(image, group->count);
        }
    }
    return 0;
}

// Sets the position of a natural entry; false if it has no legal position, or another entry stands for it in every
// order.
static bool set_entry(const struct importing *in, uint64_t entry, int side, struct position *p)
{
    const struct entry_order *order = &in->natural;
    const uint64_t first = entry / order->per_slice;
    const uint64_t rest = entry % order->per_slice;
    struct man men[MATERIAL_MEN_MAX];
    uint64_t occupied = 0;
    int count = 0;
    for (int g = 0; g < order->groups; g++) {
        const struct entry_group *group = &order->group[g];
        const uint8_t *square = &in->square[g][rest / group->stride % group->size * group->count];
        for (int i = 0; i < group->count; i++)
            men[count++] = (struct man){group->type, group->colour, square[i]};
    }
    if (in->slices == NULL) {
        men[count++] = (struct man){KING, BLACK, triangle_square[first]};
    } else if (first >= in->slices->slices) {
        return false;
    } else {
        for (int i = 0; i < in->slices->pawns[WHITE] + in->slices->pawns[BLACK]; i++)
            men[count++] =
                (struct man){PAWN, i < in->slices->pawns[WHITE] ? WHITE : BLACK, in->slices->square[first][i]};
    }
    for (int i = 0; i < count; i++) {
        if (occupied & square_bit(men[i].square))
            return false;
        occupied |= square_bit(men[i].square);
    }
    if (position_set(p, men, count, side) != 0 || !position_legal(p))
        return false;
    const bool mirrored = in->slices == NULL && square_on_diagonal(position_king(p, WHITE)) &&
                          square_on_diagonal(position_king(p, BLACK));
    return mirrored || entry_index(order, p, false) == entry;
}

// ---- step 1 ----

// Does a capture win, or draw in a drawn position?
static int find_capture(const struct importing *in, struct position *p, int outcome, bool *found)
{
    uint32_t moves[MOVES_MAX];
    int code = 0;
    *found = false;
    if (outcome != CLTB_WIN && outcome != CLTB_DRAW)
        return 0;
    const int count = moves_legal(p, moves);
    for (int i = 0; i < count && code == 0 && !*found; i++) {
        int after = CLTB_WIN;
        if (!move_is_capture(moves[i]))
            continue;
        TRY(position_make(p, moves[i]));
        code = probe_outcome(in->tables, p, &after);
        *found = after == -outcome;
        position_undo(p);
    }
    return code;
}

static int rounded(const struct position *p, struct cltb_value value)
{
    static const char *const kind[TABLE_OUTCOMES] = {"losses", "blessed losses", "draws", "cursed wins", "wins"};
    char fen[FEN_MAX];
    fen_write(p, fen);
    return error_set(CLTB_E_FOREIGN,
                     "its Syzygy files cannot be imported without loss: they count moves, not plies, because the "
                     "flag for wins or losses is not set (%s in %d or %d: %s); make the table with cltb build",
                     kind[value.outcome + 2], value.dtz, value.dtz + 1, fen);
}

static int probe_chunk(void *context, uint64_t item, int worker)
{
    struct importing *in = context;
    struct position *p = &in->position[worker];
    const uint64_t end = (item + 1) * CHUNK < in->natural.entries ? (item + 1) * CHUNK : in->natural.entries;
    for (uint64_t entry = item * CHUNK; entry < end; entry++) {
        struct cltb_value value;
        bool by_capture;
        if (!set_entry(in, entry, in->side, p))
            continue;
        TRY(probe_value(in->tables, p, &value));
        if (value.rounded)
            return rounded(p, value);
        TRY(find_capture(in, p, value.outcome, &by_capture));
        in->value[in->side][entry] =
            (packed)((value.outcome + 2) | LEGAL | (by_capture ? BY_CAPTURE : 0) | value.dtz << PLY_SHIFT);
        atomic_store_explicit(&in->occurs[in->side][value.outcome + 2][value.dtz], true, memory_order_relaxed);
        _Atomic int *longest = &in->longest[in->side][value.outcome + 2];
        int before = atomic_load_explicit(longest, memory_order_relaxed);
        while (value.outcome != CLTB_DRAW && value.dtz > before &&
               !atomic_compare_exchange_weak(longest, &before, value.dtz))
            ;
    }
    return 0;
}

// ---- step 2 ----

struct filling {
    const struct importing *in;
    const struct section_request *request;
    const struct entry_order *order;
    int natural[ENTRY_GROUPS_MAX]; // the same group in the natural order
    const struct section_target *target;
    bool distances;
    uint64_t first; // entry
    uint64_t entries;
    uint64_t arrangements;
    _Atomic uint64_t counts[TABLE_OUTCOMES];
};

// The natural entry of an entry in the writer's order. `*mirror`: the writer's entry of the mirror image at the
// diagonal if both kings stand on it, else UINT64_MAX.
static uint64_t natural_entry(const struct filling *f, uint64_t entry, uint64_t *mirror)
{
    const struct entry_order *order = f->order;
    const struct entry_order *natural = &f->in->natural;
    const uint64_t slice = entry / order->per_slice;
    const uint64_t rest = entry % order->per_slice;
    uint64_t to = slice * natural->per_slice;
    bool diagonal = f->in->slices == NULL && square_on_diagonal(triangle_square[slice]);
    uint64_t image = slice * order->per_slice;
    for (int g = 0; g < order->groups; g++) {
        const struct entry_group *group = &order->group[g];
        const uint64_t digit = rest / group->stride % group->size;
        const int n = f->natural[g];
        to += digit * natural->group[n].stride;
        diagonal = diagonal && (group->type != KING || f->in->image[n][digit] == digit);
        image += f->in->image[n][digit] * group->stride;
    }
    *mirror = diagonal ? image : UINT64_MAX;
    return to;
}

static void put(const struct filling *f, uint64_t at, unsigned symbol)
{
    if (f->target->bytes == 1)
        ((uint8_t *)f->target->symbols)[at] = (uint8_t)symbol;
    else
        ((uint16_t *)f->target->symbols)[at] = (uint16_t)symbol;
}

static int fill_chunk(void *context, uint64_t item, int worker)
{
    struct filling *f = context;
    uint64_t counts[TABLE_OUTCOMES] = {0};
    const uint64_t end = (item + 1) * CHUNK < f->entries ? (item + 1) * CHUNK : f->entries;
    (void)worker;
    for (uint64_t i = item * CHUNK; i < end; i++) {
        const uint64_t entry = f->first + i;
        const uint64_t at = section_place(f->target, i);
        uint64_t mirror;
        if (at == NO_PLACE || (f->in->slices != NULL && entry / f->order->per_slice >= f->in->slices->slices))
            continue;
        const packed value = f->in->value[f->request->side][natural_entry(f, entry, &mirror)];
        if (value == 0 || mirror < entry)
            continue;
        const int outcome = (value & 7) - 2;
        const bool free = value & BY_CAPTURE;
        counts[outcome + 2] += f->arrangements * (f->in->slices != NULL ? 2 : mirror == entry ? 4 : 8);
        if (!f->distances && !(free && outcome == CLTB_WIN))
            put(f, at, free ? (unsigned)DRAW_OR_WORSE : (unsigned)(outcome + 2));
        const bool first = f->request->first_free && outcome == CLTB_WIN && value >> PLY_SHIFT == 1;
        const struct ply_lists *lists = f->target->lists;
        const int ply = (int)(value >> PLY_SHIFT);
        if (f->distances && outcome != CLTB_DRAW && !free && !first)
            put(f, at, lists != NULL ? ply_place(lists, outcome, ply) : (unsigned)ply);
    }
    for (int i = 0; i < TABLE_OUTCOMES; i++)
        atomic_fetch_add(&f->counts[i], counts[i]);
    return 0;
}

static int fill(const void *context, const struct section_request *request, uint64_t first, uint64_t count,
                struct thread_pool *pool)
{
    const struct importing *in = context;
    struct material pieces = in->material;
    pieces.count[WHITE][PAWN] = pieces.count[BLACK][PAWN] = 0;
    for (int distances = 0; distances < 2; distances++) {
        const struct section_target *target = distances ? &request->distance : &request->outcome;
        if (target->order == NULL)
            continue;
        struct filling f = {.in = in,
                            .request = request,
                            .order = target->order,
                            .target = target,
                            .distances = distances,
                            .first = first * target->order->per_section,
                            .entries = count * target->order->per_section,
                            .arrangements = material_arrangements(&pieces)};
        for (int g = 0; g < f.order->groups; g++)
            while (in->natural.group[f.natural[g]].colour != f.order->group[g].colour ||
                   in->natural.group[f.natural[g]].type != f.order->group[g].type)
                f.natural[g]++;
        TRY(section_clear(target, count, pool));
        TRY(threads_each(pool, (f.entries + CHUNK - 1) / CHUNK, fill_chunk, &f));
        for (int i = 0; !distances && request->counts != NULL && i < TABLE_OUTCOMES; i++)
            request->counts[i] += f.counts[i];
    }
    return 0;
}

static bool occurs(const void *context, int side, int outcome, int ply)
{
    const struct importing *in = context;
    return in->occurs[side][outcome + 2][ply];
}

// ---- the whole ----

static int write_file(const struct importing *in, const char *path, struct thread_pool *pool, uint64_t *bytes)
{
    const struct write_options writing = {.both_sides = false};
    const struct build_options options = {.dir = ""};
    const struct plan_distances distances = plan_distances(&in->material, &options, false);
    uint8_t type[MATERIAL_MEN_MAX];
    uint8_t colour[MATERIAL_MEN_MAX];
    int longest[COLOURS][TABLE_OUTCOMES];
    struct content content = {.material = &in->material,
                              .slices = in->slices,
                              .pieces = {0, type, colour},
                              .kept = {distances.keep[WHITE], distances.keep[BLACK]},
                              .longest = longest,
                              .fill = fill,
                              .occurs = in->slices == NULL ? occurs : NULL, // as the builder knows them
                              .context = in};
    for (int g = 0; g < in->natural.groups; g++)
        for (int i = 0; i < in->natural.group[g].count; i++) {
            type[content.pieces.count] = in->natural.group[g].type;
            colour[content.pieces.count++] = in->natural.group[g].colour;
        }
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const int side = i / TABLE_OUTCOMES;
        const int plies = longest[side][i % TABLE_OUTCOMES] = in->longest[side][i % TABLE_OUTCOMES];
        content.longest_kept[side] = plies > content.longest_kept[side] ? plies : content.longest_kept[side];
    }
    return write_content(&content, path, pool, &writing, bytes);
}

// The values of both sides to move are held while the table is written.
static int check_memory(const struct material *material, int threads)
{
    char name[MATERIAL_NAME_MAX];
    const struct build_options options = {.dir = "", .threads = threads};
    const uint64_t allowed = plan_memory(&options);
    const double needed =
        sizeof(packed) * plan_file_entries(material) + (double)plan_write_need(material, &options, PLAN_TABLE).least;
    if (needed <= (double)allowed)
        return 0;
    return error_set(CLTB_E_MEMORY, "%s needs about %s of memory to be imported, %s are allowed",
                     material_name(material, name), unit_bytes((uint64_t)needed).text, unit_bytes(allowed).text);
}

int import_table(cltb_tables *tables, const struct material *material, const char *path, struct thread_pool *pool,
                 uint64_t *bytes)
{
    struct importing in = {.tables = tables, .material = *material};
    TRY(check_memory(material, threads_count(pool)));
    if (material_has_pawns(material))
        TRY(pawn_slices_open(&in.slices, material->count[WHITE][PAWN], material->count[BLACK][PAWN]));
    entry_order_init(&in.natural, material, in.slices, NULL);
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++)
        in.longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES] = -1;
    int code = memory_new(&in.position, (size_t)threads_count(pool), sizeof *in.position, "positions");
    THEN(code, make_tables(&in));
    THEN(code, load_syzygy(tables, material, pool));
    for (in.side = WHITE; code == 0 && in.side <= (material_symmetric(material) ? WHITE : BLACK); in.side++) {
        code = memory_new(&in.value[in.side], in.natural.entries, sizeof(packed), "the values of a table");
        THEN(code, threads_each(pool, (in.natural.entries + CHUNK - 1) / CHUNK, probe_chunk, &in));
    }
    THEN(code, write_file(&in, path, pool, bytes));
    for (int g = 0; g < in.natural.groups; g++) {
        free(in.square[g]);
        free(in.image[g]);
    }
    free(in.value[WHITE]);
    free(in.value[BLACK]);
    free(in.position);
    pawn_slices_close(in.slices);
    return code;
}
