// pawns.cl - attacks of the pawns of a slice on the enemy king
//
//     plane |= entries in which a pawn attacks the king's square and shares its own with no enemy
//
// Layouts of slices only. Index space: one item = one word of a run of tiles, 1-dimensional: all its lanes are of one slice. Any
// work-group shape; no local memory. Reads 16 B for each pawn; reads and writes a word where there is anything to mark: 8 B an
// item.
#include "tile.h"

// fixed, shape: tile.h. targets: [64][2], the codes of the squares that a pawn on a square attacks, or NO_SQUARE. pawns, enemies:
// sets of men. king: its digit.
kernel void pawn_attacks(global uint *plane, global const uchar *fixed, constant uchar *targets, const ulong items,
                         const uint first_tile, const uint4 shape, const uint pawns, const uint enemies, const uint king)
{
    const ulong item = get_global_id(0);
    if (item >= items)
        return;
    const uint pieces = PIECES(shape);
    const uint men = pieces + FIXED(shape);
    const uint word_bits = 3 * pieces - WORD_BITS_SHIFT;
    const uint word = (uint)item & ((1u << word_bits) - 1);
    uint head;
    const uint u = tile_digits(first_tile + (uint)(item >> word_bits), PLACED(shape), PAIRED(shape), &head);
    global const uchar *codes = fixed + FIXED_STRIDE * slice_of(head, word, shape);
    lane_t attacked = 0;
    for (uint p = pieces; p < men; p++) {
        const uint code = codes[p - pieces];
        if (!(pawns >> p & 1) || code >= 64)
            continue;
        lane_t lanes = 0;
        for (uint i = 0; i < 2; i++) {
            const uint target = targets[2 * code + i];
            if (target != NO_SQUARE)
                lanes |= man_lanes(king, target, u, word, pieces, codes);
        }
        for (uint q = 0; q < men && lanes; q++) {
            if (enemies >> q & 1)
                lanes &= ~man_lanes(q, code, u, word, pieces, codes);
        }
        attacked |= lanes;
    }
    if (attacked)
        plane[item] |= attacked;
}
