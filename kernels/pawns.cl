// pawns.cl - attacks of the pawns of a slice on the enemy king
//
//     plane |= entries in which a pawn attacks the king's square and shares its own with no enemy
//
// Layouts of slices only. Index space: one item = one word of a run of tiles, 1-dimensional: all its lanes belong to
// one slice. Any work-group shape; no local memory. Reads 16 B for each pawn; reads and writes a word where there is
// anything to mark: 8 B an item.
#include "tile.h"

// fixed, window: see tile.h. targets: [64][2], the codes of the squares that a pawn on a square attacks, or NO_SQUARE.
kernel void pawn_attacks(global uint *plane, global const uchar *fixed, global const uint *window,
                         constant uchar *targets, const struct table_shape shape, const struct pawns_launch launch)
{
    const ulong item = get_global_id(0);
    if (item >= launch.items)
        return;
    const uint pieces = shape.pieces;
    const uint men = pieces + shape.fixed;
    const uint word_bits = 3 * pieces - WORD_BITS_SHIFT;
    const uint word = (uint)item & ((1u << word_bits) - 1);
    const uint tile = (uint)(item >> word_bits);
    const struct place place = place_of(table_tile(tile, launch.first_tile, shape, window), word, shape, fixed);
    lane_t attacked = 0;
    for (uint p = pieces; p < men; p++) {
        const uint code = place.codes[p - pieces];
        if (!(launch.pawns >> p & 1) || code == NO_SQUARE)
            continue;
        lane_t lanes = 0;
        for (uint i = 0; i < 2; i++)
            lanes |= man_lanes(launch.king, targets[2 * code + i], place, pieces);
        for (uint q = 0; q < men && lanes; q++) {
            if (launch.enemies >> q & 1)
                lanes &= ~man_lanes(q, code, place, pieces);
        }
        attacked |= lanes;
    }
    if (attacked)
        plane[item] |= attacked;
}
