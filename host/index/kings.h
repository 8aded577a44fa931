// kings.h - the 462 pairs of the kings' squares
//
// A symmetry carries every placement of two kings that do not touch to one of 462: the black king stands in the
// triangle a1-d1-d4 and, if it is on the diagonal a1-h8, the white king on or below it. Pairs are numbered by the black
// king's number in the triangle, then by the white king's square.
//
// Example: with the black king on a1 the white king has 33 squares, c1 first; they are pairs 0 to 32. Pair 33 has the
// black king on b1 and the white king on d1.
#ifndef CLTB_INDEX_KINGS_H
#define CLTB_INDEX_KINGS_H

#include "index/square.h"

enum { KING_PAIRS = 462, KING_PAIRS_OF_SQUARE = 58 }; // the most of one square of a king

extern const uint8_t pair_white[KING_PAIRS];            // the white king's square
extern const uint16_t pair_first[TRIANGLE_SQUARES + 1]; // the first pair of the black king's number
extern const uint64_t pair_squares[TRIANGLE_SQUARES];   // the white king's squares in its pairs

// The black king's number in the triangle.
static inline unsigned pair_black(unsigned pair)
{
    unsigned black = 0;
    while (pair >= pair_first[black + 1])
        black++;
    return black;
}

// The pair with the white king on a square, which must be one of pair_squares[black].
static inline unsigned pair_number(unsigned black, int white)
{
    return pair_first[black] + (unsigned)__builtin_popcountll(pair_squares[black] & ((UINT64_C(1) << white) - 1));
}

// Both images of the pair are the pair itself: both kings are on the diagonal.
static inline bool pair_on_diagonal(unsigned pair)
{
    return square_on_diagonal(pair_white[pair]) && square_on_diagonal(triangle_square[pair_black(pair)]);
}

// The pair of any two squares that do not touch, and the symmetry that leads to it.
unsigned pair_find(int white, int black, int *symmetry);

#endif
