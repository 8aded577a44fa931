// stored.c - where a table has the placements of some men: entry_index() for many placements of the same men
#include "check/stored.h"

#include "probe/tables.h"

static struct material shape_material(const struct grid_shape *shape)
{
    struct material material = {{{0}}};
    for (int i = 0; i < shape->men; i++)
        material.count[shape->man[i].colour][shape->man[i].type]++;
    return material;
}

// The groups of the order, as numbers of the shape's men.
static void find_groups(struct stored *stored, const struct grid_shape *shape, bool flip)
{
    const struct entry_order *order = stored->order;
    stored->groups = order->groups;
    for (int i = 0; i < order->groups; i++) {
        struct stored_group *group = &stored->group[i];
        *group = (struct stored_group){.stride = order->group[i].stride};
        for (int m = 0; m < shape->men; m++)
            if (shape->man[m].type == order->group[i].type &&
                (shape->man[m].colour ^ (flip ? 1 : 0)) == order->group[i].colour)
                group->man[group->count++] = (uint8_t)m;
        for (int g = 0; g < SYMMETRIES && group->count == 1; g++)
            for (int square = 0; square < SQUARES; square++)
                stored->add[g][group->man[0]][square] = (uint64_t)square_apply(g, square) * group->stride;
    }
}

static void find_slice(struct stored *stored, const struct grid_shape *shape, bool flip)
{
    uint8_t pawns[PAWNS_MAX];
    int count = 0;
    bool mirror;
    stored->turn = flip ? 2 : 0;
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int m = 0; m < shape->men; m++)
            if (shape->man[m].type == PAWN && (shape->man[m].colour ^ (flip ? 1 : 0)) == colour)
                pawns[count++] = (uint8_t)square_apply(stored->turn, shape->man[m].square);
    const uint64_t slice = pawn_slices_find(stored->order->slices, pawns, &mirror, &stored->both);
    stored->first = slice * stored->order->per_slice;
    stored->turn |= mirror ? 1 : 0;
}

int stored_open(struct stored *stored, cltb_tables *tables, const struct grid_shape *shape, enum table_kind kind,
                bool *there)
{
    const struct material own = shape_material(shape);
    struct material material = own;
    *there = false;
    bool flip = material_normalise(&material);
    int code = tables_find_material(tables, &material, &stored->table);
    if (code != 0)
        return code;
    flip = flip || (table_info(stored->table)->symmetric && shape->side == BLACK);
    stored->kind = kind;
    stored->side = shape->side ^ (flip ? 1 : 0);
    stored->order = table_order(stored->table, kind, stored->side);
    if (stored->order == NULL)
        return 0;
    *there = true;
    for (int m = 0; m < shape->men; m++)
        if (shape->man[m].type == KING)
            *((shape->man[m].colour ^ (flip ? 1 : 0)) == WHITE ? &stored->white_king : &stored->black_king) = m;
    find_groups(stored, shape, flip);
    if (stored->order->slices != NULL)
        find_slice(stored, shape, flip);
    return 0;
}

static uint64_t group_index(const struct stored *stored, const struct stored_group *group, int g, const uint8_t *square)
{
    uint8_t moved[MATERIAL_MEN_MAX];
    if (group->count == 1)
        return stored->add[g][group->man[0]][square[group->man[0]]];
    for (int i = 0; i < group->count; i++)
        moved[i] = (uint8_t)square_apply(g, square[group->man[i]]);
    return entry_digit(moved, group->count) * group->stride;
}

// All groups but number `without`.
static uint64_t groups_index(const struct stored *stored, int g, const uint8_t *square, int without)
{
    uint64_t index = stored->first;
    if (stored->order->slices == NULL)
        index = (uint64_t)square_triangle[square_apply(g, square[stored->black_king])] * stored->order->per_slice;
    for (int i = 0; i < stored->groups; i++)
        if (i != without)
            index += group_index(stored, &stored->group[i], g, square);
    return index;
}

// The symmetry followed by the diagonal's: as mirrors come last, their bits change places with it.
static int mirrored(int g)
{
    return 4 | (g & 1) << 1 | (g >> 1 & 1);
}

// -1: two images, of which the one with the smaller index counts.
static int symmetry_of(const struct stored *stored, const uint8_t *square)
{
    const int white = square[stored->white_king];
    if (stored->order->slices != NULL)
        return stored->turn ^ (stored->both && square_file(white) > 3 ? 1 : 0);
    const int black = square[stored->black_king];
    const int g = symmetry_to_triangle(black);
    if (!square_on_diagonal(square_apply(g, black)))
        return g;
    const int seen = square_apply(g, white);
    if (square_on_diagonal(seen))
        return -1;
    return square_rank(seen) < square_file(seen) ? g : mirrored(g);
}

static uint64_t entry_of(const struct stored *stored, const uint8_t *square)
{
    int g = symmetry_of(stored, square);
    if (g >= 0)
        return groups_index(stored, g, square, -1);
    g = symmetry_to_triangle(square[stored->black_king]);
    const uint64_t one = groups_index(stored, g, square, -1);
    const uint64_t two = groups_index(stored, mirrored(g), square, -1);
    return one < two ? one : two;
}

void stored_row(const struct stored *stored, const uint8_t *square, int inner, struct stored_row *row)
{
    *row = (struct stored_row){.symmetry = -1};
    if (inner < 0 || inner == stored->white_king || inner == stored->black_king)
        return;
    row->symmetry = symmetry_of(stored, square);
    if (row->symmetry < 0)
        return;
    for (int i = 0; i < stored->groups; i++)
        for (int k = 0; k < stored->group[i].count; k++)
            if (stored->group[i].man[k] == inner)
                row->group = i;
    row->base = groups_index(stored, row->symmetry, square, row->group);
}

int stored_symbol(const struct stored *stored, const struct stored_row *row, const uint8_t *square, unsigned *value)
{
    uint64_t entry;
    if (row->symmetry < 0)
        entry = entry_of(stored, square);
    else
        entry = row->base + group_index(stored, &stored->group[row->group], row->symmetry, square);
    return table_symbol(stored->table, stored->kind, stored->side, entry, value);
}
