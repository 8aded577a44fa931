// overlaps.cl - marks the entries in which certain pairs of men share a square
//
//     plane |= entries with square(p) == square(q) for one of the pairs
//
// Index space: one item = one word of a run of tiles, 1-dimensional. Any work-group shape; no local memory. Reads and writes a
// word where there is anything to mark: 8 B an item.
#include "tile.h"

// pairs: [pieces + 1] in constant memory, bit q of pairs[p] for p < q; men are digits, the black king is man `pieces`.
kernel void overlaps(global uint *plane, constant uchar *kings, constant uint *pairs, const ulong items, const uint first_tile,
                     const uint pieces, const uint pair)
{
    const ulong item = get_global_id(0);
    if (item >= items)
        return;
    const uint word_bits = 3 * pieces - WORD_BITS_SHIFT;
    const uint word = (uint)item & ((1u << word_bits) - 1);
    uint king;
    const uint u = tile_digits(first_tile + (uint)(item >> word_bits), pieces, pair, &king);
    lane_t lanes = 0;
    for (uint p = 0; p < pieces; p++) {
        for (uint q = p + 1; q <= pieces; q++) {
            if (pairs[p] >> q & 1)
                lanes |= shared_lanes(p, q, u, word, pieces, kings[king]);
        }
    }
    if (lanes)
        plane[item] |= lanes;
}
