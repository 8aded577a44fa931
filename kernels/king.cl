// king.cl - the black king's moves: every word gathers from the tiles of the squares that the king can step to
//
//     out(king, lanes) |= OR over the steps (to, g) of in(to, g(lanes))
//
// where g is the symmetry that brings the step's target into the triangle: it keeps the u digits and permutes every l
// digit,
//
//     l -> (two low bits exchanged if g mirrors at the diagonal) ^ reversal
//
// which for all digits above the word at once is a few operations on the word's number. Steps with the same symmetry
// are gathered first, so that their lanes are permuted together.
//
// Example: the king steps from d4 to e4, which symmetry 1 (files reversed) brings back to d4: every l becomes l ^ 1,
// which is one delta swap for digit 0, one for digit 1, and word ^ 1 in each octal digit of the word's number.
//
// Index space: one item = RUN_WORDS double words (64 lanes, both halves of digit 1), 1-dimensional, [u digits][king's
// square][words of the tile], words fastest and then the king's squares, so that the 10 tiles which read each other are
// worked on at about the same time. An item finds out once for its words who steps where. in[] and out[] hold some
// squares of the black king; steps to squares that in[] does not hold are left to another launch. In a window of
// Black's blocks, which have all ten squares, the u digits begin with the block. Any work-group shape; no local memory.
// Reads up to 8 double words for each of its own (each word of in[] is read up to 8 times, by neighbours in time) and 9
// flags, reads and writes its own: at most 329 B an item; 8 B more in a window.
#include "tile.h"

static inline uint2 delta_swap(uint2 x, uint shift, uint low)
{
    const uint2 t = (x >> shift ^ x) & low;
    return x ^ t ^ t << shift;
}

// The source lanes as the result sees them: first reversed, then the low bits exchanged. reversal: its low 3 bits are
// XORed to digit 0, the bits above to digit 1.
static inline uint2 permute(uint2 x, uint reversal, bool diagonal)
{
    if (reversal & 1)
        x = delta_swap(x, 1, 0x55555555);
    if (reversal & 2)
        x = delta_swap(x, 2, 0x33333333);
    if (reversal & 4)
        x = delta_swap(x, 4, 0x0f0f0f0f);
    if (reversal & 8)
        x = delta_swap(x, 8, 0x00ff00ff);
    if (reversal & 16)
        x = delta_swap(x, 16, 0x0000ffff);
    if (reversal & 32)
        x = x.yx;
    if (diagonal) {
        x = delta_swap(x, 1, 0x22222222);
        x = delta_swap(x, 8, 0x0000ff00);
    }
    return x;
}

// What symmetry g does to all digits, as a number to be XORed to their octal number.
static inline uint reversal_of(uint g, uint ones, uint turning)
{
    return (g & 3) * ones ^ (g & 4 ? turning << 2 : 0);
}

// in_active, wanted: [tiles of the whole table, or of a window]. kings, window: see tile.h.
kernel void king_moves(global const uint2 *in, global uint2 *out, global const uchar *in_active,
                       global const uchar *wanted, constant uchar *kings, global const uint *window,
                       const struct table_shape shape, const struct king_launch launch)
{
    const ulong item = get_global_id(0);
    if (item >= launch.items)
        return;
    const uint pieces = shape.pieces;
    const uint king_tiles = shape.king_tiles;
    const uint word_bits = 3 * pieces - WORD_BITS_SHIFT - 1;
    const uint runs = (1u << word_bits) / RUN_WORDS; // in a tile
    const uint number = (uint)(item / runs);
    const uint others = number / launch.to_count;
    const uint square = number % launch.to_count;
    const uint king = launch.to_first + square;
    // The first of the ten tiles, if all were held: in a window, others / king_tiles is the block.
    const uint rest = shape.locals ? others + others / king_tiles * (TRIANGLE_SQUARES - 1) * king_tiles : others;
    if (!(wanted[king * king_tiles + rest] & 1))
        return;
    // Octal numbers: `ones` has a 1 in every digit, `turning` in those that the diagonal reverses: those with u <= 5.
    uint head;
    const uint u = tile_digits(table_tile(rest, 0, shape, window), shape, &head);
    const uint ones = 011111111u & ((1u << 3 * pieces) - 1);
    const uint turning = ones & ~(u >> 2 & u >> 1);
    const uint2 inverted = launch.mode & SWEEP_INVERT ? ~(uint)0 : 0;
    // First all steps, then all flags, then all words: each time eight loads that do not wait for one another.
    uint steps[KING_STEPS];
#pragma unroll
    for (uint i = 0; i < KING_STEPS; i++)
        steps[i] = kings[KING_STEPS * king + i];
    bool active[KING_STEPS - 1];
#pragma unroll
    for (uint i = 0; i < KING_STEPS - 1; i++) {
        const uint to = steps[i] & 15;
        const bool held = steps[i] != NO_STEP && to >= launch.from_first && to < launch.from_first + launch.from_count;
        active[i] = held && (launch.mode & SWEEP_INVERT || in_active[to * king_tiles + rest]);
    }
    global uint2 *target = out + ((ulong)(square * king_tiles + rest) << word_bits);
    const uint first = (uint)(item % runs) * RUN_WORDS;
#pragma unroll 1
    for (uint word = first; word < first + RUN_WORDS; word++) {
        const uint diagonal = (word & ones << 2) | (word & ones) << 1 | (word >> 1 & ones);
        uint2 from[KING_STEPS - 1];
#pragma unroll
        for (uint i = 0; i < KING_STEPS - 1; i++) {
            const uint g = steps[i] >> 4;
            const uint source = (g & 4 ? diagonal : word) ^ reversal_of(g, ones, turning) >> 6;
            const ulong tile = ((steps[i] & 15) - launch.from_first) * king_tiles + rest;
            from[i] = active[i] ? in[(tile << word_bits) + source] ^ inverted : (uint2)0;
        }
        uint2 moves = 0;
        uint2 gathered = 0;
#pragma unroll
        for (uint i = 0; i < KING_STEPS - 1; i++) {
            const uint g = steps[i] >> 4;
            gathered |= from[i];
            if (steps[i + 1] >> 4 != g) { // the last step of its symmetry
                moves |= permute(gathered, reversal_of(g, ones, turning), (g & 4) != 0);
                gathered = 0;
            }
        }
        if (launch.mode & SWEEP_STORE)
            target[word] = moves;
        else if (moves.x | moves.y)
            target[word] |= moves;
    }
}
