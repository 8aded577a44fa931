// square.c - the two octal digits of a square
#include "index/square.h"

// By square, from a1.
// clang-format off
const uint8_t square_code[64] = {
    070, 000, 010, 020, 021, 011, 001, 071,
    004, 060, 030, 040, 041, 031, 061, 005,
    014, 034, 064, 050, 051, 065, 035, 015,
    024, 044, 054, 074, 075, 055, 045, 025,
    026, 046, 056, 076, 077, 057, 047, 027,
    016, 036, 066, 052, 053, 067, 037, 017,
    006, 062, 032, 042, 043, 033, 063, 007,
    072, 002, 012, 022, 023, 013, 003, 073,
};

const uint8_t code_square[64] = {
    1, 6, 57, 62, 8, 15, 48, 55,
    2, 5, 58, 61, 16, 23, 40, 47,
    3, 4, 59, 60, 24, 31, 32, 39,
    10, 13, 50, 53, 17, 22, 41, 46,
    11, 12, 51, 52, 25, 30, 33, 38,
    19, 20, 43, 44, 26, 29, 34, 37,
    9, 14, 49, 54, 18, 21, 42, 45,
    0, 7, 56, 63, 27, 28, 35, 36,
};

const int8_t square_triangle[64] = {
    0, 1, 2, 3, -1, -1, -1, -1,
    -1, 4, 5, 6, -1, -1, -1, -1,
    -1, -1, 7, 8, -1, -1, -1, -1,
    -1, -1, -1, 9, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1,
};
// clang-format on

const uint8_t triangle_square[TRIANGLE_SQUARES] = {0, 1, 2, 3, 9, 10, 11, 18, 19, 27};

// Without branches, which would be mispredicted for random positions: in times libfathom's speed, warm outcomes of KQvK
// are read at 2.6 instead of 2.2, of KQRvKR at 3.0 instead of 2.6.
int symmetry_to_triangle(int square)
{
    const int right = square_file(square) > 3;
    const int upper = square_rank(square) > 3;
    const int mirrored = square ^ (right * 7 | upper * 56);
    return square_rank(mirrored) <= square_file(mirrored) ? upper << 1 | right : 4 | right << 1 | upper;
}

bool squares_touch(int a, int b)
{
    int files = square_file(a) - square_file(b);
    int ranks = square_rank(a) - square_rank(b);
    return files >= -1 && files <= 1 && ranks >= -1 && ranks <= 1;
}
