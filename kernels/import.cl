// import.cl - the bits of a futurebase at the overlap entries in which another man has just captured one
//
//     plane |= sub(without the captured man) ^ flip      where an enemy shares the captured man's square
//
// The futurebase has the same pieces in the same order without the captured one, so its lane is this one's without a digit: a
// word of it is picked (the digit was a word's number), spread by bytes (digit 1) or spread by bits (digit 0).
//
// Index space: one item = one word of a run of tiles, 1-dimensional. Any work-group shape; no local memory. Most items only
// compare digits; those with an overlap read a word of the futurebase, and read and write a word: 12 B.
#include "tile.h"

#define IMPORT_INVERT 1 // take ~sub
#define IMPORT_EMPTY  2 // sub is all zero and not there

// captured: its digit. enemies: bits of the men that may stand on it. sub: from tile first_sub on.
kernel void import(global uint *plane, global const uint *sub, constant uchar *kings, const ulong items, const uint first_tile,
                   const uint first_sub, const uint pieces, const uint pair, const uint sub_pieces, const uint captured,
                   const uint enemies, const uint mode)
{
    const ulong item = get_global_id(0);
    if (item >= items)
        return;
    const uint word_bits = 3 * pieces - WORD_BITS_SHIFT;
    const uint word = (uint)item & ((1u << word_bits) - 1);
    uint king;
    const uint u = tile_digits(first_tile + (uint)(item >> word_bits), pieces, pair, &king);
    lane_t lanes = 0;
    for (uint q = 0; q <= pieces; q++) {
        if (q != captured && enemies >> q & 1)
            lanes |= shared_lanes(min(q, captured), max(q, captured), u, word, pieces, kings[king]);
    }
    if (!lanes)
        return;
    lane_t bits = 0;
    if (!(mode & IMPORT_EMPTY)) {
        const uint tile = (king << 3 * sub_pieces) + digit_remove(u, 3 * captured) - first_sub;
        global const uint *from = sub + ((ulong)tile << (3 * sub_pieces - WORD_BITS_SHIFT));
        if (captured >= 2) {
            bits = from[digit_remove(word, 3 * captured - 5)];
        } else {
            // digit 2 has come down to digit 1: one byte of 8 lanes
            const uint l = word >> 1 & 7;
            const uint byte = from[(word >> 4 << 1) + (l >> 2)] >> 8 * (l & 3) & 0xff;
            if (captured == 1) {
                bits = byte * 0x01010101u;
            } else {
                for (uint i = 0; i < 4; i++)
                    bits |= (byte >> (4 * (word & 1) + i) & 1) * (lane_t)0xff << 8 * i;
            }
        }
    }
    if (mode & IMPORT_INVERT)
        bits = ~bits;
    if (lanes & bits)
        plane[item] |= lanes & bits;
}
