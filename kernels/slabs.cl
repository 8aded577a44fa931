// slabs.cl - the bits of many slabs into the slices of a plane: what pawn moves and captures lead to
//
//     plane |= slab(all pieces, or without one) ^ inverted      in certain entries of one slice, for each import of it
//
// The imports of a slice are a group; there can be thousands of groups. An item goes through its group's imports, so a
// word of the plane is read and written once however many they are, and by one item only. A slab has the layout's order
// without slice digits, so its words are the slice's in the same order, a run of 2^(3n-5) in each tile; a slab that
// lacks a piece gives word_without() (tile.h).
//
// Index space: one item = one word of one slice, [group][word of a slab], words fastest: 128 items a group for n = 2,
// 8192 for 3, 524288 for 4. Neighbouring items read neighbouring words of slabs, and write neighbouring words in runs
// of 2 (n = 2), 16 (n = 3) or whole slices. Any work-group shape; no local memory; the items of a work-group nearly
// always have the same group. Reads 16 B an import, 4 B of a slab for each import that has an entry in the word, and
// reads and writes a word where there is a bit: 8 B.
#include "tile.h"

// The lanes of a word that an import is for. how: man | at << SLAB_AT_SHIFT | where << SLAB_WHERE_SHIFT | ... high,
// low: for SLAB_TAKEN the men that may capture and 0, otherwise the squares that must be empty, bit = square code.
static inline lane_t slab_lanes(uint how, uint high, uint low, struct place place, struct table_shape shape)
{
    const uint pieces = shape.pieces;
    const uint man = how & 0xff;
    const uint where = how >> SLAB_WHERE_SHIFT & 0xff;
    lane_t lanes = where == SLAB_ALL ? ~(lane_t)0 : 0;
    if (where == SLAB_AT)
        lanes = man_lanes(man, how >> SLAB_AT_SHIFT & 0xff, place, pieces);
    for (uint q = 0; q < pieces + shape.fixed && where == SLAB_TAKEN; q++) {
        if (high >> q & 1)
            lanes |= shared_lanes(q, man, place, pieces);
    }
    if (where == SLAB_TAKEN || !(high | low))
        return lanes;
    for (uint q = 0; q < shape.placed && lanes; q++) {
        const uint u = digit_at(place.u, q);
        const uint squares = (u < 4 ? low : high) >> 8 * (u & 3) & 0xff;
        for (uint l = 0; l < 8; l++) {
            if (squares >> l & 1)
                lanes &= ~digit_lanes(q, l, place.word);
        }
    }
    return lanes;
}

// slabs: the words of all slabs. imports: x = where a slab begins in slabs[], y = `high`, z = `how`, w = `low`. groups:
// [groups + 1], x = slice, y = its first import. fixed: see tile.h. first_head: the slice / 8^d at which plane[]
// begins.
kernel void import_slabs(global uint *plane, global const uint *slabs, global const uint4 *imports,
                         global const uint2 *groups, global const uchar *fixed, const ulong items,
                         const uint first_head, const struct table_shape shape)
{
    const ulong item = get_global_id(0);
    if (item >= items)
        return;
    const uint placed = shape.placed;
    const uint run_bits = 3 * placed - WORD_BITS_SHIFT; // a tile has 2^run_bits words of a slice
    const uint slab_bits = run_bits + 3 * placed;
    const uint group = (uint)(item >> slab_bits);
    const uint at = (uint)item & ((1u << slab_bits) - 1);
    const uint word = at & ((1u << run_bits) - 1);
    const uint slice = groups[group].x;
    const uint end = groups[group + 1].y;
    const struct place place = {at >> run_bits, word, slice, fixed + FIXED_STRIDE * slice};
    lane_t found = 0;
    for (uint i = groups[group].y; i < end; i++) {
        const uint4 from = imports[i];
        const uint man = from.z & 0xff;
        const lane_t lanes = slab_lanes(from.z, from.y, from.w, place, shape);
        if (!lanes)
            continue;
        lane_t bits = 0;
        global const uint *slab = slabs + from.x;
        if (!(from.z & (SLAB_EMPTY | SLAB_WITHOUT)))
            bits = slab[at];
        else if (!(from.z & SLAB_EMPTY))
            bits = word_without(slab + ((ulong)digit_remove(place.u, 3 * man) << (run_bits - 3)), word, man);
        found |= lanes & (from.z & SLAB_INVERT ? ~bits : bits);
    }
    if (!found)
        return;
    const uint low_digits = 3 * (shape.pieces - placed);
    const uint tile = ((slice >> low_digits) - first_head) << 3 * placed | place.u;
    const uint low = slice & ((1u << low_digits) - 1);
    plane[(ulong)tile << (run_bits + low_digits) | low << run_bits | word] |= found;
}
