// entry.h - the order of entries in a table file
//
// The file's index is not the solver's. The men form groups: the men of each colour and type, identical pieces
// together. A group's digit is
//
//     one man             0..63, its square (a1 = 0, b1 = 1, h8 = 63)
//     n identical pieces  0..C(64,n)-1: with their squares sorted s1 < s2 < ..., the sum of C(s_i, i)
//
// Without pawns the black king is a group of its own kind: its digit is 0..9, its number in the triangle a1-d1-d4
// (square.h), always the first, most significant one. A symmetry first carries the position into the triangle. With the
// black king on the diagonal a1-h8 two symmetries do so, and the file keeps
//
//     the one that puts the white king below the diagonal (rank < file),
//     or, with the white king on the diagonal too, the one that gives the smaller index.
//
// With pawns the first digit is the slice (pawns.h), and the black king is a man like the others. The files are
// mirrored if the slice requires it, or, if the pawns are their own mirror image, so that the white king stands on
// files a-d.
//
// The index of the other men is the number with their digits, groups in the order that the file names. The first digit
// chooses the section of a file: one square of the black king, or a run of slices (`per_section` entries; those beyond
// the last slice, in the last section, are don't-cares).
#ifndef CLTB_INDEX_ENTRY_H
#define CLTB_INDEX_ENTRY_H

#include "index/material.h"
#include "index/pawns.h"
#include "index/square.h"

enum { ENTRY_GROUPS_MAX = MATERIAL_MEN_MAX - 1, SECTION_ENTRIES_MIN = 1 << 18, ENTRY_TEXT_MAX = 48 };

struct entry_group {
    uint8_t colour;
    uint8_t type;
    uint8_t count;
    uint64_t size;   // number of values of the digit
    uint64_t stride; // entries from one value to the next
};

struct entry_order {
    struct material material;
    const struct pawn_slices *slices; // NULL: no pawns
    struct entry_group group[ENTRY_GROUPS_MAX];
    uint64_t per_slice;          // entries of one slice, or one square of the black king
    uint64_t slices_per_section; // 1, or the smallest number with SECTION_ENTRIES_MIN entries a section
    uint64_t per_section;        //
    uint64_t sections;           //
    uint64_t entries;            // sections * per_section
    int groups;                  // without pawns: of all men but the black king; otherwise: of all pieces
    int thinned;                 // the group of which only some digits are there, or -1; see entry_order_thin()
    uint64_t kept;               // squares
};

// Sets up the groups in the order of `choice`, a permutation of 0..groups-1, which counts them in the order K Q R B N
// of White and then of Black. NULL: in just that order. A material with pawns requires `slices`, which must outlive the
// order; otherwise it is NULL.
void entry_order_init(struct entry_order *order, const struct material *material, const struct pawn_slices *slices,
                      const uint8_t *choice);

// Leaves of a group's digits those whose highest man stands on one of the squares `kept`, and numbers them anew. For
// samples, not for files.
void entry_order_thin(struct entry_order *order, int group, uint64_t kept);

// From a digit of a group to its number among those that are left, and back. `highest`: the square of its highest man.
uint64_t entry_thin_digit(const struct entry_order *order, int group, uint64_t digit, unsigned highest);
uint64_t entry_whole_digit(const struct entry_order *order, int group, uint64_t digit);

// "k Q RR n K": the groups outermost first, lower case for Black; without pawns the black king is always the first.
// Reading fails with CLTB_E_CORRUPT unless the text names each group of the material once.
void entry_order_write(const struct entry_order *order, char text[ENTRY_TEXT_MAX]);
int entry_order_read(struct entry_order *order, const struct material *material, const struct pawn_slices *slices,
                     const char *text);

// The digit of `count` identical pieces on these squares (any order).
uint64_t entry_digit(const uint8_t *squares, int count);

// C(n, k). The man on the k-th lowest of these squares (from 1), n, adds so much to the digit.
uint64_t entry_choose(unsigned n, unsigned k);

// The squares of `count` identical pieces with this digit, the highest one first.
void entry_digit_squares(uint64_t digit, int count, uint8_t *squares);

// The entry of a position of the material; `flip`: with the colours flipped. All symmetric positions have the same
// entry.
uint64_t entry_index(const struct entry_order *order, const struct position *position, bool flip);

// The symmetries that may carry a position without pawns to the image that the file keeps. Returns their number: one,
// or two if both kings are on the diagonal; of two, the one with the smaller entry counts.
int entry_symmetries(int black_king, int white_king, int symmetry[2]);

#endif
