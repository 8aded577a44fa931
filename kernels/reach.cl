// reach.cl - which tiles a step can change: those with a move into an active tile
//
//     wanted[tile] = 1 if some tile that one move of the side leads to is active, or everything is wanted, or the tile has extra
//                    bits;  | 2 if the fresh plane still has old bits there
//     fresh[tile] = 0
//
// Index space: one item = one tile of the whole table, or of a window, 1-dimensional. Any work-group shape; no local memory. Reads up to 8 flags
// for each moving man and one each of extra and fresh, writes two: about 50 B an item.
#include "tile.h"

#define REACH_ALL   1 // every tile is wanted
#define REACH_EXTRA 2 // extra[] counts
#define REACH_STALE 4 // fresh[] tells nothing: there may be old bits everywhere

// pieces: those with a u digit. movers: bit q = digit q moves, bit `pieces` = the black king moves. active, extra, fresh, wanted: [tiles].
// places: 4 bits a digit, the number of digits below it in a tile's place (tile.h), or below its pair. king_tiles: from one square
// of the king to the next.
kernel void reach(global const uchar *active, global const uchar *extra, global uchar *fresh, global uchar *wanted,
                  constant uchar *kings, const uint tiles, const uint king_tiles, const uint pieces, const uint pair,
                  const uint places, const uint movers, const uint mode)
{
    const uint tile = (uint)get_global_id(0);
    if (tile >= tiles)
        return;
    const bool stale = mode & REACH_STALE || fresh[tile];
    bool reached = mode & REACH_ALL || (mode & REACH_EXTRA && extra[tile]);
    for (uint q = 0; q < pieces && !reached; q++) {
        if (!(movers >> q & 1))
            continue;
        const uint shift = 3 * (places >> 4 * q & 15);
        const bool paired = pair && q >= pieces - 2;
        const uint number = (tile >> shift) % PAIR_TILES;
        const uint partner = paired ? digit_at(pair_digits(number), q == pieces - 1 ? 0 : 1) : 0;
        const uint first = paired ? tile - (number << shift) : tile & ~(7u << shift);
        for (uint u = 0; u < 8; u++)
            reached |= active[first + ((paired ? pair_number(u, partner) : u) << shift)] != 0;
    }
    const uint king = tile / king_tiles % TRIANGLE_SQUARES;
    for (uint i = 0; i < KING_STEPS && movers >> pieces & 1 && !reached; i++) {
        const uint step = kings[KING_STEP_AT(king) + i];
        if (step == NO_STEP)
            break;
        reached = active[tile - king * king_tiles + (step & 15) * king_tiles];
    }
    wanted[tile] = (reached ? 1 : 0) | (stale ? 2 : 0);
    fresh[tile] = 0;
}
