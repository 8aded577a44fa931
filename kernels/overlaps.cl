// overlaps.cl - marks the entries in which certain pairs of men share a square
//
//     plane |= entries with square(p) == square(q) for one of the pairs, and those of slices that are padding
//
// Index space: one item = one word of a run of tiles, 1-dimensional. Any work-group shape; no local memory. Reads and writes a
// word where there is anything to mark: 8 B an item; and 8 B in a window.
#include "tile.h"

// pairs: [men] in constant memory, bit q of pairs[p] for p < q; men are digits and fixed men. fixed, shape: tile.h. slices: those
// that are no padding. first_tile: that of the whole table at which plane[] begins; window, locals: tile.h.
kernel void overlaps(global uint *plane, global const uchar *fixed, constant uint *pairs, global const uint *window,
                     const ulong items, const uint first_tile, const uint locals, const uint4 shape, const uint slices)
{
    const ulong item = get_global_id(0);
    if (item >= items)
        return;
    const uint pieces = PIECES(shape);
    const uint men = pieces + FIXED(shape);
    const uint word_bits = 3 * pieces - WORD_BITS_SHIFT;
    const uint word = (uint)item & ((1u << word_bits) - 1);
    uint king;
    const uint tile = table_tile((uint)(item >> word_bits), first_tile, window, locals);
    const uint u = tile_digits(tile, PLACED(shape), PAIRED(shape), &king);
    const uint slice = slice_of(king, word, shape);
    global const uchar *codes = fixed + FIXED_STRIDE * slice;
    lane_t lanes = slice < slices ? 0 : ~(lane_t)0;
    for (uint p = 0; p + 1 < men; p++) {
        for (uint q = p + 1; q < men; q++) {
            if (pairs[p] >> q & 1)
                lanes |= shared_lanes(p, q, u, word, pieces, codes);
        }
    }
    if (lanes)
        plane[item] |= lanes;
}
