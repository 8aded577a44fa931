// finish.cl - the end of a step: the new bits, where they go, and how many they are
//
//     new = (moves | extra) & ~closed       (or ~moves & ~closed)
//     closed |= new;  fresh = new;  plane[i] |= new;  count += bits of new;  active[tile] = 1 where there are any
//
// Index space: one item = 4 words (16 B), 1-dimensional over a run of tiles. Work-groups of any size in one dimension; 4 B of
// local memory, in which the counts of a work-group are added before they go to counter[group % COUNTERS]: none of those can
// overflow 32 bits up to 10^12 entries. Reads 32 B (48 with extra), writes 16 B, and where there is a new bit 16 B for closed
// and 32 B for each further plane. Items of tiles that are not wanted read a flag and, if the fresh plane has old bits
// there, write 16 B.
#include "tile.h"

#ifndef COUNTERS
#define COUNTERS 1024
#endif

#define FINISH_INVERT 1
#define FINISH_EXTRA  2

// first_tile: the tile of the whole table at which the planes' parts begin. active, wanted: [tiles of the whole table].
kernel void finish(global const uint4 *moves, global const uint4 *extra, global uint4 *closed, global uint4 *fresh,
                   global uint4 *p0, global uint4 *p1, global uint4 *p2, global uint4 *p3, global uint4 *p4, global uint4 *p5,
                   global uint4 *p6, global uint4 *p7, global uint4 *p8, global uint4 *p9, global uchar *active, global const uchar *wanted,
                   global uint *counter, const ulong items, const uint first_tile, const uint pieces, const uint planes,
                   const uint mode)
{
    local uint sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong item = get_global_id(0);
    const uint tile = first_tile + (uint)(item >> (3 * pieces - WORD_BITS_SHIFT - 2));
    const uint want = item < items ? wanted[tile] : 0;
    uint4 new = 0;
    if (want & 1) {
        uint4 value = moves[item];
        if (mode & FINISH_EXTRA)
            value |= extra[item];
        if (mode & FINISH_INVERT)
            value = ~value;
        const uint4 before = closed[item];
        new = value & ~before;
        if (any(new != (uint4)0)) {
            closed[item] = before | new;
            if (planes > 0)
                p0[item] |= new;
            if (planes > 1)
                p1[item] |= new;
            if (planes > 2)
                p2[item] |= new;
            if (planes > 3)
                p3[item] |= new;
            if (planes > 4)
                p4[item] |= new;
            if (planes > 5)
                p5[item] |= new;
            if (planes > 6)
                p6[item] |= new;
            if (planes > 7)
                p7[item] |= new;
            if (planes > 8)
                p8[item] |= new;
            if (planes > 9)
                p9[item] |= new;
            active[tile] = 1;
            const uint4 bits = popcount(new);
            atomic_add(&sum, bits.x + bits.y + bits.z + bits.w);
        }
    }
    if (want)
        fresh[item] = new;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && sum > 0)
        atomic_add(counter + get_group_id(0) % COUNTERS, sum);
}
