// futurebases.c - stored tables as the solver's futurebases
//
// A stored outcome is not the whole truth where a capture decides (table/table.h), so a loaded table is completed by
// solver_resolve(), which needs the table's own futurebases: the loading goes down to bare kings.
//
// The solver asks for the pieces in its own order and colours; the file may have the colours exchanged. For each pair
// of king squares there is one symmetry from the solver's placement to the file's, and then every man adds its own part
// to both indices.
#include "futurebase/futurebases.h"

#include "solve/backend.h"
#include "solve/solver.h"
#include "table/path.h"
#include "table/table.h"
#include "util/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// One side to move of a loaded table.
struct load {
    const struct layout *layout;     // the solver's
    const struct entry_order *order; // the file's
    bool flip;                       // the file has the colours exchanged
    const uint8_t *symbols;          // [order->entries]
    uint64_t *plane[TABLE_OUTCOMES]; // by outcome + 2; NULL: not wanted
    int group_of[LAYOUT_PIECES_MAX]; // the file's group of each piece
    // Parts of both indices by square; the entry's for men who are a group of their own:
    uint64_t bit_part[LAYOUT_PIECES_MAX][SQUARES];
    uint64_t entry_part[LAYOUT_PIECES_MAX][SYMMETRIES][SQUARES];
};

// The bit of a square in the layout's index.
static uint64_t layout_part(const struct layout *layout, int piece, unsigned code)
{
    return (code >> 3) * layout->stride[piece] * layout->tile_lanes +
           ((uint64_t)(code & 7) << layout_lane_shift(layout, piece));
}

// A file group to be filled while the other men are placed.
struct cursor {
    const struct load *load;
    int symmetry;                                       // from the solver's placement to the file's
    int other_symmetry;                                 // the second one where both kings are on the diagonal, or -1
    uint8_t square[ENTRY_GROUPS_MAX][MATERIAL_MEN_MAX]; // by file group
    int file_king;                                      // square of the file's black king, not yet carried over
    int pieces[LAYOUT_PIECES_MAX];                      // the men to place
    int count;                                          //
};

static void set_bit(const struct load *load, uint64_t bit, uint64_t entry)
{
    uint64_t *plane = load->plane[load->symbols[entry]];
    if (plane != NULL)
        plane[bit / 64] |= UINT64_C(1) << (bit & 63);
}

// The slow way for any groups: each placement by entry_index_raw().
static void place_any(struct cursor *cursor, int depth, uint64_t bit, uint64_t occupied, const int *slot)
{
    const struct load *load = cursor->load;
    if (depth == cursor->count) {
        uint64_t entry = entry_index_raw(load->order, cursor->file_king, cursor->square, cursor->symmetry);
        if (cursor->other_symmetry >= 0) {
            const uint64_t other =
                entry_index_raw(load->order, cursor->file_king, cursor->square, cursor->other_symmetry);
            entry = other < entry ? other : entry;
        }
        set_bit(load, bit, entry);
        return;
    }
    const int piece = cursor->pieces[depth];
    for (int square = 0; square < SQUARES; square++) {
        if (occupied >> square & 1)
            continue;
        cursor->square[load->group_of[piece]][slot[depth]] = (uint8_t)square;
        place_any(cursor, depth + 1, bit + load->bit_part[piece][square], occupied | UINT64_C(1) << square, slot);
    }
}

static void place_few(struct cursor *cursor, int depth, uint64_t bit, uint64_t entry, uint64_t occupied,
                      const int *slot);

// The second of two identical pieces: their digit depends on both squares.
static void place_second(struct cursor *cursor, int depth, uint64_t bit, uint64_t entry, uint64_t occupied,
                         const int *slot)
{
    const struct load *load = cursor->load;
    const int piece = cursor->pieces[depth];
    const int group = load->group_of[piece];
    uint8_t squares[2] = {(uint8_t)square_apply(cursor->symmetry, cursor->square[group][0]), 0};
    for (uint64_t free = ~occupied; free != 0; free &= free - 1) {
        const int square = __builtin_ctzll(free);
        squares[1] = (uint8_t)square_apply(cursor->symmetry, square);
        place_few(cursor, depth + 1, bit + load->bit_part[piece][square],
                  entry + entry_digit(squares, 2) * load->order->group[group].stride, occupied | UINT64_C(1) << square,
                  slot);
    }
}

// The fast way, for groups of one or two men: `bit` and `entry` grow by parts.
static void place_few(struct cursor *cursor, int depth, uint64_t bit, uint64_t entry, uint64_t occupied,
                      const int *slot)
{
    const struct load *load = cursor->load;
    if (depth == cursor->count) {
        set_bit(load, bit, entry);
        return;
    }
    const int piece = cursor->pieces[depth];
    const int group = load->group_of[piece];
    if (slot[depth] == 1) {
        place_second(cursor, depth, bit, entry, occupied, slot);
        return;
    }
    static const uint64_t nothing[SQUARES];
    const uint64_t *bit_part = load->bit_part[piece];
    const uint64_t *entry_part =
        load->order->group[group].count == 1 ? load->entry_part[piece][cursor->symmetry] : nothing;
    const bool last = depth == cursor->count - 1;
    for (uint64_t free = ~occupied; free != 0; free &= free - 1) {
        const int square = __builtin_ctzll(free);
        if (last) {
            set_bit(load, bit + bit_part[square], entry + entry_part[square]);
            continue;
        }
        cursor->square[group][0] = (uint8_t)square;
        place_few(cursor, depth + 1, bit + bit_part[square], entry + entry_part[square],
                  occupied | UINT64_C(1) << square, slot);
    }
}

// Which symmetry carries a placement with these kings to the file's image.
static void choose_symmetry(struct cursor *cursor, int file_white_king)
{
    const int g = symmetry_to_triangle(cursor->file_king);
    const int mirrored = 4 | (g & 1) << 1 | (g >> 1 & 1);
    cursor->symmetry = g;
    cursor->other_symmetry = -1;
    if (!square_on_diagonal(square_apply(g, cursor->file_king)))
        return;
    const int seen = square_apply(g, file_white_king);
    if (square_on_diagonal(seen))
        cursor->other_symmetry = mirrored;
    else if (square_rank(seen) > square_file(seen))
        cursor->symmetry = mirrored;
}

static void load_kings(const struct load *load, unsigned king, int white_king)
{
    const struct layout *layout = load->layout;
    const int black_king = triangle_square[king];
    struct cursor cursor = {.load = load};
    int slot[LAYOUT_PIECES_MAX] = {0};
    int taken[ENTRY_GROUPS_MAX] = {0};
    bool few = true;
    for (int i = 0; i < layout->pieces; i++) {
        if (layout->type[i] == BLANK || layout->type[i] == KING)
            continue;
        slot[cursor.count] = taken[load->group_of[i]]++;
        few &= load->order->group[load->group_of[i]].count <= 2;
        cursor.pieces[cursor.count++] = i;
    }
    const int file_white_king = load->flip ? black_king : white_king;
    cursor.file_king = load->flip ? white_king : black_king;
    const int king_group = load->group_of[layout->white_king];
    cursor.square[king_group][0] = (uint8_t)file_white_king;
    choose_symmetry(&cursor, file_white_king);
    const uint64_t bit = king * layout->king_stride * layout->tile_lanes +
                         layout_part(layout, layout->white_king, square_code[white_king]);
    const uint64_t occupied = UINT64_C(1) << black_king | UINT64_C(1) << white_king;
    if (!few || cursor.other_symmetry >= 0) {
        place_any(&cursor, 0, bit, occupied, slot);
        return;
    }
    const int seen_king = square_apply(cursor.symmetry, cursor.file_king);
    const uint64_t entry =
        (uint64_t)square_triangle[seen_king] * load->order->per_section +
        (uint64_t)square_apply(cursor.symmetry, file_white_king) * load->order->group[king_group].stride;
    place_few(&cursor, 0, bit, entry, occupied, slot);
}

static int load_square(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct load *load = context;
    const unsigned king = (unsigned)item;
    for (int white_king = 0; white_king < SQUARES; white_king++) {
        if (!squares_touch(triangle_square[king], white_king))
            load_kings(load, king, white_king);
    }
    return 0;
}

// A padded layout counts on every value of the blank's digits having the same bits.
static void spread_blank(const struct layout *layout, uint64_t *plane)
{
    if (layout->type[0] != BLANK || plane == NULL)
        return;
    const uint64_t words = layout->tile_lanes / 64;
    for (uint64_t tile = 0; tile < layout->tiles; tile++) {
        const uint64_t blank = tile / layout->stride[0] % 8;
        const uint64_t value = plane[(tile - blank * layout->stride[0]) * words];
        for (uint64_t w = 0; w < words; w++)
            plane[tile * words + w] = value;
    }
}

static void find_groups(struct load *load)
{
    for (int i = 0; i < load->layout->pieces; i++) {
        const int colour = load->layout->colour[i] ^ (load->flip ? 1 : 0);
        for (int g = 0; g < load->order->groups; g++) {
            // The two kings change parts with the colours; the file's white king has the group.
            const bool king = load->layout->type[i] == KING && load->order->group[g].type == KING;
            if (king || (load->order->group[g].type == load->layout->type[i] && load->order->group[g].colour == colour))
                load->group_of[i] = g;
        }
    }
}

static void make_parts(struct load *load)
{
    for (int i = 0; i < load->layout->pieces; i++) {
        for (int square = 0; square < SQUARES && load->layout->type[i] != BLANK; square++) {
            load->bit_part[i][square] = layout_part(load->layout, i, square_code[square]);
            for (int g = 0; g < SYMMETRIES; g++)
                load->entry_part[i][g][square] =
                    (uint64_t)square_apply(g, square) * load->order->group[load->group_of[i]].stride;
        }
    }
}

struct section_read {
    const struct table *bulk;
    int side;
    uint64_t per_section;
    uint8_t *symbols;
};

static int read_section(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct section_read *read = context;
    return table_outcomes(read->bulk, read->side, (unsigned)item, read->symbols + item * read->per_section);
}

static int load_side(struct load *load, const struct table *bulk, int file_side, struct thread_pool *pool)
{
    load->order = table_order(bulk, TABLE_OUTCOME, file_side);
    find_groups(load);
    make_parts(load);
    uint8_t *symbols = malloc(load->order->entries);
    if (symbols == NULL)
        return error_memory(load->order->entries, "a futurebase");
    struct section_read read = {bulk, file_side, load->order->per_section, symbols};
    int code = threads_each(pool, TRIANGLE_SQUARES, read_section, &read);
    load->symbols = symbols;
    if (code == 0)
        code = threads_each(pool, TRIANGLE_SQUARES, load_square, load);
    free(symbols);
    for (int i = 0; i < TABLE_OUTCOMES; i++)
        spread_blank(load->layout, load->plane[i]);
    return code;
}

static int make_arrays(struct futurebase *base, const struct layout *layout, const struct table_info *info)
{
    const size_t words = layout_bits(layout) / 64;
    bool cursed = false;
    for (int side = WHITE; side <= BLACK; side++)
        cursed |= info->positions[side][1] > 0 || info->positions[side][3] > 0;
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t **arrays[] = {&base->won[side], &base->lost[side], &base->won_ever[side], &base->lost_ever[side]};
        for (int i = 0; i < (cursed ? 4 : 2); i++) {
            *arrays[i] = calloc(words, sizeof(uint64_t));
            if (*arrays[i] == NULL)
                return error_memory(words * sizeof(uint64_t), "a futurebase");
        }
    }
    return 0;
}

static int settle(const struct stored_tables *tables, const struct futurebase_source *source,
                  const struct layout *layout, struct futurebase *base)
{
    struct backend *backend;
    int code = backend_cpu_open(&backend, layout, tables->pool, tables->isa);
    if (code != 0)
        return code;
    code = solver_resolve(backend, source, base);
    backend->ops->close(backend);
    return code;
}

static int load_stored(void *context, const struct layout *layout, struct futurebase *base)
{
    struct stored_tables *tables = context;
    struct material standard = layout->material;
    const bool flip = material_normalise(&standard);
    char path[PATH_MAX];
    int code = table_locate(path, sizeof path, tables->folders, &standard);
    if (code != 0)
        return code;
    struct table *bulk;
    if ((code = table_open_material(&bulk, path, &standard)) != 0)
        return code;
    code = make_arrays(base, layout, table_info(bulk));
    for (int side = WHITE; code == 0 && side <= BLACK; side++) {
        // A table with the same men on both sides has White to move only.
        const bool turned = table_info(bulk)->symmetric ? side == BLACK : flip;
        struct load load = {.layout = layout, .flip = turned};
        load.plane[0] = base->lost[side];
        load.plane[1] = base->lost_ever[side];
        load.plane[3] = base->won_ever[side];
        load.plane[4] = base->won[side];
        code = load_side(&load, bulk, side ^ (turned ? 1 : 0), tables->pool);
    }
    table_close(bulk);
    if (code == 0) {
        const struct futurebase_source source = stored_source(tables);
        code = settle(tables, &source, layout, base);
    }
    return code;
}

struct futurebase_source stored_source(struct stored_tables *tables)
{
    return (struct futurebase_source){tables, load_stored};
}
