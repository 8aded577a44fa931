// quiet.c - wins that a quiet move of a piece brings at once
//
// They are found backwards: the planes of the other side are searched for its losses in 0, the mates, and in 100, 64
// positions at a time. From each one the winner's pieces take back all quiet moves. Positions that the planes have more
// than once do no harm.
#include "chess/attacks.h"
#include "syzygy/write/natural.h"
#include "util/error.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    ITEM_WORDS = 1 << 10,   // in a work item
    LOAD_ENTRIES = 1 << 24, // loaded at a time
    LOADED_MAX = 1 << 8,    // slices in these
    WANTED_MAX = 8          // codes
};

// A code to look for.
struct wanted {
    bool won;
    int ply;
    unsigned code;
};

struct search {
    const struct natural *natural;
    uint8_t *marks;
    int winner;
    struct address address;
    int pieces;                   // of the planes
    int group[LAYOUT_PIECES_MAX]; // [piece] its group as addresses count groups; -1 for a blank
    atomic_bool found[COLOURS];   // losses and wins in 100
    // Slices:
    const uint32_t *slice; // that are loaded
    struct slice_view view[LOADED_MAX];
    uint64_t words; // in a slice
    uint64_t items; //
};

// ---- taking moves back ----

// Marks the entry from which a quiet move leads here.
static void mark(const struct search *s, uint32_t slice, const uint32_t *combination, uint8_t bit)
{
    const struct natural *natural = s->natural;
    const struct address *address = &s->address;
    const struct pawn_slices *slices = natural->content->slices;
    const uint32_t white_king = combination[address_group(address, WHITE, KING)];
    uint64_t entry = UINT64_MAX;
    if (slices != NULL) {
        bool mirror;
        bool both;
        pawn_slices_find(slices, slices->square[slice], &mirror, &both);
        entry = address_sum(address, both && square_file((int)white_king) > 3, combination,
                            (uint64_t)natural->place[slice] * natural->per_slice);
    } else {
        const uint32_t black_king = combination[address->groups - 1];
        const uint64_t pair = address->pair[black_king][white_king];
        for (int i = 0; i < address->turn[black_king][white_king].count; i++) {
            const uint64_t image =
                address_sum(address, address->turn[black_king][white_king].symmetry[i], combination, pair);
            entry = image < entry ? image : entry;
        }
    }
    __atomic_fetch_or(s->marks + entry, bit, __ATOMIC_RELAXED);
}

// Takes back all quiet moves of the winner's pieces to the position with the pieces on these squares.
static void take_back(const struct search *s, uint32_t slice, const uint8_t *piece_square, uint8_t bit)
{
    const struct address *address = &s->address;
    const struct pawn_slices *slices = s->natural->content->slices;
    uint8_t square[ADDRESS_GROUPS_MAX][MATERIAL_MEN_MAX] = {{0}};
    int count[ADDRESS_GROUPS_MAX] = {0};
    uint32_t combination[ADDRESS_GROUPS_MAX] = {0};
    uint64_t occupied = 0;
    for (int i = 0; i < s->pieces; i++) {
        const int g = s->group[i];
        if (g >= 0)
            square[g][count[g]++] = piece_square[i];
    }
    if (slices == NULL)
        square[address->groups - 1][0] = triangle_square[slice];
    for (int g = 0; g < address->groups; g++) {
        combination[g] = (uint32_t)entry_digit(square[g], address->count[g]);
        for (int i = 0; i < address->count[g]; i++)
            occupied |= square_bit(square[g][i]);
    }
    for (int i = 0; slices != NULL && i < slices->pawns[WHITE] + slices->pawns[BLACK]; i++)
        occupied |= square_bit(slices->square[slice][i]);
    for (int g = 0; g < address->groups; g++) {
        const uint32_t before = combination[g];
        for (int i = 0; address->colour[g] == s->winner && i < address->count[g]; i++) {
            const uint8_t here = square[g][i];
            uint64_t origins = piece_attacks(address->type[g], s->winner, here, occupied) & ~occupied;
            while (origins != 0) {
                square[g][i] = (uint8_t)set_pop(&origins);
                combination[g] = (uint32_t)entry_digit(square[g], address->count[g]);
                mark(s, slice, combination, bit);
            }
            square[g][i] = here;
            combination[g] = before;
        }
    }
}

// ---- looking for losses ----

static int list_wanted(const solver_value (*value)[DISTANCE_CODES], struct wanted wanted[WANTED_MAX])
{
    int count = 0;
    for (int i = 0; i < COLOURS * DISTANCE_CODES && count < WANTED_MAX; i++) {
        const bool won = i >= DISTANCE_CODES;
        const solver_value v = value[won][i % DISTANCE_CODES];
        const int ply = v != 0 && i % DISTANCE_CODES != 0 ? solver_value_ply(v) : -1;
        if ((ply == 0 && !won) || ply == PLY_LIMIT)
            wanted[count++] = (struct wanted){won, ply, (unsigned)i % DISTANCE_CODES};
    }
    return count;
}

static uint64_t lanes_with(const struct slice_side *planes, uint64_t w, const struct wanted *wanted)
{
    // A win by a capture may be stored as anything.
    uint64_t lanes = wanted->won ? planes->won[w] : ~planes->won[w];
    if (wanted->won && planes->resolved != NULL)
        lanes &= ~planes->resolved[w];
    for (unsigned bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
        const uint64_t plane = planes->distance[bit] != NULL ? planes->distance[bit][w] : 0;
        lanes &= wanted->code >> bit & 1 ? plane : ~plane;
    }
    return lanes;
}

// Looks at words first..first+words-1 of the planes, which are a tile with these u digits.
static void look_at_tile(struct search *s, const struct slice_side *planes, uint64_t first, uint64_t words,
                         const struct wanted *wanted, int count, uint32_t slice, const uint8_t *u)
{
    for (int k = 0; k < count; k++) {
        for (uint64_t w = 0; w < words; w++) {
            uint64_t lanes = lanes_with(planes, first + w, &wanted[k]);
            if (lanes != 0 && wanted[k].ply != 0)
                atomic_store_explicit(&s->found[wanted[k].won], true, memory_order_relaxed);
            for (; lanes != 0 && !wanted[k].won; lanes &= lanes - 1) {
                const uint64_t lane = 64 * w + (unsigned)__builtin_ctzll(lanes);
                uint8_t square[LAYOUT_PIECES_MAX];
                for (int i = 0; i < s->pieces; i++)
                    square[i] = code_square[8U * u[i] + (lane >> 3 * (s->pieces - 1 - i) & 7)];
                take_back(s, slice, square, wanted[k].ply == 0 ? QUIET_MATE : QUIET_CURSED);
            }
        }
    }
}

static int visit_run(void *context, const struct tile_run *run, int worker)
{
    (void)worker;
    struct search *s = context;
    const struct tile_source *source = s->natural->content->context;
    struct wanted wanted[WANTED_MAX];
    const int count = list_wanted(source->value[s->winner ^ 1], wanted);
    const uint64_t words = source->layout->tile_lanes / 64;
    for (uint64_t i = 0; i < run->count; i++) {
        uint8_t u[LAYOUT_PIECES_MAX] = {0};
        unsigned king;
        layout_digits(source->layout, run->number != NULL ? run->number[i] : run->first + i, &king, u);
        look_at_tile(s, &run->planes, i * words, words, wanted, count, king, u);
    }
    return 0;
}

// Looks at some words of a slice.
static int look_at_slice(void *context, uint64_t item, int worker)
{
    (void)worker;
    struct search *s = context;
    const struct slice_view *view = &s->view[item / s->items];
    const uint64_t each = (UINT64_C(1) << 3 * s->pieces) / 64; // words in a tile
    const uint64_t end = (item % s->items + 1) * s->words / s->items;
    struct wanted wanted[WANTED_MAX];
    const int count = list_wanted(view->value, wanted);
    for (uint64_t w = item % s->items * s->words / s->items; w < end; w += each) {
        uint8_t u[LAYOUT_PIECES_MAX] = {0};
        for (int i = 0; i < s->pieces; i++)
            u[i] = w / each >> 3 * (s->pieces - 1 - i) & 7;
        look_at_tile(s, &view->planes, w, each, wanted, count, s->slice[item / s->items], u);
    }
    return 0;
}

static int look_at_slices(struct search *s)
{
    const struct natural *natural = s->natural;
    const struct slices_source *source = natural->content->context;
    s->words = (UINT64_C(1) << 6 * s->pieces) / 64;
    // A power of two, and at most the number of tiles.
    const uint64_t tiles = UINT64_C(1) << 3 * s->pieces;
    const uint64_t items = s->words / ITEM_WORDS > 0 ? s->words / ITEM_WORDS : 1;
    s->items = items < tiles ? items : tiles;
    uint64_t most = LOAD_ENTRIES / 64 / s->words;
    most = most == 0 ? 1 : most < LOADED_MAX ? most : LOADED_MAX;
    for (uint64_t first = 0; first < natural->slices; first += most) {
        const uint64_t count = natural->slices - first < most ? natural->slices - first : most;
        s->slice = natural->number + first;
        TRY(source->load(source->context, s->winner ^ 1, s->slice, count, s->view));
        TRY(threads_each(natural->pool, count * s->items, look_at_slice, s));
    }
    return 0;
}

int quiet_mark(const struct natural *natural, uint8_t *marks, int winner, bool *loss_100, bool *win_100)
{
    const struct write_pieces *pieces = &natural->content->pieces;
    struct search s = {.natural = natural, .marks = marks, .winner = winner, .pieces = pieces->count};
    TRY(address_open(&s.address, natural));
    for (int i = 0; i < s.pieces; i++)
        s.group[i] = address_group(&s.address, pieces->colour[i], pieces->type[i]);
    int code = 0;
    if (natural->content->slices != NULL) {
        code = look_at_slices(&s);
    } else {
        const struct tile_source *source = natural->content->context;
        for (unsigned king = 0; code == 0 && king < natural->slices; king++)
            code = source->each_run(source->context, winner ^ 1, king, NULL, -1, natural->pool, visit_run, &s);
    }
    address_close(&s.address);
    *loss_100 = s.found[0];
    *win_100 = s.found[1];
    return code;
}
