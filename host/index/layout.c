// layout.c - the solver's index of a pawnless endgame: tiles and lanes
#include "index/layout.h"

#include "util/error.h"

#include <string.h>

static void add_piece(struct layout *layout, int type, int colour)
{
    layout->type[layout->pieces] = (uint8_t)type;
    layout->colour[layout->pieces] = (uint8_t)colour;
    layout->pieces++;
}

// Takes the first two identical pieces of a colour out of `left`; false if there are none.
static bool take_pair(struct material *left, int *type, int *colour)
{
    for (*colour = WHITE; *colour <= BLACK; ++*colour) {
        for (*type = QUEEN; *type <= KNIGHT; ++*type) {
            if (left->count[*colour][*type] >= 2) {
                left->count[*colour][*type] = (uint8_t)(left->count[*colour][*type] - 2);
                return true;
            }
        }
    }
    return false;
}

// Sets the strides of the digits below a head of `heads` values: the black king, or the high part of a slice's number.
static void finish(struct layout *layout, uint64_t heads)
{
    uint64_t stride = 1;
    for (int i = layout->pieces - 1; i >= layout->slice_digits; i--) {
        layout->stride[i] = stride;
        if (layout->pair && i == 1) {
            layout->stride[0] = stride;
            stride *= PAIR_TILES;
            break;
        }
        stride *= 8;
    }
    layout->king_stride = stride;
    layout->tile_lanes = UINT64_C(1) << 3 * layout->pieces;
    layout->tiles = stride * heads;
    for (int i = 0; i < layout->pieces; i++) {
        if (layout->type[i] == KING && layout->slices > 0 && layout->colour[i] == BLACK)
            layout->black_king = i;
        else if (layout->type[i] == KING)
            layout->white_king = i;
    }
}

int layout_init(struct layout *layout, const struct material *material, unsigned flags)
{
    *layout = (struct layout){.material = *material};
    int men = material_men(material);
    if (men < 3 || men > MATERIAL_MEN_MAX || material_has_pawns(material)) {
        char name[MATERIAL_NAME_MAX];
        return error_set(CLTB_E_USAGE, "%s: this index is for 3 to %d men without pawns", material_name(material, name),
                         MATERIAL_MEN_MAX);
    }
    struct material left = *material;
    left.count[BLACK][KING] = 0;
    if (men == 3)
        add_piece(layout, BLANK, WHITE);
    int type;
    int colour;
    if ((flags & LAYOUT_PAIR) && men >= 5 && take_pair(&left, &type, &colour)) {
        layout->pair = true;
        add_piece(layout, type, colour);
        add_piece(layout, type, colour);
    }
    for (colour = WHITE; material_men(&left) > 0; colour ^= 1) {
        for (type = KING; type < KNIGHT && left.count[colour][type] == 0; type++)
            ;
        if (left.count[colour][type] == 0)
            continue;
        left.count[colour][type]--;
        add_piece(layout, type, colour);
    }
    finish(layout, TRIANGLE_SQUARES);
    return 0;
}

int layout_init_pieces(struct layout *layout, int pieces, const uint8_t *type, const uint8_t *colour)
{
    *layout = (struct layout){0};
    layout->material.count[BLACK][KING] = 1;
    if (pieces < 2 || pieces > LAYOUT_PIECES_MAX)
        return error_set(CLTB_E_USAGE, "an index of %d pieces beside the black king is out of range", pieces);
    if (pieces == 2 && type[0] != BLANK && type[1] != BLANK)
        add_piece(layout, BLANK, WHITE);
    for (int i = 0; i < pieces; i++) {
        add_piece(layout, type[i], colour[i]);
        if (type[i] < PAWN)
            layout->material.count[colour[i]][type[i]]++;
    }
    finish(layout, TRIANGLE_SQUARES);
    return 0;
}

int layout_init_slices(struct layout *layout, const struct slab_shape *shape, uint64_t slices,
                       const uint8_t (*fixed_code)[FIXED_MAX])
{
    const int pieces = shape->pieces;
    const int fixed = shape->fixed;
    *layout = (struct layout){.fixed = fixed, .fixed_code = fixed_code, .slices_used = slices};
    if (pieces < 2 || fixed < 0 || fixed > FIXED_MAX || slices == 0 || pieces > LAYOUT_PIECES_MAX)
        return error_set(CLTB_E_USAGE, "an index of %d pieces and %d fixed men is out of range", pieces, fixed);
    while (layout->slice_digits + pieces < SLICE_LANE_DIGITS) {
        add_piece(layout, SLICE, WHITE);
        layout->slice_digits++;
    }
    for (int i = 0; i < pieces; i++) {
        add_piece(layout, shape->type[i], shape->colour[i]);
        layout->material.count[shape->colour[i]][shape->type[i]]++;
    }
    for (int i = 0; i < fixed; i++) {
        layout->fixed_type[i] = shape->fixed_type[i];
        layout->fixed_colour[i] = shape->fixed_colour[i];
        layout->material.count[shape->fixed_colour[i]][shape->fixed_type[i]]++;
    }
    const uint64_t each = UINT64_C(1) << 3 * layout->slice_digits;
    layout->slices = (slices + each - 1) / each * each;
    finish(layout, layout->slices / each);
    layout->slice_stride = layout->king_stride;
    return 0;
}

uint64_t layout_tile(const struct layout *layout, unsigned king, const uint8_t *u)
{
    uint64_t tile = king * layout->king_stride;
    int i = layout->slice_digits;
    if (layout->pair) {
        tile += (u[1] * (u[1] + 1U) / 2 + u[0]) * layout->stride[0];
        i = 2;
    }
    for (; i < layout->pieces; i++)
        tile += u[i] * layout->stride[i];
    return tile;
}

void layout_digits(const struct layout *layout, uint64_t tile, unsigned *king, uint8_t *u)
{
    *king = (unsigned)(tile / layout->king_stride);
    tile %= layout->king_stride;
    int i = 0;
    while (i < layout->slice_digits)
        u[i++] = 0;
    if (layout->pair) {
        unsigned both = (unsigned)(tile / layout->stride[0]);
        tile %= layout->stride[0];
        u[1] = 0;
        while ((u[1] + 1U) * (u[1] + 2U) / 2 <= both)
            u[1]++;
        u[0] = (uint8_t)(both - u[1] * (u[1] + 1U) / 2);
        i = 2;
    }
    for (; i < layout->pieces; i++) // these strides are powers of 8: a division would take longer
        u[i] = (uint8_t)(tile >> 3 * (layout->pieces - 1 - i) & 7);
}

unsigned layout_tile_weight(const struct layout *layout, uint64_t tile)
{
    unsigned king;
    uint8_t u[LAYOUT_PIECES_MAX];
    layout_digits(layout, tile, &king, u);
    const unsigned orders = layout->pair && u[0] != u[1] ? 2 : 1;
    return orders * (square_on_diagonal(triangle_square[king]) ? 1 : 2);
}

uint64_t layout_index(const struct layout *layout, int black_king, const uint8_t *squares)
{
    int g = symmetry_to_triangle(black_king);
    uint8_t code[LAYOUT_PIECES_MAX] = {0};
    uint8_t u[LAYOUT_PIECES_MAX] = {0};
    uint64_t lane = 0;
    for (int i = 0; i < layout->pieces; i++)
        code[i] = layout->type[i] == BLANK ? 0 : square_code[square_apply(g, squares[i])];
    if (layout->pair && code[0] >> 3 > code[1] >> 3) {
        const uint8_t first = code[0];
        code[0] = code[1];
        code[1] = first;
    }
    for (int i = 0; i < layout->pieces; i++) {
        u[i] = (uint8_t)(code[i] >> 3);
        lane = lane << 3 | (code[i] & 7);
    }
    unsigned king = (unsigned)square_triangle[square_apply(g, black_king)];
    return layout_tile(layout, king, u) * layout->tile_lanes + lane;
}

void layout_placement(const struct layout *layout, uint64_t index, int *black_king, uint8_t *squares)
{
    unsigned king;
    uint8_t u[LAYOUT_PIECES_MAX];
    layout_digits(layout, index / layout->tile_lanes, &king, u);
    uint64_t lane = index % layout->tile_lanes;
    *black_king = triangle_square[king];
    for (int i = 0; i < layout->pieces; i++)
        squares[i] = code_square[8U * u[i] + (lane >> layout_lane_shift(layout, i) & 7)];
}
