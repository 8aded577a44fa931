// reach.cl - which tiles a step can change: those with a move into an active tile
//
//     wanted[tile] = 1 if some tile that one move of the side leads to is active, or everything is wanted, or the tile has extra
//                    bits;  | 2 if the fresh plane still has old bits there
//     fresh[tile] = 0
//
// Index space: one item = one tile of the whole table, 1-dimensional. Any work-group shape; no local memory. Reads up to 8 flags
// for each moving man and one each of extra and fresh, writes two: about 50 B an item.
#include "tile.h"

#define REACH_ALL   1 // every tile is wanted
#define REACH_EXTRA 2 // extra[] counts
#define REACH_STALE 4 // fresh[] tells nothing: there may be old bits everywhere

// pieces: those with a u digit. movers: bit q = digit q moves, bit `pieces` = the black king moves. active, extra, fresh, wanted: [tiles].
kernel void reach(global const uchar *active, global const uchar *extra, global uchar *fresh, global uchar *wanted,
                  constant uchar *kings, const uint tiles, const uint king_tiles, const uint pieces, const uint pair,
                  const uint movers, const uint mode)
{
    const uint tile = (uint)get_global_id(0);
    if (tile >= tiles)
        return;
    const bool stale = mode & REACH_STALE || fresh[tile];
    bool reached = mode & REACH_ALL || (mode & REACH_EXTRA && extra[tile]);
    uint king;
    const uint digits = tile_digits(tile, pieces, pair, &king);
    const uint below = 3 * (pieces - 2);
    for (uint q = 0; q < pieces && !reached; q++) {
        if (!(movers >> q & 1))
            continue;
        for (uint u = 0; u < 8; u++) {
            uint to;
            if (pair && q >= pieces - 2) {
                const uint both = king * PAIR_TILES + pair_number(u, digit_at(digits, 2 * pieces - 3 - q));
                to = (tile & ((1u << below) - 1)) | both << below;
            } else {
                to = (tile & ~(7u << 3 * q)) | u << 3 * q;
            }
            reached |= active[to] != 0;
        }
    }
    for (uint i = 0; i < KING_STEPS && movers >> pieces & 1 && !reached; i++) {
        const uint step = kings[KING_STEP_AT(king) + i];
        if (step == NO_STEP)
            break;
        reached = active[(step & 15) * king_tiles + tile % king_tiles];
    }
    wanted[tile] = (reached ? 1 : 0) | (stale ? 2 : 0);
    fresh[tile] = 0;
}
