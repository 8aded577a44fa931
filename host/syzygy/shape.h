// shape.h - how a sub-table of a Syzygy file numbers placements
//
// A file has a sub-table for each side to move that it stores and, with pawns, for each file a..d of the leading pawn.
// A sub-table lists its men in an order of its own. Men of a kind are adjacent and form a group:
//
//     1. Without pawns group 0 is the first three men, each the only one of its kind, or with only two such kinds the
//        two kings. With pawns it is the pawns of the leading colour, that with fewer pawns but not none (White if
//        equal), and the other colour's pawns are group 1.
//     2. Every further kind is a group.
//     3. The board is turned or mirrored until group 0 stands where only one of its images can (see shape.c).
//     4. A group's digit is a number 0..size-1 for the squares of its men, given those of the groups before it: no
//        digit puts two men on one square. (Squares of group 0 without pawns are numbered by tables, other groups as
//        combinations of the squares that are left, in rising order.)
//     5. The index is the sum of digit * factor. `order` says which place group 0 has among the factors, `order2` that
//        of group 1 with pawns of both colours; the other groups come in list order. The group that is taken first
//        varies fastest, with the factor 1.
//
// For example, KQvKR, White to move, lists K r Q k with the order 1. Group 0 is K r Q, with 31332 digits, and group 1
// is k, with 61. Place 0 is k's, so the index is 61 * digit(K r Q) + digit(k).
//
// Men are coded as in the file: pawn 1, knight 2, bishop 3, rook 4, queen 5, king 6, and 8 more for Black. White is the
// side that is named first. `docs/syzygy.md` has the sources.
#ifndef CLTB_SYZYGY_SHAPE_H
#define CLTB_SYZYGY_SHAPE_H

#include "index/material.h"

enum {
    SYZYGY_MEN_MAX = 7,
    SYZYGY_FILES = 4,    // of the leading pawn
    SYZYGY_NO_GROUP = 15 // value of `order2` if there is no group 1 of pawns
};

struct syzygy_group {
    uint8_t first; // its men are list[first..first+count-1]
    uint8_t count;
    uint64_t size;   // number of values of the digit
    uint64_t factor; // index values from one digit to the next
};

struct syzygy_shape {
    int men;
    uint8_t list[SYZYGY_MEN_MAX]; // codes of men
    bool pawns;
    int file;        // of the leading pawn, 0..3; 0 without pawns
    int other_pawns; // 1 if both colours have pawns (group 1), otherwise 0
    int order;
    int order2;
    int groups;
    struct syzygy_group group[SYZYGY_MEN_MAX];
    int fastest;     // the group with the factor 1
    uint64_t values; // the product of all sizes
};

// enum piece_type counts down from the king, codes count up to it.
static inline uint8_t syzygy_man(int colour, int type)
{
    return (uint8_t)(6 - type + (colour == BLACK ? 8 : 0));
}

static inline int syzygy_man_colour(uint8_t man)
{
    return man >> 3;
}

static inline int syzygy_man_type(uint8_t man)
{
    return 6 - (man & 7);
}

// CLTB_E_CORRUPT, with a sentence that says what is wrong but not where, for a list that does not form the groups
// above, or an order that names no group.
int syzygy_shape_init(struct syzygy_shape *shape, const uint8_t *list, int men, int file, int order, int order2);

// The index of a placement. Byte i of `squares`, from the lowest, is the square (0..63) of list[i]; bytes after the
// last man are 0; men of a kind may be in any order. With pawns, the leading pawn must be on `file` or its mirror image
// (syzygy_leading_file()).
uint64_t syzygy_index(const struct syzygy_shape *shape, uint64_t squares);

// The file 0..3 of the leading pawn among `count` pawns of the leading colour.
int syzygy_leading_file(const uint8_t *square, int count);

// ---- parts of these, for programs that go through a whole sub-table ----

// Turns the digit of group 0 into the squares of its men; there may be other images.
void syzygy_lead_squares(const struct syzygy_shape *shape, uint64_t digit, uint8_t *square);

// Turns the digit of another group into the squares of its men in rising order; `used`: the squares of the groups
// before.
void syzygy_group_squares(const struct syzygy_shape *shape, int group, uint64_t digit, uint64_t used, uint8_t *square);

#endif
