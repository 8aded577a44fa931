// finish.cl - the end of a step: the new bits, where they go, and how many they are
//
//     finish   new = (moves | extra) & ~closed       (or ~moves & ~closed)
//              closed |= new;  fresh = new;  count += bits of new;  active[tile] = 1 where there are any
//     record   plane |= fresh, for up to RECORD_PLANES planes
//
// Example: moves 1101, closed 0100, inverted: new = 0010 & 1011 = 0010, closed becomes 0110, and fresh 0010.
//
// Index space of both: one item = 4 words (16 B), 1-dimensional over a run of tiles.
//
// finish: work-groups of any size in one dimension; 8 B of local memory, in which a work-group adds up its new bits and
// their weights (layout_tile_weight()) before they go to counter[group % STEP_COUNTERS] and STEP_COUNTERS words behind:
// none of those can overflow 32 bits up to 10^12 entries. Reads 32 B (48 with extra), writes 16 B, and 16 B more where
// there is a new bit. Items of tiles that are not wanted read a flag and, if the fresh plane has old bits there, write
// 16 B.
//
// record: any work-group shape; no local memory. Reads 16 B, and reads and writes 32 B for each plane where there is a
// new bit; in tiles without one only a flag. Kernels have eight parameters at most, hence the second launch.
#include "tile.h"

static inline uint tile_weight(struct finish_launch launch, uint tile)
{
    if (launch.king_tiles == 0)
        return 1;
    const bool diagonal = launch.diagonal >> tile / launch.king_tiles & 1;
    const bool alike = launch.alike >> (tile >> launch.pair_shift) % PAIR_TILES & 1;
    return (diagonal ? 1 : 2) * (alike ? 1 : 2);
}

// active, wanted: [tiles of the whole table]; active is the flags of `fresh`.
kernel void finish(global const uint4 *moves, global const uint4 *extra, global uint4 *closed, global uint4 *fresh,
                   global uchar *active, global const uchar *wanted, global uint *counter,
                   const struct finish_launch launch)
{
    local uint sum;
    local uint weight;
    if (get_local_id(0) == 0)
        sum = weight = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong item = get_global_id(0);
    const uint tile = launch.first_tile + (uint)(item >> launch.tile_shift);
    const uint want = item < launch.items ? wanted[tile] : 0;
    uint4 found = 0;
    if (want & 1) {
        uint4 value = moves[item];
        if (launch.mode & FINISH_EXTRA)
            value |= extra[item];
        if (launch.mode & FINISH_INVERT)
            value = ~value;
        const uint4 before = closed[item];
        found = value & ~before;
        if (any(found != (uint4)0)) {
            closed[item] = before | found;
            active[tile] = 1;
            const uint4 bits = popcount(found);
            const uint count = bits.x + bits.y + bits.z + bits.w;
            atomic_add(&sum, count);
            atomic_add(&weight, count * tile_weight(launch, tile));
        }
    }
    if (want)
        fresh[item] = found;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && sum > 0) {
        global uint *own = counter + launch.first_counter + get_group_id(0) % STEP_COUNTERS;
        atomic_add(own, sum);
        atomic_add(own + STEP_COUNTERS, weight);
    }
}

// active: flags of `fresh`. Only the first launch.planes planes are used.
kernel void record(global const uint4 *fresh, global const uchar *active, global uint4 *first, global uint4 *second,
                   global uint4 *third, global uint4 *fourth, const struct finish_launch launch)
{
    const ulong item = get_global_id(0);
    if (item >= launch.items || !active[launch.first_tile + (uint)(item >> launch.tile_shift)])
        return;
    const uint4 found = fresh[item];
    if (!any(found != (uint4)0))
        return;
    first[item] |= found;
    if (launch.planes > 1)
        second[item] |= found;
    if (launch.planes > 2)
        third[item] |= found;
    if (launch.planes > 3)
        fourth[item] |= found;
}
