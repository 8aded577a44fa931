// attacks.h - the squares that a man attacks, as bit sets worked out without tables
//
// Leapers are shifts of one bit, with the files masked that would wrap around. Sliders use the obstruction difference:
// on a line through the square, split the men into those below and those above it; then
//
//     2 * (lowest man above) - (highest man below)      as numbers, restricted to the line
//
// has exactly the bits from the nearest man below to the nearest man above set, both included. (Nothing above: the
// borrow runs to the board's end. Nothing below: bit 0 stands in, which is never too far.) The square itself is taken
// out. A line takes about ten operations and no memory, so the planes of a solver that runs beside it stay in the
// cache.
#ifndef CLTB_CHESS_ATTACKS_H
#define CLTB_CHESS_ATTACKS_H

#include "chess/man.h"

#define FILE_A UINT64_C(0x0101010101010101)
#define FILE_H UINT64_C(0x8080808080808080)
#define RANK_1 UINT64_C(0x00000000000000ff)
#define RANK_8 UINT64_C(0xff00000000000000)

#define DIAGONAL_A1H8 UINT64_C(0x8040201008040201)
#define DIAGONAL_H1A8 UINT64_C(0x0102040810204080)

static inline uint64_t king_attacks(int square)
{
    uint64_t b = square_bit(square);
    uint64_t row = b | (b & ~FILE_A) >> 1 | (b & ~FILE_H) << 1;
    return (row | row << 8 | row >> 8) & ~b;
}

static inline uint64_t knight_attacks(int square)
{
    uint64_t b = square_bit(square);
    uint64_t one = (b & ~FILE_A) >> 1 | (b & ~FILE_H) << 1;
    uint64_t two = (b & ~(FILE_A | FILE_A << 1)) >> 2 | (b & ~(FILE_H | FILE_H >> 1)) << 2;
    return one << 16 | one >> 16 | two << 8 | two >> 8;
}

static inline uint64_t pawn_attacks(int colour, int square)
{
    uint64_t b = square_bit(square);
    uint64_t sides = (b & ~FILE_A) >> 1 | (b & ~FILE_H) << 1;
    return colour == WHITE ? sides << 8 : sides >> 8;
}

static inline uint64_t file_line(int square)
{
    return FILE_A << (square & 7);
}

static inline uint64_t rank_line(int square)
{
    return RANK_1 << (square & 56);
}

// Moves a set up by `ranks`, or down if it is negative; without a branch, which would be unpredictable.
static inline uint64_t shift_ranks(uint64_t set, int ranks)
{
    const int down = ranks >> 31 & -ranks;
    return set << 8 * (ranks + down) >> 8 * down;
}

// The line that rises to the right: shift a1-h8 by whole ranks, so that its ends fall off the board.
static inline uint64_t diagonal_line(int square)
{
    int ranks = square_rank(square) - square_file(square);
    return shift_ranks(DIAGONAL_A1H8, ranks);
}

// The line that falls to the right.
static inline uint64_t antidiagonal_line(int square)
{
    int ranks = square_rank(square) + square_file(square) - 7;
    return shift_ranks(DIAGONAL_H1A8, ranks);
}

static inline uint64_t line_attacks(uint64_t line, int square, uint64_t occupied)
{
    uint64_t b = square_bit(square);
    uint64_t men = occupied & line;
    uint64_t below = (men & (b - 1)) | 1;
    uint64_t above = men & ~(b - 1) & ~b;
    uint64_t from = UINT64_MAX << (63 - __builtin_clzll(below)); // minus the highest man below, in two's complement
    return ((above & -above) * 2 + from) & line & ~b;
}

static inline uint64_t rook_attacks(int square, uint64_t occupied)
{
    return line_attacks(file_line(square), square, occupied) | line_attacks(rank_line(square), square, occupied);
}

static inline uint64_t bishop_attacks(int square, uint64_t occupied)
{
    return line_attacks(diagonal_line(square), square, occupied) |
           line_attacks(antidiagonal_line(square), square, occupied);
}

// Always inlined: a call would slow down move generation by a tenth.
static inline __attribute__((always_inline)) uint64_t piece_attacks(int type, int colour, int square, uint64_t occupied)
{
    switch (type) {
    case KING:
        return king_attacks(square);
    case QUEEN:
        return rook_attacks(square, occupied) | bishop_attacks(square, occupied);
    case ROOK:
        return rook_attacks(square, occupied);
    case BISHOP:
        return bishop_attacks(square, occupied);
    case KNIGHT:
        return knight_attacks(square);
    default:
        return pawn_attacks(colour, square);
    }
}

// The whole line through two squares; empty if they share none.
static inline uint64_t line_through(int a, int b)
{
    uint64_t other = square_bit(b);
    uint64_t line = file_line(a);
    if (!(line & other))
        line = rank_line(a);
    if (!(line & other))
        line = diagonal_line(a);
    if (!(line & other))
        line = antidiagonal_line(a);
    return line & other ? line : 0;
}

// The squares strictly between two squares of one line; empty if they share none.
static inline uint64_t squares_between(int a, int b)
{
    int low = a < b ? a : b;
    int high = a < b ? b : a;
    return line_through(a, b) & (square_bit(high) - 1) & ~(square_bit(low) * 2 - 1);
}

#endif
