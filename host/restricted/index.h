// index.h - numbers the placements of a restricted endgame: a slice for the pawns, an entry for the other men
//
// 1. Slices. Every way to put all pawns on squares of their sets, no two on one square, is a slice; identical pawns are
//    listed with falling squares. Slices are sorted by advance (the sum of the ranks that the pawns have gone), the
//    farthest first, so that every pawn move within the spec leads to a slice with a lower number.
// 2. Entries. Within a slice each other man is a digit: the number of its square among those of its set, in rising
//    order. The last man's digit changes fastest; a man with one square costs nothing. Identical pieces stand in any
//    order: each order has an entry of its own, with the same value.
// 3. Symmetries. Of the 8 symmetries of the board (with pawns: of the mirror of files alone) only those count that
//    carry every man's set to that of an identical piece. Without pawns the white king has digits only for squares that
//    are the lowest of their orbit, and a position is looked up after carrying its white king there. With pawns, of a
//    slice and its mirror image only the first in this order is a slice of the index.
//
// Example: K[a1,b1] P[e4,e5] v K[h8]. No symmetry carries {a1, b1} to itself. Slice 0 has the pawn on e5, slice 1 on
// e4; in both entry 0 has the white king on a1 and entry 1 on b1. So Kb1, e4 v Kh8 is entry 1 of slice 1.
#ifndef CLTB_RESTRICTED_INDEX_H
#define CLTB_RESTRICTED_INDEX_H

#include "restricted/spec.h"

enum { RESTRICTED_NO_DIGIT = 255 };

struct restricted_slice {
    uint64_t pawns[COLOURS];         // squares
    int advance;                     // ranks that they have gone
    uint8_t placement[SPEC_MEN_MAX]; // [pawn] squares
};

struct restricted_index {
    struct spec spec;
    int pieces;                    // men other than pawns
    int piece[SPEC_MEN_MAX];       // their numbers in the spec; the kings are 0 (White) and 1
    int pawns;                     //
    int pawn[SPEC_MEN_MAX];        // their numbers in the spec
    uint32_t group[SPEC_MEN_MAX];  // [man] bit = man of its colour and type whose set overlaps, perhaps through others
    uint32_t digits[SPEC_MEN_MAX]; // [piece] squares of its digit
    uint64_t stride[SPEC_MEN_MAX]; // [piece]
    uint8_t square[SPEC_MEN_MAX][64]; // [piece][digit]
    uint8_t digit[SPEC_MEN_MAX][64];  // [piece][square]; RESTRICTED_NO_DIGIT
    uint64_t slice_entries;           // of a slice, for one side to move
    uint32_t slices;                  //
    struct restricted_slice *slice;   // [slices] in their order
    int symmetries;                   // 1, 2, 4 or 8
    uint8_t image[8][SPEC_MEN_MAX];   // [symmetry] the man of the spec that each man becomes
    uint8_t symmetry[8];              // numbers for square_apply()
};

// CLTB_E_USAGE if there are too many slices, mirror images included (more than 2^24 or most_slices), or too many
// entries in a slice (more than 2^32); CLTB_E_MEMORY if all slices together have more than most_entries.
int restricted_index_open(struct restricted_index *index, const struct spec *spec, uint32_t most_slices,
                          uint64_t most_entries);
void restricted_index_close(struct restricted_index *index);

// Finds a position: its slice and its entry. False: the position does not belong to the spec.
bool restricted_find(const struct restricted_index *index, const struct position *position, uint32_t *slice,
                     uint64_t *entry);

// The same for the squares of the spec's men, each in its set and all different: where[men].
bool restricted_place(const struct restricted_index *index, const uint8_t *where, uint32_t *slice, uint64_t *entry);

// The slice with pawns on these squares or, *mirrored, on their mirror images; -1 if there is none.
int64_t restricted_slice_of(const struct restricted_index *index, const uint64_t pawns[COLOURS], bool *mirrored);

// The squares of the spec's men at an entry. False if two share a square.
bool restricted_squares(const struct restricted_index *index, uint32_t slice, uint64_t entry,
                        uint8_t where[SPEC_MEN_MAX]);

// Sets the position of men on these squares, without castling and en passant rights.
int restricted_set(const struct restricted_index *index, const uint8_t *where, int side, struct position *position);

// Sets the position of an entry. False if it is illegal: two share a square, or the side not to move is in check.
bool restricted_position(const struct restricted_index *index, uint32_t slice, uint64_t entry, int side,
                         struct position *position);

// The squares of the men after the symmetry index->symmetry[symmetry]. `image` must not be `where`.
void restricted_mirror(const struct restricted_index *index, int symmetry, const uint8_t where[SPEC_MEN_MAX],
                       uint8_t image[SPEC_MEN_MAX]);

#endif
