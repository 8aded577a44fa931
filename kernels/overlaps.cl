// overlaps.cl - marks the entries in which certain pairs of men share a square
//
//     plane |= entries with square(p) == square(q) for one of the pairs, and those of slices that are padding
//
// Index space: one item = one word of a run of tiles, 1-dimensional. Any work-group shape; no local memory. Reads and
// writes a word where there is anything to mark: 8 B an item; and 8 B in a window.
#include "tile.h"

// fixed, window: see tile.h.
kernel void overlaps(global uint *plane, global const uchar *fixed, global const uint *window,
                     const struct table_shape shape, const struct overlaps_launch launch)
{
    const ulong item = get_global_id(0);
    if (item >= launch.items)
        return;
    const uint men = shape.pieces + shape.fixed;
    const uint word_bits = 3 * shape.pieces - WORD_BITS_SHIFT;
    const uint word = (uint)item & ((1u << word_bits) - 1);
    const uint tile = (uint)(item >> word_bits);
    const struct place place = place_of(table_tile(tile, launch.first_tile, shape, window), word, shape, fixed);
    lane_t lanes = place.slice < shape.slices ? 0 : ~(lane_t)0;
    for (uint p = 0; p + 1 < men; p++) {
        for (uint q = p + 1; q < men; q++) {
            if (launch.pairs[p] >> q & 1)
                lanes |= shared_lanes(p, q, place, shape.pieces);
        }
    }
    if (lanes)
        plane[item] |= lanes;
}
