// index.h - the index of a restricted endgame
//
// 1. Slices: placements of all pawns on squares of their sets, no two on one square, like pawns in falling order. Numbered so that every pawn
//    move within the spec leads to a slice with a lower number (total advance falls; advance = ranks gone).
// 2. Within a slice: the other men, each a digit: the number of its square among those of its set, in rising order; the last man fastest.
//    A man with one square costs nothing. Identical pieces stand in any order: all orders have entries, with equal values.
// 3. Symmetry: those of the board's symmetries (8; with pawns the file mirror alone) that carry every man's set into that of a like man. Without
//    pawns the white king's digit counts only squares that are the lowest of their orbit, and a position is looked up after carrying its
//    white king there. With pawns, of a slice and its mirror image only the one with the lower number is stored ("kept").
#ifndef CLTB_RESTRICTED_INDEX_H
#define CLTB_RESTRICTED_INDEX_H

#include "restricted/spec.h"

struct restricted_index {
    struct spec spec;
    int pieces;                       // men that are no pawns
    int piece[SPEC_MEN_MAX];          // their numbers in the spec; the kings are 0 (White) and 1
    int pawns;                        //
    int pawn[SPEC_MEN_MAX];           // their numbers in the spec
    uint32_t digits[SPEC_MEN_MAX];    // [piece] squares of its digit
    uint64_t stride[SPEC_MEN_MAX];    // [piece]
    uint8_t square[SPEC_MEN_MAX][64]; // [piece][digit]
    uint8_t digit[SPEC_MEN_MAX][64];  // [piece][square]; 255: none
    uint64_t slice_entries;           // entries of a slice, one side to move
    uint32_t slices;
    uint8_t (*placement)[SPEC_MEN_MAX]; // [slices][pawn] squares
    uint16_t *advance;                  // [slices]
    uint8_t *kept;                      // [slices] 0: its mirror image is stored instead
    int symmetries;                     // 1, 2, 4 or 8
    uint8_t image[8][SPEC_MEN_MAX];     // [symmetry] the man of the spec that each man becomes
    uint8_t symmetry[8];                // numbers for square_apply()
    uint32_t *find;                     // hash of placements, internal
    uint32_t find_mask;
};

// CLTB_E_MEMORY, or CLTB_E_USAGE if there are too many slices (2^24) or entries (2^32 in a slice).
int restricted_index_open(struct restricted_index *index, const struct spec *spec);
// With other limits, where no more would be of use: slices (kept or not), and entries of all kept slices (CLTB_E_MEMORY if there are more).
int restricted_index_open_within(struct restricted_index *index, const struct spec *spec, uint32_t most_slices,
                                 uint64_t most_entries);
void restricted_index_close(struct restricted_index *index);

// Where a position stands: a kept slice. False: it does not belong to the spec.
bool restricted_find(const struct restricted_index *index, const struct position *position, uint32_t *slice,
                     uint64_t *entry);

// The same for the squares of the spec's men, each in its set and no two on one square: where[men].
bool restricted_place(const struct restricted_index *index, const uint8_t *where, uint32_t *slice, uint64_t *entry);

// The squares of the spec's men at an entry. False if two share a square.
bool restricted_squares(const struct restricted_index *index, uint32_t slice, uint64_t entry,
                        uint8_t where[SPEC_MEN_MAX]);

#endif
