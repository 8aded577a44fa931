// order_map.h - from the solver's order to a file's: an entry as a sum of parts, one for each man
//
// The solver gives every man a square code of its own (square.h). A file numbers groups of identical pieces by squares,
// after a symmetry has carried the position to the image that the file keeps, and after a flip of the colours if the
// file has them the other way round (entry.h). Under one symmetry, and with some men fixed on certain squares, the
// entry within its section or slice is a sum over the men:
//
//     entry = fixed + part[man 0][code 0] + part[man 1][code 1] + ...
//
//     1. Each man belongs to a group of the file. The men that choose the section or the slice, which are the file's
//        black king without pawns and otherwise the pawns, belong to none, and their parts are 0. A blank's part is 0,
//        too.
//     2. A man alone in its group adds (square after the symmetry) * (stride of the group).
//     3. Of identical pieces the last one adds the part of the whole group, and the others add 0. Its part depends on
//        the squares of the others: for two pieces it is in a table indexed by both squares, for more it is worked out
//        for each placement.
//     4. Groups that only have fixed men are in `fixed`; other fixed men are identical pieces with constant squares.
//     5. Identical pieces on one square have no digit; their part is 0, so that it stays within the section. A digit
//        that a thinned order does not have adds OFF_BOARD, which no sum of other parts reaches.
//
// For example, take a board of 4 squares 0..3, the solver's men A and B, and a file with the order "B A". Then the
// strides are 4 for B and 1 for A, and
//
//     part[A] = 0 1 2 3,  part[B] = 0 4 8 12:              A on 2, B on 1 is entry 2 + 4 = 6.
//     part[A] = 3 2 1 0,  part[B] = 12 8 4 0  if mirrored: the same placement is entry 1 + 8 = 9.
//
// If A and B were identical, their digits would be 0 = {0,1}, 1 = {0,2}, 2 = {1,2}, 3 = {0,3}, 4 = {1,3}, 5 = {2,3},
// and
//
//     part[A] = 0 0 0 0,  part[B] given A on 2 = 1 2 0 5:  A on 2, B on 1 is entry 0 + 2 = 2.
#ifndef CLTB_INDEX_ORDER_MAP_H
#define CLTB_INDEX_ORDER_MAP_H

#include "index/entry.h"
#include "index/layout.h"

enum { ORDER_PAIRS_MAX = LAYOUT_PIECES_MAX / 2 };

#define OFF_BOARD (UINT64_C(1) << 58)

// How the men belong to the groups of an order.
struct order_map {
    const struct entry_order *order;
    int pieces;
    int group[LAYOUT_PIECES_MAX];      // the file's group of a piece, or -1
    int before[LAYOUT_PIECES_MAX];     // the identical piece before this one, or -1
    bool completes[LAYOUT_PIECES_MAX]; // no identical piece comes after this one
    int pair[LAYOUT_PIECES_MAX]; // for the second of exactly two identical pieces: the number of their table, or -1
    uint64_t choose[MATERIAL_MEN_MAX][SQUARES]; // C(square, men on lower squares + 1)
    int fixed;
    int fixed_group[FIXED_MAX]; // the file's group of a fixed man, or -1
    int king[COLOURS];          // the file's kings: a piece, or pieces + number of a fixed man
};

// Parts under one symmetry, with the fixed men on certain squares.
struct order_parts {
    int symmetry;
    uint8_t fixed_square[FIXED_MAX]; // after the symmetry
    uint64_t fixed;
    uint64_t part[LAYOUT_PIECES_MAX][SQUARES];        // by code; 0 unless the piece completes its group
    uint64_t pair[ORDER_PAIRS_MAX][SQUARES][SQUARES]; // [pair][code of the first piece][code of the second]
};

// `flip`: the file has the colours flipped. `order` must outlive the map.
void order_map_init(struct order_map *map, const struct entry_order *order, bool flip, const struct slab_shape *men);

// square[map->fixed]: the squares of the fixed men, 0..63.
void order_parts_make(struct order_parts *parts, const struct order_map *map, int symmetry, const uint8_t *square);

// Only parts->fixed.
uint64_t order_fixed_part(const struct order_map *map, int symmetry, const uint8_t *square);

// The parts of a piece for `count` codes from `first` on. code[] has the codes of the identical pieces before it;
// `scratch` has room for a row that must be computed.
const uint64_t *order_row_part(const struct order_map *map, const struct order_parts *parts, int piece,
                               const uint8_t *code, unsigned first, unsigned count, uint64_t *scratch);

// The same for all codes.
static inline const uint64_t *order_row(const struct order_map *map, const struct order_parts *parts, int piece,
                                        const uint8_t *code, uint64_t scratch[SQUARES])
{
    return order_row_part(map, parts, piece, code, 0, SQUARES, scratch);
}

// The part of one piece: code[] has its code and those of the identical pieces before it.
uint64_t order_identical_part(const struct order_map *map, const struct order_parts *parts, int piece,
                              const uint8_t *code); // of a piece that completes a group of two or more

static inline uint64_t order_part(const struct order_map *map, const struct order_parts *parts, int piece,
                                  const uint8_t *code)
{
    return map->before[piece] < 0 || !map->completes[piece] ? parts->part[piece][code[piece]]
                                                            : order_identical_part(map, parts, piece, code);
}

// The sum of the parts of pieces first..last-1, which must be complete groups: code[pieces].
static inline uint64_t order_sum(const struct order_map *map, const struct order_parts *parts, int first, int last,
                                 const uint8_t *code)
{
    uint64_t sum = 0;
    for (int i = first; i < last; i++)
        sum += order_part(map, parts, i, code);
    return sum;
}

#endif
