// tile.h - which men stand where in a tile and in a word of it (OpenCL C)
//
// The kernels see a plane as 32-bit words: 32 lanes fill the registers of a GPU better than 64 would (64 squares of 64
// lanes, in and out, are 1 KB, more than a work-item has). For k pieces (docs/index.md) a digit is counted from the
// lowest, 0..k-1, so that piece p has digit k-1-p. A tile has 8^k bits, 2^(3k-5) words:
//
//     bit of a word     [low 2 bits of digit 1] [digit 0]
//     word of a tile    [digit k-1] ... [digit 2] [top bit of digit 1, the "upper"]     digit q >= 2 begins at bit 3q-5
//     tile              king, then the u digits; with a pair, its digits k-1 and k-2 are one number of base 36
//
// Example, k = 3: a tile has 16 words. Lane 13 of word 5 has digit 0 = 5, digit 1 = 4 * 1 + 1 = 5, digit 2 = 2.
//
// All u digits of a tile together are kept as an octal number, digit q at bit 3q. Tiles are counted in 32 bits (8 men
// have 21 million), words in 64. Nothing here depends on a table at compile time: a device builds its kernels once, for
// all tables (arithmetic is not what the kernels wait for).
//
// In a layout of slices the highest d digits are the low digits of the slice's number. They have no u digit, and what
// stands for the king in the tile's number is the slice's number without them. There are 0 to 2, and k is 4 at least:
// so all lanes of a word belong to one slice, whose n = k - d pieces have 2^(3n-5) consecutive words in each tile.
//
// Men without a digit are numbered after the pieces, k, k + 1, ...: the fixed men of a slice. A layout without pawns is
// seen as ten slices with the black king as their only fixed man.
//
// A plane may be a window: some blocks of one side's moves (host/solve/blocks.h), the tiles of a block in the order of
// its locals. A tile's place in it ends in the u digits of that side's men, without those of the others between them.
// Below each of them are octal digits, as in the table: so a man's moves are the same arithmetic with another shift
// (table_shape.places). Only who stands where depends on the tile's number in the whole table, which takes two look-ups
// of 4 bytes (table_tile()).
#ifndef CLTB_KERNELS_TILE_H
#define CLTB_KERNELS_TILE_H

#include "launch.h"

typedef uint lane_t;

#define WORD_BITS_SHIFT 5 // 32 lanes
#define PAIR_TILES      36
#define NO_DIGIT        8  // a u digit that no square has
#define NO_SQUARE       64 // a square code that no square has

// The table of the black king: [10][KING_STEPS] steps as to | symmetry << 4; those of a square are in rising order
// (symmetry first) and end with NO_STEP.
#define TRIANGLE_SQUARES 10
#define NO_STEP          255

// Inserts a zero digit into `number` above its lowest `bits` bits.
static inline uint digit_insert(uint number, uint bits)
{
    const uint low = (1u << bits) - 1;
    return (number & low) | (number & ~low) << 3;
}

// Removes the digit above the lowest `bits` bits.
static inline uint digit_remove(uint number, uint bits)
{
    const uint low = (1u << bits) - 1;
    return (number & low) | (number >> 3 & ~low);
}

static inline uint digit_at(uint number, uint digit)
{
    return number >> 3 * digit & 7;
}

// The bits of a tile's place below the u digit of `digit`, or below its pair.
static inline uint place_shift(struct table_shape shape, uint digit)
{
    return 3 * (shape.places >> 4 * digit & 15);
}

// The number of a pair's tile, with its two u digits in either order.
static inline uint pair_number(uint a, uint b)
{
    const uint high = max(a, b);
    return high * (high + 1) / 2 + min(a, b);
}

// The two u digits of a pair's tile as two octal digits: piece 0 (the lower u), piece 1.
static inline uint pair_digits(uint number)
{
    uint high = 0;
    while ((high + 1) * (high + 2) / 2 <= number)
        high++;
    return (number - high * (high + 1) / 2) << 3 | high;
}

// The number in the whole table of tile `tile` of a plane that begins with tile `first`. In a window, `window` gives
// for each local the distance from the block's first tile, then the first tile of each block.
static inline uint table_tile(uint tile, uint first, struct table_shape shape, global const uint *window)
{
    if (!shape.locals)
        return first + tile;
    const uint block = tile / shape.locals;
    return window[tile - block * shape.locals] + window[shape.locals + block];
}

// The octal u digits of a tile. *head: the black king's square, or the slice's number without its low digits.
static inline uint tile_digits(uint tile, struct table_shape shape, uint *head)
{
    if (!shape.pair) {
        *head = tile >> 3 * shape.placed;
        return tile & ((1u << 3 * shape.placed) - 1);
    }
    const uint below = 3 * (shape.placed - 2);
    const uint both = tile >> below;
    *head = both / PAIR_TILES;
    return (tile & ((1u << below) - 1)) | pair_digits(both % PAIR_TILES) << below;
}

// A word of a tile, and who stands where in it.
struct place {
    uint u;                    // octal u digits
    uint word;                 // of the tile
    uint slice;                // the slice that the word belongs to, or the black king's square
    global const uchar *codes; // the squares of the slice's fixed men; NO_SQUARE in slices that are padding
};

// In a tile with such digits. fixed: [slices][FIXED_STRIDE] square codes.
static inline struct place place_in(uint u, uint head, uint word, struct table_shape shape, global const uchar *fixed)
{
    const uint low_bits = 3 * (shape.pieces - shape.placed);
    const uint slice = head << low_bits | word >> (3 * shape.placed - WORD_BITS_SHIFT);
    return (struct place){u, word, slice, fixed + FIXED_STRIDE * slice};
}

static inline struct place place_of(uint tile, uint word, struct table_shape shape, global const uchar *fixed)
{
    uint head;
    const uint u = tile_digits(tile, shape, &head);
    return place_in(u, head, word, shape, fixed);
}

// The RUN_WORDS words of an item's run.
static inline void run_places(ulong first, uint first_tile, struct table_shape shape, global const uchar *fixed,
                              global const uint *window, struct place place[RUN_WORDS])
{
    const uint word_bits = 3 * shape.pieces - WORD_BITS_SHIFT;
    uint head;
    const uint u = tile_digits(table_tile((uint)(first >> word_bits), first_tile, shape, window), shape, &head);
#pragma unroll
    for (uint n = 0; n < RUN_WORDS; n++)
        place[n] = place_in(u, head, ((uint)first & ((1u << word_bits) - 1)) + n, shape, fixed);
}

// The lanes of a word in which digit 0 is l.
static inline lane_t low_lanes(uint l)
{
    return (lane_t)0x01010101 << l;
}

// Those in which digit 1 is l, given that its top bit is `upper` in this word.
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

// Those in which man q stands on the square with this code.
static inline lane_t man_lanes(uint q, uint code, struct place place, uint pieces)
{
    if (q >= pieces)
        return place.codes[q - pieces] == code ? ~(lane_t)0 : 0;
    return digit_at(place.u, q) == code >> 3 ? digit_lanes(q, code & 7, place.word) : 0;
}

// Can men p and q share a square somewhere in a tile with such digits?
static inline bool may_share(uint p, uint q, uint u, uint pieces)
{
    return max(p, q) >= pieces || digit_at(u, p) == digit_at(u, q);
}

// Those in which men p and q share a square.
static inline lane_t shared_lanes(uint p, uint q, struct place place, uint pieces)
{
    const uint low = min(p, q);
    const uint high = max(p, q);
    if (high >= pieces) {
        const uint code = place.codes[high - pieces];
        return code == NO_SQUARE ? 0 : man_lanes(low, code, place, pieces);
    }
    if (!may_share(p, q, place.u, pieces))
        return 0;
    lane_t lanes = 0;
    for (uint l = 0; l < 8; l++)
        lanes |= digit_lanes(low, l, place.word) & digit_lanes(high, l, place.word);
    return lanes;
}

// One word of a table that has the same pieces in the same order except the one with digit `missing`, spread to the
// lanes of word `word` of a tile: each lane takes the bit of its number without that digit. The word is taken as it is
// (if the digit was in the word's number), spread by bytes (digit 1) or spread by bits (digit 0). from: the other
// table's tile.
static inline lane_t word_without(global const uint *from, uint word, uint missing)
{
    if (missing >= 2)
        return from[digit_remove(word, 3 * missing - 5)];
    // Digit 2 has become digit 1: one byte of 8 lanes.
    const uint l = word >> 1 & 7;
    const uint byte = from[(word >> 4 << 1) + (l >> 2)] >> 8 * (l & 3) & 0xff;
    if (missing == 1)
        return byte * 0x01010101u;
    lane_t lanes = 0;
    for (uint i = 0; i < 4; i++)
        lanes |= (byte >> (4 * (word & 1) + i) & 1) * (lane_t)0xff << 8 * i;
    return lanes;
}

#endif
