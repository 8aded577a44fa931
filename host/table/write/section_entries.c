// section_entries.c - entries of a file's order as sums of parts
#include "table/write/sections_inside.h"

int section_upper_pieces(const struct layout *layout)
{
    return layout->pieces - (layout->pieces >= 4 ? 2 : 1);
}

void section_view_order(struct order_view *view, const struct entry_order *order, const struct layout *layout)
{
    *view = (struct order_view){.order = order};
    if (order == NULL)
        return;
    bool above[ENTRY_GROUPS_MAX] = {false};
    bool below[ENTRY_GROUPS_MAX] = {false};
    for (int i = 0; i < layout->pieces; i++) {
        view->group_of[i] = -1;
        for (int g = 0; g < order->groups; g++) {
            if (order->group[g].type == layout->type[i] && order->group[g].colour == layout->colour[i])
                view->group_of[i] = g;
        }
        if (view->group_of[i] >= 0)
            (i < section_upper_pieces(layout) ? above : below)[view->group_of[i]] = true;
    }
    for (int g = 0; g < order->groups; g++)
        view->split |= above[g] && below[g];
}

static unsigned digit_of(const struct layout *layout, uint64_t lane, int piece)
{
    return lane >> (layout_lane_shift(layout, piece) & 63U) & 7;
}

uint64_t section_part_of(const struct tile_view *tile, const struct order_view *view, uint64_t lane, int first,
                         int last, int symmetry)
{
    uint64_t part = 0;
    for (int g = 0; g < view->order->groups; g++) {
        uint8_t squares[MATERIAL_MEN_MAX];
        int count = 0;
        for (int i = first; i < last; i++) {
            if (view->group_of[i] != g)
                continue;
            squares[count] = (uint8_t)square_apply(symmetry, tile->square[i][digit_of(tile->layout, lane, i)]);
            if (squares[count++] >= view->order->squares)
                return OFF_BOARD;
        }
        if (count > 0)
            part += entry_digit(squares, count) * view->order->group[g].stride;
    }
    return part;
}

bool section_identical_rise(const struct tile_view *tile, uint64_t lane)
{
    const struct layout *layout = tile->layout;
    for (int i = 1; i < layout->pieces; i++) {
        for (int j = layout->pair && i == 1 ? 1 : 0; j < i; j++) {
            if (layout->type[i] != layout->type[j] || layout->colour[i] != layout->colour[j] ||
                layout->type[i] == BLANK)
                continue;
            if (tile->square[i][digit_of(layout, lane, i)] <= tile->square[j][digit_of(layout, lane, j)])
                return false;
        }
    }
    return true;
}

bool section_has_more_like(const struct layout *layout)
{
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = QUEEN; type <= KNIGHT; type++) {
            const bool pair = layout->pair && layout->colour[0] == colour && layout->type[0] == type;
            if (layout->material.count[colour][type] > (pair ? 2 : 1))
                return true;
        }
    }
    return false;
}

int section_diagonal_image(const struct tile_view *tile, uint64_t lane)
{
    const int king = tile->layout->white_king;
    const int square = tile->square[king][digit_of(tile->layout, lane, king)];
    if (square_on_diagonal(square))
        return -1;
    return square_rank(square) < square_file(square);
}

// Are all groups of one man each? Then a part is a sum of squares times strides.
static bool all_single(const struct order_view *view)
{
    for (int g = 0; g < view->order->groups; g++) {
        if (view->order->group[g].count != 1)
            return false;
    }
    return view->order->squares == SQUARES;
}

bool section_single_or_none(const struct order_view *view)
{
    return view->order == NULL || all_single(view);
}

// The parts of pieces first..last-1, for all their lanes in rising order.
static void sum_parts(const struct tile_view *tile, const struct order_view *view, int first, int last, int symmetry,
                      uint64_t *part)
{
    uint64_t lanes = 1;
    part[0] = 0;
    for (int i = last - 1; i >= first; i--, lanes *= 8) {
        const uint64_t stride = view->group_of[i] < 0 ? 0 : view->order->group[view->group_of[i]].stride;
        for (uint64_t l = 8; l-- > 0;) {
            const uint64_t square = (uint64_t)square_apply(symmetry, tile->square[i][l]);
            for (uint64_t lane = 0; lane < lanes; lane++)
                part[l * lanes + lane] = part[lane] + square * stride;
        }
    }
}

void section_make_parts(struct worker_memory *memory, const struct tile_view *tile, const struct order_view *view,
                        int which)
{
    const struct layout *layout = tile->layout;
    const int upper = section_upper_pieces(layout);
    const uint64_t lower_lanes = UINT64_C(1) << 3 * (layout->pieces - upper);
    if (all_single(view)) {
        sum_parts(tile, view, 0, upper, 0, memory->upper[which]);
        sum_parts(tile, view, upper, layout->pieces, 0, memory->lower[which]);
        return;
    }
    for (uint64_t i = 0; i < layout->tile_lanes / lower_lanes; i++)
        memory->upper[which][i] = section_part_of(tile, view, i * lower_lanes, 0, upper, 0);
    for (uint64_t i = 0; i < lower_lanes; i++)
        memory->lower[which][i] = section_part_of(tile, view, i, upper, layout->pieces, 0);
}

void section_make_mirrored_parts(struct worker_memory *memory, const struct tile_view *tile,
                                 const struct order_view *view, int which)
{
    const int upper = section_upper_pieces(tile->layout);
    sum_parts(tile, view, 0, upper, MIRROR, memory->mirror_upper[which]);
    sum_parts(tile, view, upper, tile->layout->pieces, MIRROR, memory->mirror_lower[which]);
}
