// reach.cl - which tiles a step can change: those with a move into an active tile
//
//     wanted[tile] = 1 if some tile that one move of the side leads to is active, or everything is wanted, or the tile
//                    has extra bits;  | 2 if the fresh plane still has old bits there
//     fresh[tile] = 0
//
// It also zeroes the counters that `finish` will add to.
//
// Index space: one item = one tile of the whole table, or of a window, and one counter, 1-dimensional: as many items as
// the larger of the two. Any work-group shape; no local memory. Reads up to 8 flags for each moving man and one each of
// extra and fresh, writes two: about 50 B an item.
#include "tile.h"

// active, extra, fresh, wanted: [tiles]. kings: tile.h.
kernel void reach(global const uchar *active, global const uchar *extra, global uchar *fresh, global uchar *wanted,
                  constant uchar *kings, global uint *counter, const struct table_shape shape,
                  const struct reach_launch launch)
{
    const uint tile = (uint)get_global_id(0);
    if (tile < 2 * STEP_COUNTERS)
        counter[launch.first_counter + tile] = 0;
    if (tile >= launch.tiles)
        return;
    const bool stale = launch.mode & REACH_STALE || fresh[tile];
    bool reached = launch.mode & REACH_ALL || (launch.mode & REACH_EXTRA && extra[tile]);
    for (uint q = 0; q < shape.placed && !reached; q++) {
        if (!(launch.movers >> q & 1))
            continue;
        const uint shift = place_shift(shape, q);
        const bool paired = shape.pair && q >= shape.placed - 2;
        const uint number = (tile >> shift) % PAIR_TILES;
        const uint partner = paired ? digit_at(pair_digits(number), q == shape.placed - 1 ? 0 : 1) : 0;
        const uint first = paired ? tile - (number << shift) : tile & ~(7u << shift);
        for (uint u = 0; u < 8; u++)
            reached |= active[first + ((paired ? pair_number(u, partner) : u) << shift)] != 0;
    }
    const uint king = tile / shape.king_tiles % TRIANGLE_SQUARES;
    for (uint i = 0; i < KING_STEPS && launch.movers >> shape.placed & 1 && !reached; i++) {
        const uint step = kings[KING_STEPS * king + i];
        if (step == NO_STEP)
            break;
        reached = active[tile - king * shape.king_tiles + (step & 15) * shape.king_tiles];
    }
    wanted[tile] = (reached ? 1 : 0) | (stale ? 2 : 0);
    fresh[tile] = 0;
}
