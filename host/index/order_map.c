// order_map.c - from the solver's order to a file's: an entry as a sum of parts, one for each man
#include "index/order_map.h"

#include <string.h>

static int find_group(const struct entry_order *order, int type, int colour)
{
    for (int g = 0; g < order->groups; g++)
        if (order->group[g].type == type && order->group[g].colour == colour)
            return g;
    return -1;
}

void order_map_init(struct order_map *map, const struct entry_order *order, bool flip, const struct slab_shape *men)
{
    const int change = flip ? 1 : 0;
    int pairs = 0;
    *map = (struct order_map){.order = order, .pieces = men->pieces, .fixed = men->fixed, .king = {-1, -1}};
    for (int i = 0; i < men->pieces; i++) {
        map->group[i] = find_group(order, men->type[i], men->colour[i] ^ change);
        map->before[i] = map->pair[i] = -1;
        map->completes[i] = true;
        for (int j = 0; j < i; j++) {
            if (map->group[i] >= 0 && map->group[j] == map->group[i]) {
                map->before[i] = j;
                map->completes[j] = false;
            }
        }
        if (men->type[i] == KING)
            map->king[men->colour[i] ^ change] = i;
    }
    for (int i = 0; i < men->pieces; i++)
        if (map->completes[i] && map->before[i] >= 0 && map->before[map->before[i]] < 0)
            map->pair[i] = pairs++;
    for (int square = 1; square < SQUARES; square++) {
        for (int below = 0; below < MATERIAL_MEN_MAX; below++)
            map->choose[below][square] =
                map->choose[below][square - 1] + (below == 0 ? 1 : map->choose[below - 1][square - 1]);
    }
    for (int i = 0; i < men->fixed; i++) {
        map->fixed_group[i] = find_group(order, men->fixed_type[i], men->fixed_colour[i] ^ change);
        if (men->fixed_type[i] == KING)
            map->king[men->fixed_colour[i] ^ change] = men->pieces + i;
    }
}

// All men of a group but one, from the lowest square up, and the digit of all men by how many of these stand below the
// last one, without what that one adds: C(square, below + 1).
struct incomplete {
    uint64_t seen; // squares
    bool clash;    // two men share a square
    int men;
    uint8_t square[MATERIAL_MEN_MAX];
    uint64_t digit[MATERIAL_MEN_MAX];
};

static void incomplete_make(struct incomplete *rest, const struct order_map *map, const uint8_t *squares, int men)
{
    *rest = (struct incomplete){.men = men};
    for (int i = 0; i < men; i++) {
        int at = i;
        for (; at > 0 && rest->square[at - 1] > squares[i]; at--)
            rest->square[at] = rest->square[at - 1];
        rest->square[at] = squares[i];
        rest->clash |= (rest->seen & square_bit(squares[i])) != 0;
        rest->seen |= square_bit(squares[i]);
    }
    for (int below = 0; below <= men; below++) {
        for (int i = 0; i < men; i++)
            rest->digit[below] += map->choose[i < below ? i : i + 1][rest->square[i]];
    }
}

// The part of a group that is complete with a man on a square.
static inline uint64_t complete_part(const struct order_map *map, int group, const struct incomplete *rest,
                                     unsigned square)
{
    int below = 0;
    if (rest->clash || rest->seen >> square & 1)
        return 0;
    for (int i = 0; i < rest->men; i++)
        below += rest->square[i] < square;
    uint64_t digit = rest->digit[below] + map->choose[below][square];
    if (group == map->order->thinned) {
        const unsigned highest = below == rest->men ? square : rest->square[rest->men - 1];
        if (!(map->order->kept >> highest & 1))
            return OFF_BOARD;
        digit = entry_thin_digit(map->order, group, digit, highest);
    }
    return digit * map->order->group[group].stride;
}

static uint64_t group_part(const struct order_map *map, int group, const uint8_t *squares, int men)
{
    struct incomplete rest;
    incomplete_make(&rest, map, squares, men - 1);
    return complete_part(map, group, &rest, squares[men - 1]);
}

static int fixed_squares(const struct order_map *map, const uint8_t *fixed_square, int group, uint8_t *squares)
{
    int men = 0;
    for (int i = 0; i < map->fixed; i++)
        if (map->fixed_group[i] == group)
            squares[men++] = fixed_square[i];
    return men;
}

// Fills a part of a row with the parts for some codes of the piece that completes a group: squares[men] are those of
// the others.
static void fill_row(const struct order_map *map, const struct order_parts *parts, int group, const uint8_t *squares,
                     int men, unsigned first, unsigned count, uint64_t *row)
{
    struct incomplete rest;
    incomplete_make(&rest, map, squares, men);
    for (unsigned i = 0; i < count; i++)
        row[i] = complete_part(map, group, &rest, (unsigned)square_apply(parts->symmetry, code_square[first + i]));
}

uint64_t order_fixed_part(const struct order_map *map, int symmetry, const uint8_t *square)
{
    uint64_t part = 0;
    uint8_t moved[FIXED_MAX];
    for (int i = 0; i < map->fixed; i++)
        moved[i] = (uint8_t)square_apply(symmetry, square[i]);
    for (int g = 0; g < map->order->groups; g++) {
        uint8_t squares[FIXED_MAX] = {0};
        const int men = fixed_squares(map, moved, g, squares);
        if (men > 0 && men == map->order->group[g].count)
            part += group_part(map, g, squares, men);
    }
    return part;
}

void order_parts_make(struct order_parts *parts, const struct order_map *map, int symmetry, const uint8_t *square)
{
    parts->symmetry = symmetry;
    parts->fixed = order_fixed_part(map, symmetry, square);
    for (int i = 0; i < map->fixed; i++)
        parts->fixed_square[i] = (uint8_t)square_apply(symmetry, square[i]);
    for (int i = 0; i < map->pieces; i++) {
        uint8_t squares[MATERIAL_MEN_MAX];
        const int group = map->group[i];
        const int men = group < 0 ? 0 : fixed_squares(map, parts->fixed_square, group, squares);
        if (group < 0 || !map->completes[i]) {
            memset(parts->part[i], 0, sizeof parts->part[i]);
        } else if (map->before[i] < 0) {
            fill_row(map, parts, group, squares, men, 0, SQUARES, parts->part[i]);
        } else if (map->pair[i] >= 0) {
            for (int first = 0; first < SQUARES; first++) {
                squares[men] = (uint8_t)square_apply(symmetry, code_square[first]);
                fill_row(map, parts, group, squares, men + 1, 0, SQUARES, parts->pair[map->pair[i]][first]);
            }
        }
    }
}

// Gives the squares of the fixed men of a group and then of its identical pieces, from the last to the first.
static int group_squares(const struct order_map *map, const struct order_parts *parts, int piece, const uint8_t *code,
                         uint8_t *squares)
{
    int men = fixed_squares(map, parts->fixed_square, map->group[piece], squares);
    int i = piece;
    do {
        squares[men++] = (uint8_t)square_apply(parts->symmetry, code_square[code[i]]);
        i = map->before[i];
    } while (i >= 0);
    return men;
}

const uint64_t *order_row_part(const struct order_map *map, const struct order_parts *parts, int piece,
                               const uint8_t *code, unsigned first, unsigned count, uint64_t *scratch)
{
    const int before = map->before[piece];
    if (before < 0 || !map->completes[piece])
        return parts->part[piece] + first;
    if (map->pair[piece] >= 0)
        return parts->pair[map->pair[piece]][code[before]] + first;
    uint8_t squares[MATERIAL_MEN_MAX];
    const int men = group_squares(map, parts, before, code, squares);
    fill_row(map, parts, map->group[piece], squares, men, first, count, scratch);
    return scratch;
}

uint64_t order_identical_part(const struct order_map *map, const struct order_parts *parts, int piece,
                              const uint8_t *code)
{
    if (map->pair[piece] >= 0)
        return parts->pair[map->pair[piece]][code[map->before[piece]]][code[piece]];
    uint8_t squares[MATERIAL_MEN_MAX];
    const int men = group_squares(map, parts, piece, code, squares);
    return group_part(map, map->group[piece], squares, men);
}
