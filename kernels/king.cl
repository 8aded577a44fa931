// king.cl - the black king's moves: every word gathers from the tiles of the squares that the king can step to
//
//     out(king, lanes) |= OR over the steps (to, g) of in(to, g(lanes))
//
// where g is the symmetry that brings the step's target into the triangle: it keeps the u digits and permutes every l digit,
//
//     l -> (two low bits exchanged if g has the diagonal) ^ flip
//
// which for all digits above the word at once is a few operations on the word's number. Steps with the same symmetry are gathered
// first, so that their lanes are permuted together.
//
// Index space: one item = two words (64 lanes, both halves of digit 1), 1-dimensional, [u digits][king's square][word of the
// tile], words fastest and then the king's squares, so that the 10 tiles which read each other are worked on at about the same
// time. in[] holds the squares from_first..from_first + from_count - 1 of the black king, out[] those from to_first on; steps to
// squares that in[] does not hold are left to another launch. In a window of Black's blocks, which have all ten squares, the u
// digits begin with the block. Any work-group shape; no local memory. Reads up to 8 double words (each word of in[] is read up to 8
// times, by neighbours in time) and 9 flags, reads and writes one: at most 89 B an item; 8 B more in a window.
#include "tile.h"

#define KING_INVERT 1 // read ~in
#define KING_STORE  2 // out = instead of out |=

static inline uint2 delta_swap(uint2 x, uint shift, uint low)
{
    const uint2 t = (x >> shift ^ x) & low;
    return x ^ t ^ t << shift;
}

// The source lanes as the result sees them: first the flips, then the exchange of the low bits. flips: of digit 0 in the low 3 bits,
// of digit 1 above.
static inline uint2 permute(uint2 x, uint flips, bool diagonal)
{
    if (flips & 1)
        x = delta_swap(x, 1, 0x55555555);
    if (flips & 2)
        x = delta_swap(x, 2, 0x33333333);
    if (flips & 4)
        x = delta_swap(x, 4, 0x0f0f0f0f);
    if (flips & 8)
        x = delta_swap(x, 8, 0x00ff00ff);
    if (flips & 16)
        x = delta_swap(x, 16, 0x0000ffff);
    if (flips & 32)
        x = x.yx;
    if (diagonal) {
        x = delta_swap(x, 1, 0x22222222);
        x = delta_swap(x, 8, 0x0000ff00);
    }
    return x;
}

// king_tiles: from one square of the king to the next, in a plane. in_active, wanted: [tiles of the whole table, or of a window].
// window, locals: tile.h.
kernel void king_moves(global const uint2 *in, global uint2 *out, global const uchar *in_active, global const uchar *wanted,
                       constant uchar *kings, global const uint *window, const ulong items, const uint king_tiles,
                       const uint from_first, const uint from_count, const uint to_first, const uint to_count,
                       const uint locals, const uint pieces, const uint pair, const uint mode)
{
    const ulong item = get_global_id(0);
    if (item >= items)
        return;
    const uint word_bits = 3 * pieces - WORD_BITS_SHIFT - 1;
    const uint word = (uint)item & ((1u << word_bits) - 1);
    const uint number = (uint)(item >> word_bits);
    const uint others = number / to_count;
    const uint slab = number % to_count;
    const uint king = to_first + slab;
    // The first tile of the ten, were they all there: in a window others / king_tiles is the block.
    const uint rest = locals ? others + others / king_tiles * (TRIANGLE_SQUARES - 1) * king_tiles : others;
    if (!(wanted[king * king_tiles + rest] & 1))
        return;
    // Octal numbers: a 1 in every digit, and one where the diagonal flips, which is where u <= 5.
    uint none;
    const uint u = tile_digits(table_tile(rest, 0, window, locals), pieces, pair, &none);
    const uint ones = 011111111u & ((1u << 3 * pieces) - 1);
    const uint turning = ones & ~(u >> 2 & u >> 1);
    const uint turned = (word & ones << 2) | (word & ones) << 1 | (word >> 1 & ones);
    const uint2 invert = mode & KING_INVERT ? ~(uint)0 : 0;
    uint2 moves = 0;
    uint2 gathered = 0;
    uint step = kings[KING_STEP_AT(king)];
    for (uint i = 1; step != NO_STEP; i++) {
        const uint to = step & 15;
        const uint g = step >> 4;
        const uint flips = (g & 3) * ones ^ (g & 4 ? turning << 2 : 0);
        const bool held = to >= from_first && to < from_first + from_count;
        if (held && (mode & KING_INVERT || in_active[to * king_tiles + rest])) {
            const uint source = (g & 4 ? turned : word) ^ flips >> 6;
            gathered |= in[((ulong)((to - from_first) * king_tiles + rest) << word_bits) + source] ^ invert;
        }
        step = kings[KING_STEP_AT(king) + i];
        if (step >> 4 != g) {
            moves |= permute(gathered, flips, (g & 4) != 0);
            gathered = 0;
        }
    }
    const ulong at = ((ulong)(slab * king_tiles + rest) << word_bits) + word;
    if (mode & KING_STORE)
        out[at] = moves;
    else if (moves.x | moves.y)
        out[at] |= moves;
}
