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

// The multisets of `count` = 1, 2, ... digits below u.
static const uint16_t multisets[LIKE_MAX][9] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8},          {0, 1, 3, 6, 10, 15, 21, 28, 36},      {0, 1, 4, 10, 20, 35, 56, 84, 120},
    {0, 1, 5, 15, 35, 70, 126, 210, 330}, {0, 1, 6, 21, 56, 126, 252, 462, 792}, {0, 1, 7, 28, 84, 210, 462, 924, 1716},
};

_Static_assert((int)LIKE_MAX == 6, "multisets has a row for each");

unsigned like_tiles(int count)
{
    return count == 0 ? 1 : multisets[count - 1][8];
}

unsigned like_part(int i, unsigned u)
{
    return multisets[i][u];
}

unsigned like_number(const uint8_t *u, int count)
{
    unsigned number = 0;
    for (int i = 0; i < count; i++)
        number += like_part(i, u[i]);
    return number;
}

void like_digits(unsigned number, int count, uint8_t *u)
{
    unsigned high = 7;
    for (int i = count - 1; i >= 0; i--) {
        while (multisets[i][high] > number)
            high--;
        number -= multisets[i][high];
        u[i] = (uint8_t)high;
    }
}

unsigned layout_orders(const struct layout *layout, const uint8_t *u)
{
    unsigned orders = 1;
    for (int g = 0; g < layout->groups; g++) {
        const uint8_t *digit = u + layout->group[g].first;
        unsigned tied = 1;
        for (int i = 1; i < layout->group[g].count; i++) {
            tied = digit[i] == digit[i - 1] ? tied + 1 : 1;
            orders = orders * (unsigned)(i + 1) / tied;
        }
    }
    return orders;
}

// Takes identical pieces out of `left` and makes them a group.
static void add_group(struct layout *layout, struct material *left, int type, int colour, int count)
{
    layout->group[layout->groups++] = (struct like_pieces){layout->pieces, count, like_tiles(count)};
    left->count[colour][type] = (uint8_t)(left->count[colour][type] - count);
    while (count-- > 0)
        add_piece(layout, type, colour);
}

static void add_groups(struct layout *layout, struct material *left, unsigned flags)
{
    const int most = flags & LAYOUT_ALIKE ? LAYOUT_GROUPS_MAX : 1;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = QUEEN; type <= KNIGHT && layout->groups < most; type++) {
            const int count = left->count[colour][type];
            if (count >= 2)
                add_group(layout, left, type, colour, flags & LAYOUT_ALIKE ? count : 2);
        }
    }
    layout->pair = layout->groups == 1 && layout->group[0].count == 2;
}

// Sets the strides of the digits below a head of `heads` values: the black king, the pair of kings, or the high part of
// a slice's number. The digits of groups come after that of a white king before them.
static void finish(struct layout *layout, uint64_t heads)
{
    const int before = layout->groups > 0 ? layout->group[0].first : layout->slice_digits;
    const int single = layout->slice_digits + layout_grouped(layout);
    uint64_t stride = 1;
    for (int i = layout->pieces - 1; i >= single; i--) {
        layout->stride[i] = stride;
        stride *= 8;
    }
    for (int g = layout->groups - 1; g >= 0; g--) {
        const struct like_pieces *group = &layout->group[g];
        for (int i = group->first; i < group->first + group->count; i++)
            layout->stride[i] = stride;
        stride *= group->tiles;
    }
    for (int i = before - 1; i >= layout->slice_digits; i--) {
        layout->stride[i] = stride;
        stride *= 8;
    }
    layout->king_stride = stride;
    layout->tile_lanes = UINT64_C(1) << 3 * layout->pieces;
    layout->tiles = stride * heads;
    layout->white_king = layout->kings ? layout->pieces : 0;
    layout->black_king = layout->kings ? layout->pieces + 1 : layout->pieces;
    for (int i = 0; i < layout->pieces; i++) {
        if (layout->type[i] == KING && layout->colour[i] == BLACK)
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
    layout->kings = (flags & LAYOUT_KINGS) != 0 && men - 2 >= KINGS_PIECES_LEAST;
    if (layout->kings)
        left.count[WHITE][KING] = 0;
    if (men == 3)
        add_piece(layout, BLANK, WHITE);
    if ((flags & (LAYOUT_PAIR | LAYOUT_ALIKE)) != 0 && men >= 5)
        add_groups(layout, &left, flags);
    for (int colour = WHITE, type; material_men(&left) > 0; colour ^= 1) {
        for (type = KING; type < KNIGHT && left.count[colour][type] == 0; type++)
            ;
        if (left.count[colour][type] == 0)
            continue;
        left.count[colour][type]--;
        add_piece(layout, type, colour);
    }
    finish(layout, layout->kings ? KING_PAIRS : TRIANGLE_SQUARES);
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

enum { NO_PIECE = -1 };

int layout_init_without(struct layout *sub, const struct layout *layout, int captured)
{
    uint8_t type[LAYOUT_PIECES_MAX] = {KING};
    uint8_t colour[LAYOUT_PIECES_MAX] = {WHITE};
    int pieces = layout->kings ? 1 : 0;
    for (int i = 0; i < layout->pieces; i++) {
        if (i == captured || (layout->type[i] == BLANK && layout->pieces > 3))
            continue;
        type[pieces] = layout->type[i];
        colour[pieces++] = layout->colour[i];
    }
    TRY(layout_init_pieces(sub, pieces, type, colour));
    sub->material.metric = layout->material.metric;
    if (layout->groups == 0 || (layout->pair && !layout->kings) || sub->pieces < 4)
        return 0;
    int first = layout->group[0].first + (layout->kings ? 1 : 0);
    for (int g = 0; g < layout->groups; g++) {
        const struct like_pieces *group = &layout->group[g];
        const int count = group->count - (captured >= group->first && captured < group->first + group->count ? 1 : 0);
        if (count < 2)
            break;
        sub->group[sub->groups++] = (struct like_pieces){first, count, like_tiles(count)};
        first += count;
    }
    sub->pair = sub->groups == 1 && sub->group[0].count == 2 && sub->group[0].first == 0;
    finish(sub, TRIANGLE_SQUARES);
    return 0;
}

void layout_init_shown(struct layout *shown, const struct layout *layout)
{
    *shown = *layout;
    if (layout->kings)
        (void)layout_init_without(shown, layout, NO_PIECE); // their number is in range
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

uint64_t layout_tile(const struct layout *layout, unsigned head, const uint8_t *u)
{
    uint64_t tile = head * layout->king_stride;
    for (int g = 0; g < layout->groups; g++) {
        const struct like_pieces *group = &layout->group[g];
        tile += like_number(u + group->first, group->count) * layout->stride[group->first];
    }
    for (int i = layout->slice_digits; i < layout->pieces; i++)
        tile += layout_is_single(layout, i) ? u[i] * layout->stride[i] : 0;
    return tile;
}

void layout_digits(const struct layout *layout, uint64_t tile, unsigned *head, uint8_t *u)
{
    const int single = layout->slice_digits + layout_grouped(layout);
    *head = (unsigned)(tile / layout->king_stride);
    tile %= layout->king_stride;
    for (int i = 0; i < layout->slice_digits; i++)
        u[i] = 0;
    for (int i = single; i < layout->pieces; i++) // these strides are powers of 8: a division would take longer
        u[i] = (uint8_t)(tile >> 3 * (layout->pieces - 1 - i) & 7);
    tile >>= 3 * (layout->pieces - single);
    for (int g = layout->groups - 1; g >= 0; g--) {
        const struct like_pieces *group = &layout->group[g];
        like_digits((unsigned)(tile % group->tiles), group->count, u + group->first);
        tile /= group->tiles;
    }
    if (layout->groups > 0 && layout->group[0].first > 0) // the white king
        u[0] = (uint8_t)tile;
}

unsigned layout_tile_weight(const struct layout *layout, uint64_t tile)
{
    unsigned head;
    uint8_t u[LAYOUT_PIECES_MAX];
    layout_digits(layout, tile, &head, u);
    return layout_orders(layout, u) * layout_head_weight(layout, head);
}

// Sorts the codes of identical pieces by their u digits. Tied pieces keep their order.
static void sort_codes(uint8_t *code, int count)
{
    for (int i = 1; i < count; i++) {
        const uint8_t moved = code[i];
        int j = i;
        for (; j > 0 && code[j - 1] >> 3 > moved >> 3; j--)
            code[j] = code[j - 1];
        code[j] = moved;
    }
}

uint64_t layout_index(const struct layout *layout, int black_king, const uint8_t *squares)
{
    int g = symmetry_to_triangle(black_king);
    unsigned head = (unsigned)square_triangle[square_apply(g, black_king)];
    uint8_t code[LAYOUT_PIECES_MAX] = {0};
    uint8_t u[LAYOUT_PIECES_MAX] = {0};
    uint64_t lane = 0;
    if (layout->kings)
        head = pair_find(squares[layout->white_king], black_king, &g);
    for (int i = 0; i < layout->pieces; i++)
        code[i] = layout->type[i] == BLANK ? 0 : square_code[square_apply(g, squares[i])];
    for (int i = 0; i < layout->groups; i++)
        sort_codes(code + layout->group[i].first, layout->group[i].count);
    for (int i = 0; i < layout->pieces; i++) {
        u[i] = (uint8_t)(code[i] >> 3);
        lane = lane << 3 | (code[i] & 7);
    }
    return layout_tile(layout, head, u) * layout->tile_lanes + lane;
}

void layout_placement(const struct layout *layout, uint64_t index, int *black_king, uint8_t *squares)
{
    unsigned head;
    uint8_t u[LAYOUT_PIECES_MAX] = {0};
    layout_digits(layout, index / layout->tile_lanes, &head, u);
    uint64_t lane = index % layout->tile_lanes;
    *black_king = layout_head_square(layout, head, layout->black_king);
    if (layout->kings)
        squares[layout->white_king] = pair_white[head];
    for (int i = 0; i < layout->pieces; i++)
        squares[i] = code_square[8U * u[i] + (lane >> layout_lane_shift(layout, i) & 7)];
}
