// entry.h - the order of entries in a table file
//
// The file's index is not the solver's. The men form groups: the black king, and the men of each colour and type, like
// men together. A group's digit is
//
//     the black king     0..9, its number in the triangle a1-d1-d4 (square.h); always the first, most significant digit
//     one man            0..63, its square (a1 = 0, b1 = 1, h8 = 63)
//     n like men         0..C(64,n)-1: with their squares sorted s1 < s2 < ..., the sum of C(s_i, i)
//
// and the index is the number with these digits, groups in the order that the file names. The position is first carried
// into the triangle by a symmetry; with the black king on the diagonal a1-h8 two symmetries do, and
//
//     the one that puts the white king below the diagonal (rank < file) is taken,
//     or, with the white king on it too, the one that gives the smaller index.
#ifndef CLTB_INDEX_ENTRY_H
#define CLTB_INDEX_ENTRY_H

#include "index/material.h"
#include "index/square.h"

enum { ENTRY_GROUPS_MAX = MATERIAL_MEN_MAX - 1, ENTRY_TEXT_MAX = 48 };

struct entry_group {
    uint8_t colour;
    uint8_t type;
    uint8_t count;
    uint64_t size;   // values of the digit
    uint64_t stride; // entries from one value to the next
};

struct entry_order {
    struct material material;
    int groups; // the black king apart
    struct entry_group group[ENTRY_GROUPS_MAX];
    uint64_t per_king; // entries of one square of the black king
    uint64_t entries;  // 10 * per_king
};

// The groups in the order of `choice`, a permutation of 0..groups-1 (NULL: as they come), counted in the order K Q R B
// N of White and then of Black.
void entry_order_init(struct entry_order *order, const struct material *material, const uint8_t *choice);

// "k Q RR n K": the groups outermost first, lower case for Black. Reading fails with CLTB_E_CORRUPT unless the text
// names each group of the material once.
void entry_order_write(const struct entry_order *order, char text[ENTRY_TEXT_MAX]);
int entry_order_read(struct entry_order *order, const struct material *material, const char *text);

// The digit of `count` like men on these squares (any order).
uint64_t entry_digit(const uint8_t *squares, int count);

// The entry of a position of the material; `flip`: with colours exchanged. All symmetric positions have the same entry.
uint64_t entry_index(const struct entry_order *order, const struct position *position, bool flip);

// The same for men already in the triangle, without a choice between two images: square[group][man].
uint64_t entry_index_raw(const struct entry_order *order, int black_king,
                         uint8_t square[ENTRY_GROUPS_MAX][MATERIAL_MEN_MAX], int symmetry);

#endif
