// square.h - the two octal digits of a square
//
// Every square has a code of two octal digits, code = 8 * u + l: `u` is its orbit, the 8 squares that the symmetries of
// the board carry into each other (two orbits of 4 share one digit on the long diagonals), and `l` its place there. A
// symmetry keeps u and permutes l:
//
//     mirror files     l ^ 1
//     mirror ranks     l ^ 2
//     a1-h8 diagonal   swap the two low bits of l, and ^ 4 when u <= 5
//
// A symmetry is a number 0..7: bit 2 = the diagonal (applied first), bit 1 = mirror ranks, bit 0 = mirror files.
// Squares are 0..63, a1 = 0, b1 = 1, h8 = 63.
#ifndef CLTB_INDEX_SQUARE_H
#define CLTB_INDEX_SQUARE_H

#include "chess/position.h"

#include <stdbool.h>
#include <stdint.h>

enum { SYMMETRIES = 8, TRIANGLE_SQUARES = 10 };

extern const uint8_t square_code[64];    // square -> code
extern const uint8_t code_square[64];    // code -> square
extern const int8_t square_triangle[64]; // square -> 0..9 in the triangle a1-d1-d4, or -1
extern const uint8_t triangle_square[TRIANGLE_SQUARES];

// The l digit of a square with digits u, l after symmetry `g`.
static inline unsigned digit_apply(int g, unsigned u, unsigned l)
{
    if (g & 4)
        l = (l & 4) | (l & 1) << 1 | (l >> 1 & 1);
    if ((g & 4) && u <= 5)
        l ^= 4;
    return l ^ ((unsigned)g & 3);
}

// The square after symmetry `g`; without branches, which would be mispredicted for random positions.
static inline int square_apply(int g, int square)
{
    const int mirrors = (g & 1) * 7 | (g & 2) * 28;
    const int reflected = (square & 7) << 3 | square >> 3;
    return (g & 4 ? reflected : square) ^ mirrors;
}

// Symmetry `g`, without the diagonal, followed by the diagonal. Mirrors come last in a symmetry, so their bits are
// exchanged.
static inline int symmetry_then_diagonal(int g)
{
    return 4 | (g & 1) << 1 | (g >> 1 & 1);
}

// The symmetry that carries `square` into the triangle a1-d1-d4; if two do, the one without the diagonal.
int symmetry_to_triangle(int square);

static inline bool square_on_diagonal(int square)
{
    return (square & 7) == square >> 3;
}

// Are the two squares equal or a king's step apart?
bool squares_touch(int a, int b);

#endif
