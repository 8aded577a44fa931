// king.cl - the black king's moves: every word gathers from the tiles of the squares that the king can step to
//
//     out(king, lanes) |= OR over the steps (to, g) of in(to, g(lanes))
//
// where g is the symmetry that brings the step's target into the triangle: it keeps the u digits and permutes every l digit,
//     l -> (two low bits exchanged if g has the diagonal) ^ flip.
//
// Index space: one item = one word of a tile, 1-dimensional, [u digits][king's square][word of the tile], words fastest and then
// the king's squares, so that the 10 tiles which read each other are worked on at about the same time. in[] holds the
// squares from_first..from_first + from_count - 1 of the black king, out[] those from to_first on; steps to squares that in[] does
// not hold are left to another launch. Any work-group shape; no local memory. Reads up to 8 words and 9 flags (7 to 8 words
// on most squares), reads and writes a word: at most 49 B an item.
#include "tile.h"

#define KING_INVERT 1 // read ~in
#define KING_STORE  2 // out = instead of out |=

static inline lane_t delta_swap(lane_t x, uint shift, lane_t low)
{
    const lane_t t = (x >> shift ^ x) & low;
    return x ^ t ^ t << shift;
}

// The source lanes of a word as the result sees them: first the flips, then the exchange of the low bits.
static inline lane_t permute_low(lane_t x, uint flip, bool diagonal)
{
    if (flip & 1)
        x = delta_swap(x, 1, 0x55555555);
    if (flip & 2)
        x = delta_swap(x, 2, 0x33333333);
    if (flip & 4)
        x = delta_swap(x, 4, 0x0f0f0f0f);
    return diagonal ? delta_swap(x, 1, 0x22222222) : x;
}

// The same for the two bits of digit 1 that are in the word; the third one chose the word.
static inline lane_t permute_high(lane_t x, uint flip, bool diagonal)
{
    if (flip & 1)
        x = delta_swap(x, 8, 0x00ff00ff);
    if (flip & 2)
        x = delta_swap(x, 16, 0x0000ffff);
    return diagonal ? delta_swap(x, 8, 0x0000ff00) : x;
}

// What symmetry g does to a digit of orbit u, the diagonal's exchange of bits apart.
static inline uint flip_of(uint g, uint u)
{
    return (g & 3) ^ (g & 4 && u <= 5 ? 4 : 0);
}

kernel void king_moves(global const uint *in, global uint *out, global const uchar *in_active, global const uchar *wanted,
                       constant uchar *kings, const ulong items, const ulong king_tiles, const uint from_first,
                       const uint from_count, const uint to_first, const uint to_count, const uint pieces, const uint pair,
                       const uint mode)
{
    const ulong item = get_global_id(0);
    if (item >= items)
        return;
    const uint word_bits = 3 * pieces - WORD_BITS_SHIFT;
    const uint word = (uint)item & ((1u << word_bits) - 1);
    const ulong number = item >> word_bits;
    const ulong rest = number / to_count;
    const uint slab = (uint)(number % to_count);
    const uint king = to_first + slab;
    if (!(wanted[king * king_tiles + rest] & 1))
        return;
    uint none;
    const ulong u = tile_digits(rest, pieces, pair, &none);
    const lane_t flip_all = mode & KING_INVERT ? ~(lane_t)0 : 0;
    lane_t moves = 0;
    for (uint i = 0; i < KING_STEPS; i++) {
        const uint step = kings[KING_STEP_AT(king) + i];
        const uint to = step & 15;
        const uint g = step >> 4;
        if (step == NO_STEP)
            break;
        if (to < from_first || to >= from_first + from_count)
            continue;
        if (!(mode & KING_INVERT) && !in_active[to * king_tiles + rest])
            continue;
        const bool diagonal = (g & 4) != 0;
        const uint flip0 = flip_of(g, digit_at(u, 0));
        const uint flip1 = flip_of(g, digit_at(u, 1));
        uint source = (word & 1) ^ flip1 >> 2;
        for (uint q = 2; q < pieces; q++) {
            uint l = word >> (3 * q - 5) & 7;
            if (diagonal)
                l = (l & 4) | (l & 1) << 1 | (l >> 1 & 1);
            source |= (l ^ flip_of(g, digit_at(u, q))) << (3 * q - 5);
        }
        const lane_t x = in[(((to - from_first) * king_tiles + rest) << word_bits) + source] ^ flip_all;
        moves |= permute_low(permute_high(x, flip1 & 3, diagonal), flip0, diagonal);
    }
    const ulong at = ((slab * king_tiles + rest) << word_bits) + word;
    if (mode & KING_STORE)
        out[at] = moves;
    else if (moves)
        out[at] |= moves;
}
