// import.cl - the bits of a futurebase at the overlap entries in which another man has just captured one
//
//     plane |= sub(without the captured man) ^ inverted      where an enemy shares the captured man's square
//
// The futurebase has the same pieces in the same order without the captured one (word_without() in tile.h). Layouts
// without pawns only: those of slices have slabs.cl.
//
// Index space: one item = one word of a run of tiles, 1-dimensional. Any work-group shape; no local memory. Most items
// only compare digits; those with an overlap read a word of the futurebase, and read and write a word: 12 B. In a
// window 8 B more.
#include "tile.h"

// fixed, window: see tile.h. sub: begins with tile launch.first_sub; in a window it has one tile for each of plane[].
// The items are the words launch.first_item to launch.items - 1.
kernel void import(global uint *plane, global const uint *sub, global const uchar *fixed, global const uint *window,
                   const struct table_shape shape, const struct import_launch launch)
{
    const ulong item = launch.first_item + get_global_id(0);
    if (item >= launch.items)
        return;
    const uint captured = launch.captured;
    const uint word_bits = 3 * shape.pieces - WORD_BITS_SHIFT;
    const uint word = (uint)item & ((1u << word_bits) - 1);
    const uint tile = (uint)(item >> word_bits);
    const struct place place = place_of(table_tile(tile, launch.first_tile, shape, window), word, shape, fixed);
    lane_t lanes = 0;
    for (uint q = 0; q <= shape.pieces; q++) {
        if (q != captured && launch.enemies >> q & 1)
            lanes |= shared_lanes(q, captured, place, shape.pieces);
    }
    if (!lanes)
        return;
    lane_t bits = 0;
    if (!(launch.mode & IMPORT_EMPTY)) {
        const uint sub_bits = 3 * launch.sub_pieces;
        const uint king = place.slice;
        const uint from = shape.locals ? tile : (king << sub_bits) + digit_remove(place.u, 3 * captured);
        bits = word_without(sub + ((ulong)(from - launch.first_sub) << (sub_bits - WORD_BITS_SHIFT)), word, captured);
    }
    if (launch.mode & IMPORT_INVERT)
        bits = ~bits;
    if (lanes & bits)
        plane[item] |= lanes & bits;
}
