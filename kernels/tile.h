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
//
// In a layout of slices the highest d digits are the low digits of the slice's number. They have no u digit, and what stands
// for the king in the tile's number is the slice's number without them. There are 0 to 2, and k is 4 at least: so all lanes of
// a word are of one slice, whose n = k - d pieces have 2^(3n-5) words in a row in each tile.
//
// Men that have no digit are numbered behind the pieces, k, k + 1, ...: the fixed men of a slice. A layout without pawns is
// seen as one of ten slices with the black king as their only fixed man.
//
// A plane may be a window: some blocks of one side's moves (host/solve/blocks.h), the tiles of a block in the order of its
// locals. A tile's place in it ends in the u digits of that side's men, without those of the others between them. What is below
// one of them are octal digits, as in the table: so a man's moves are the same arithmetic with another `shift`. Only who stands
// where has to be asked of the tile's number in the whole table, which is two look-ups in 4 bytes for each local and block.
#ifndef CLTB_KERNELS_TILE_H
#define CLTB_KERNELS_TILE_H

typedef uint lane_t;

#define WORD_BITS_SHIFT 5 // 32 lanes
#define PAIR_TILES      36
#define NO_DIGIT        8 // a u that no square has
#define NO_SQUARE       255

// The table of the black king: [10][9] steps as to | symmetry << 4, those of a square in rising order
// (symmetry first) and ended by NO_STEP.
#define KING_STEPS       9
#define TRIANGLE_SQUARES 10
#define KING_STEP_AT(k)  (KING_STEPS * (k))
#define NO_STEP          255

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

// What a layout is to the kernels: k, n, whether there is a pair, and the number of fixed men.
#define PIECES(shape) ((shape).x)
#define PLACED(shape) ((shape).y)
#define PAIRED(shape) ((shape).z)
#define FIXED(shape)  ((shape).w)

// The squares of fixed men, [slices][FIXED_STRIDE] square codes; NO_SQUARE in slices that are padding.
#define FIXED_STRIDE 8

// The number in the whole table of the tile at `place` of a plane that begins with tile `first`; of a window if `locals`, which
// is their number in a block: window[locals + blocks] has the tiles from a block's first to each local, then the blocks' firsts.
static inline uint table_tile(uint place, uint first, global const uint *window, uint locals)
{
    if (!locals)
        return first + place;
    const uint block = place / locals;
    return window[place - block * locals] + window[locals + block];
}

// The two u digits of a pair's tile as two octal ones: piece 0 (the lower u), piece 1.
static inline uint pair_digits(uint number)
{
    uint high = 0;
    while ((high + 1) * (high + 2) / 2 <= number)
        high++;
    return (number - high * (high + 1) / 2) << 3 | high;
}

// The octal u digits of a tile, and the black king's square, or the slice's number without its low digits.
static inline uint tile_digits(uint tile, uint placed, uint pair, uint *king)
{
    if (!pair) {
        *king = tile >> 3 * placed;
        return tile & ((1u << 3 * placed) - 1);
    }
    const uint below = 3 * (placed - 2);
    const uint both = tile >> below;
    *king = both / PAIR_TILES;
    return (tile & ((1u << below) - 1)) | pair_digits(both % PAIR_TILES) << below;
}

// The slice of word `word` of a tile.
static inline uint slice_of(uint king, uint word, uint4 shape)
{
    return king << 3 * (PIECES(shape) - PLACED(shape)) | word >> (3 * PLACED(shape) - WORD_BITS_SHIFT);
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

// The lanes of word `word` of a tile with digits u in which man q stands on the square with that code; codes: of the fixed men.
static inline lane_t man_lanes(uint q, uint code, uint u, uint word, uint pieces, global const uchar *codes)
{
    if (q >= pieces)
        return codes[q - pieces] == code ? ~(lane_t)0 : 0;
    return digit_at(u, q) == code >> 3 ? digit_lanes(q, code & 7, word) : 0;
}

// Those in which men p and q, p < q, share a square.
static inline lane_t shared_lanes(uint p, uint q, uint u, uint word, uint pieces, global const uchar *codes)
{
    if (q >= pieces) {
        const uint code = codes[q - pieces];
        return code == NO_SQUARE ? 0 : man_lanes(p, code, u, word, pieces, codes);
    }
    if (digit_at(u, p) != digit_at(u, q))
        return 0;
    lane_t lanes = 0;
    for (uint l = 0; l < 8; l++)
        lanes |= digit_lanes(p, l, word) & digit_lanes(q, l, word);
    return lanes;
}

// One word of a table that has the same pieces in the same order but for the one with digit `missing`, for word `word` of a
// tile: its lane is this one's without a digit. A word of it is picked (the digit was a word's number), spread by bytes (digit 1)
// or spread by bits (digit 0). from: the other table's tile.
static inline lane_t word_without(global const uint *from, uint word, uint missing)
{
    if (missing >= 2)
        return from[digit_remove(word, 3 * missing - 5)];
    // Digit 2 has come down to digit 1: one byte of 8 lanes.
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
