// import.cl - the bits of a futurebase at the overlap entries in which another man has just captured one
//
//     plane |= sub(without the captured man) ^ flip      where an enemy shares the captured man's square
//
// The futurebase has the same pieces in the same order without the captured one (word_without() in tile.h). Layouts without pawns
// only: those of slices have slabs.cl.
//
// Index space: one item = one word of a run of tiles, 1-dimensional. Any work-group shape; no local memory. Most items only
// compare digits; those with an overlap read a word of the futurebase, and read and write a word: 12 B. In a window 8 B more.
#include "tile.h"

#define IMPORT_INVERT 1 // take ~sub
#define IMPORT_EMPTY  2 // sub is all zero and not there

// captured: its digit. enemies: bits of the men that may stand on it. first_tile: that of the whole table at which plane[] begins;
// window, locals: tile.h. sub: from tile first_sub on; in a window, one tile for each of plane[], from place first_sub on. The items
// are the words first_item .. items - 1.
kernel void import(global uint *plane, global const uint *sub, global const uchar *fixed, global const uint *window,
                   const ulong first_item, const ulong items, const uint first_tile, const uint first_sub, const uint locals,
                   const uint4 shape, const uint sub_pieces, const uint captured, const uint enemies, const uint mode)
{
    const ulong item = first_item + get_global_id(0);
    if (item >= items)
        return;
    const uint pieces = PIECES(shape);
    const uint word_bits = 3 * pieces - WORD_BITS_SHIFT;
    const uint word = (uint)item & ((1u << word_bits) - 1);
    uint king;
    const uint place = (uint)(item >> word_bits);
    const uint u = tile_digits(table_tile(place, first_tile, window, locals), PLACED(shape), PAIRED(shape), &king);
    lane_t lanes = 0;
    for (uint q = 0; q <= pieces; q++) {
        if (q != captured && enemies >> q & 1)
            lanes |= shared_lanes(min(q, captured), max(q, captured), u, word, pieces, fixed + FIXED_STRIDE * king);
    }
    if (!lanes)
        return;
    lane_t bits = 0;
    if (!(mode & IMPORT_EMPTY)) {
        const uint tile = locals ? place : (king << 3 * sub_pieces) + digit_remove(u, 3 * captured);
        global const uint *from = sub + ((ulong)(tile - first_sub) << (3 * sub_pieces - WORD_BITS_SHIFT));
        bits = word_without(from, word, captured);
    }
    if (mode & IMPORT_INVERT)
        bits = ~bits;
    if (lanes & bits)
        plane[item] |= lanes & bits;
}
