// tile.h - which men stand where in a tile and in a word of it (OpenCL C)
//
// The kernels see a plane as 32-bit words: 32 lanes fill the registers of a GPU better than 64 would (64 squares of 64 lanes, in
// and out, are 1 KB, more than a work-item has). For k pieces (docs/index.md) a digit is counted from the lowest, 0..k-1, so
// that piece p has digit k-1-p. A tile has 8^k bits, 2^(3k-5) words:
//
//     bit of a word     [low 2 bits of digit 1] [digit 0]
//     word of a tile    [digit k-1] ... [digit 2] [top bit of digit 1, the "upper"]        digit q >= 2 begins at bit 3q-5
//     tile              king, then the u digits; with a pair, its digits k-1 and k-2 are one number of base 36
//
// All u digits of a tile together are kept as an octal number, digit q at bit 3q. Tiles are counted in 32 bits (8 men have 21
// million), words in 64. Nothing here depends on a table at compile
// time: a device builds its kernels once, for all tables (arithmetic is not what the kernels wait for).
#ifndef CLTB_KERNELS_TILE_H
#define CLTB_KERNELS_TILE_H

typedef uint lane_t;

#define WORD_BITS_SHIFT 5 // 32 lanes
#define PAIR_TILES      36
#define NO_DIGIT        8 // a u that no square has

// The table of the black king: [10] square codes, then [10][9] steps as to | symmetry << 4, those of a square in rising order
// (symmetry first) and ended by NO_STEP.
#define KING_SQUARES    10
#define KING_STEPS      9
#define KING_STEP_AT(k) (KING_SQUARES + KING_STEPS * (k))
#define NO_STEP         255

// Puts a zero digit into `number` above its lowest `bits` bits.
static inline uint digit_insert(uint number, uint bits)
{
    const uint low = (1u << bits) - 1;
    return (number & low) | (number & ~low) << 3;
}

// Takes out the digit above the lowest `bits` bits.
static inline uint digit_remove(uint number, uint bits)
{
    const uint low = (1u << bits) - 1;
    return (number & low) | (number >> 3 & ~low);
}

static inline uint digit_at(uint number, uint digit)
{
    return number >> 3 * digit & 7;
}

// The number of a pair's tile, with its two u digits in either order.
static inline uint pair_number(uint a, uint b)
{
    const uint high = max(a, b);
    return high * (high + 1) / 2 + min(a, b);
}

// The octal u digits of a tile, and the black king's square.
static inline uint tile_digits(uint tile, uint pieces, uint pair, uint *king)
{
    if (!pair) {
        *king = tile >> 3 * pieces;
        return tile & ((1u << 3 * pieces) - 1);
    }
    const uint below = 3 * (pieces - 2);
    const uint both = tile >> below;
    const uint number = both % PAIR_TILES;
    uint high = 0;
    while ((high + 1) * (high + 2) / 2 <= number)
        high++;
    *king = both / PAIR_TILES;
    return (tile & ((1u << below) - 1)) | ((number - high * (high + 1) / 2) << 3 | high) << below;
}

// The lanes of a word in which digit 0 is l.
static inline lane_t low_lanes(uint l)
{
    return (lane_t)0x01010101 << l;
}

// Those in which digit 1 is l, when the top bit of digit 1 is `upper` in this word.
static inline lane_t high_lanes(uint l, uint upper)
{
    return l >> 2 == upper ? (lane_t)0xff << 8 * (l & 3) : 0;
}

// Those in which digit q is l, in word `word` of a tile.
static inline lane_t digit_lanes(uint q, uint l, uint word)
{
    if (q == 0)
        return low_lanes(l);
    if (q == 1)
        return high_lanes(l, word & 1);
    return (word >> (3 * q - 5) & 7) == l ? ~(lane_t)0 : 0;
}

// The lanes of word `word` in which men p and q share a square. Men are digits, the black king is man `pieces`; p < q, and the
// king stands on `king_code`.
static inline lane_t shared_lanes(uint p, uint q, uint u, uint word, uint pieces, uint king_code)
{
    if (q == pieces)
        return digit_at(u, p) == king_code >> 3 ? digit_lanes(p, king_code & 7, word) : 0;
    if (digit_at(u, p) != digit_at(u, q))
        return 0;
    lane_t lanes = 0;
    for (uint l = 0; l < 8; l++)
        lanes |= digit_lanes(p, l, word) & digit_lanes(q, l, word);
    return lanes;
}

#endif
