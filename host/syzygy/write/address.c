// address.c - where a placement's entry lies in the natural order, as a sum of parts
#include "syzygy/write/address.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

// Fills in the parts of a group for all combinations of its squares, in their rising order.
static void fill_group(const struct address *address, int group, int symmetry, uint64_t stride, uint64_t *part)
{
    const int count = address->count[group];
    uint8_t square[MATERIAL_MEN_MAX] = {0};
    const bool king = !address->pawns && address->type[group] == KING && address->colour[group] == BLACK;
    for (int i = 0; i < count; i++)
        square[i] = (uint8_t)i;
    for (uint64_t digit = 0, all = entry_choose(SQUARES, (unsigned)count); digit < all; digit++) {
        uint8_t moved[MATERIAL_MEN_MAX] = {0};
        for (int i = 0; i < count; i++)
            moved[i] = (uint8_t)square_apply(symmetry, square[i]);
        if (king)
            part[digit] = square_triangle[moved[0]] < 0 ? 0 : (uint64_t)square_triangle[moved[0]] * stride;
        else
            part[digit] = entry_digit(moved, count) * stride;
        // The next combination: the first man that can take a step does so, and those before him go back to the start.
        int step = 0;
        while (step + 1 < count && square[step] + 1 == square[step + 1]) {
            square[step] = (uint8_t)step;
            step++;
        }
        square[step]++;
    }
}

int address_open(struct address *address, const struct entry_order *order)
{
    *address = (struct address){.pawns = order->slices != NULL, .groups = order->groups};
    const int symmetries = address->pawns ? 2 : SYMMETRIES;
    uint64_t strides[ADDRESS_GROUPS_MAX] = {0};
    uint64_t each = 0;
    for (int g = 0; g < order->groups; g++) {
        address->type[g] = order->group[g].type;
        address->colour[g] = order->group[g].colour;
        address->count[g] = order->group[g].count;
        strides[g] = order->group[g].stride;
    }
    if (!address->pawns) {
        const int g = address->groups++;
        address->type[g] = KING;
        address->colour[g] = BLACK;
        address->count[g] = 1;
        strides[g] = order->per_slice;
    }
    for (int g = 0; g < address->groups; g++)
        each += entry_choose(SQUARES, address->count[g]);
    TRY(memory_new(&address->space, (size_t)symmetries * each, sizeof *address->space, "the order of a Syzygy file"));
    uint64_t *part = address->space;
    for (int symmetry = 0; symmetry < symmetries; symmetry++) {
        for (int g = 0; g < address->groups; g++) {
            address->part[symmetry][g] = part;
            fill_group(address, g, symmetry, strides[g], part);
            part += entry_choose(SQUARES, address->count[g]);
        }
    }
    for (int black = 0; black < SQUARES; black++) {
        for (int white = 0; white < SQUARES; white++) {
            int symmetry[2] = {0};
            address->turn[black][white].count = (uint8_t)entry_symmetries(black, white, symmetry);
            for (int i = 0; i < 2; i++)
                address->turn[black][white].symmetry[i] = (uint8_t)symmetry[i];
        }
    }
    return 0;
}

void address_close(struct address *address)
{
    free(address->space);
    address->space = NULL;
}

int address_group(const struct address *address, int colour, int type)
{
    for (int g = 0; g < address->groups; g++) {
        if (address->colour[g] == colour && address->type[g] == type)
            return g;
    }
    return -1;
}
