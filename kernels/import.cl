// import.cl - the bits of a futurebase at the overlap entries in which another man has just captured one
//
//     plane |= sub(without the captured man) ^ inverted      where an enemy shares the captured man's square
//
// The futurebase has the same pieces in the same order without the captured one (word_without() in tile.h). Layouts
// without pawns only: those of slices have slabs.cl.
//
// Index space: one item = RUN_WORDS words of a tile of a run of tiles, 1-dimensional. Any work-group shape; no local
// memory. Most items only compare digits; words with an overlap read a word of the futurebase, and are read and
// written: 48 B an item at most. In a window 8 B more.
#include "tile.h"

// fixed, window: see tile.h. sub: begins with tile launch.first_sub; in a window it has one tile for each of plane[].
// The items do the words launch.first_word to launch.end_word - 1.
kernel void import(global uint *plane, global const uint *sub, global const uchar *fixed, global const uint *window,
                   const struct table_shape shape, const struct import_launch launch)
{
    const ulong first = launch.first_word + RUN_WORDS * get_global_id(0);
    if (first >= launch.end_word)
        return;
    const uint captured = launch.captured;
    struct place place[RUN_WORDS];
    lane_t lanes[RUN_WORDS] = {0};
    lane_t any = 0;
    run_places(first, launch.first_tile, shape, fixed, window, place);
    for (uint q = 0; q <= shape.pieces; q++) {
        if (q == captured || !(launch.enemies >> q & 1) || !may_share(q, captured, place[0].u, shape.pieces))
            continue;
#pragma unroll
        for (uint n = 0; n < RUN_WORDS; n++) {
            lanes[n] |= shared_lanes(q, captured, place[n], shape.pieces);
            any |= lanes[n];
        }
    }
    if (!any)
        return;
    const uint sub_bits = 3 * launch.sub_pieces;
    const uint tile = (uint)(first >> (3 * shape.pieces - WORD_BITS_SHIFT));
    const uint from = shape.locals ? tile : (place[0].slice << sub_bits) + digit_remove(place[0].u, 3 * captured);
#pragma unroll
    for (uint n = 0; n < RUN_WORDS; n++) {
        if (!lanes[n])
            continue;
        lane_t bits = 0;
        if (!(launch.mode & IMPORT_EMPTY))
            bits = word_without(sub + ((ulong)(from - launch.first_sub) << (sub_bits - WORD_BITS_SHIFT)), place[n].word,
                                captured);
        if (launch.mode & IMPORT_INVERT)
            bits = ~bits;
        if (lanes[n] & bits)
            plane[first + n] |= lanes[n] & bits;
    }
}
