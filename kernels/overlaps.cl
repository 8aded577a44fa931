// overlaps.cl - marks the entries in which certain pairs of men share a square
//
//     plane |= entries with square(p) == square(q) for one of the pairs, and those of slices that are padding
//
// Index space: one item = RUN_WORDS words of a tile of a run of tiles, 1-dimensional. Any work-group shape; no local
// memory. Reads and writes a word where there is anything to mark: 32 B an item at most; and 8 B in a window. Most
// pairs stand apart in the whole tile, which is found out once an item.
#include "tile.h"

// fixed, window: see tile.h.
kernel void overlaps(global uint *plane, global const uchar *fixed, global const uint *window,
                     const struct table_shape shape, const struct overlaps_launch launch)
{
    const ulong item = get_global_id(0);
    if (item >= launch.items)
        return;
    const uint men = shape.pieces + shape.fixed;
    struct place place[RUN_WORDS];
    lane_t lanes[RUN_WORDS];
    run_places(RUN_WORDS * item, launch.first_tile, shape, fixed, window, place);
#pragma unroll
    for (uint n = 0; n < RUN_WORDS; n++)
        lanes[n] = place[n].slice < shape.slices ? 0 : ~(lane_t)0;
    for (uint p = 0; p + 1 < men; p++) {
        for (uint q = p + 1; q < men; q++) {
            if (!(launch.pairs[p] >> q & 1) || !may_share(p, q, place[0].u, shape.pieces))
                continue;
#pragma unroll
            for (uint n = 0; n < RUN_WORDS; n++)
                lanes[n] |= shared_lanes(p, q, place[n], shape.pieces);
        }
    }
#pragma unroll
    for (uint n = 0; n < RUN_WORDS; n++) {
        if (lanes[n])
            plane[RUN_WORDS * item + n] |= lanes[n];
    }
}
