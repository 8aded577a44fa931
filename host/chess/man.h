// man.h - squares, sets of squares, and the men that stand on them
//
// Squares are 0..63: a1 = 0, b1 = 1, h1 = 7, a2 = 8, ..., h8 = 63 (square = rank * 8 + file, both from 0). A set of
// squares is 64 bits, bit = square. A piece code is 0 for an empty square, else 1 + type + 8 * colour: it fits the four
// bits that a packed move has for it (move.h).
#ifndef CLTB_CHESS_MAN_H
#define CLTB_CHESS_MAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum colour { WHITE = 0, BLACK = 1, COLOURS = 2 };

// The order of the field's material names: KQRBNP.
enum piece_type { KING = 0, QUEEN = 1, ROOK = 2, BISHOP = 3, KNIGHT = 4, PAWN = 5, PIECE_TYPES = 6 };

enum {
    EMPTY = 0, // the piece code of a square without a man
    SQUARES = 64,
    NO_SQUARE = 64 // "no en passant slot"
};

// One man of a position given as a list.
struct man {
    uint8_t type;   // enum piece_type
    uint8_t colour; // enum colour
    uint8_t square;
};

static inline int piece_code(int colour, int type)
{
    return 1 + type + 8 * colour;
}

static inline int piece_type(int code)
{
    return (code & 7) - 1;
}

static inline int piece_colour(int code)
{
    return code >> 3;
}

static inline int square_file(int square)
{
    return square & 7;
}

static inline int square_rank(int square)
{
    return square >> 3;
}

static inline uint64_t square_bit(int square)
{
    return UINT64_C(1) << square;
}

// Takes the lowest square out of a set that is not empty.
static inline int set_pop(uint64_t *set)
{
    int square = __builtin_ctzll(*set);
    *set &= *set - 1;
    return square;
}

// "e4", "-" for NO_SQUARE; a letter of "KQRBNPkqrbnp".
const char *square_name(int square);
char piece_letter(int code);

static inline const char *colour_name(int colour)
{
    return colour == WHITE ? "White" : "Black";
}

#endif
