// pick.cl - puts together a list of the words in which some entry is to be looked at
//
//     An entry has two codes, one for each side to move, with a bit of each of that side's planes. It is picked if
//     classes[White's code] & classes[PICK_CODES + Black's code] is not 0, and a word if one of its entries is.
//
//     1. If all bits of a word are 0, its entries have the codes 0 and 0.
//     2. Otherwise eight codes are put together at a time: shifted and masked, a word of a plane has the bits of the
//        entries lane, lane + 8, ... in the lowest bits of its bytes.
//     3. A work-group counts its words in local memory, and reserves places for them in the list by one addition.
//
// Example: of the planes 1010 (bit 0 of a code) and 0110 (bit 1) entry 0, on the right, has the code 0, entry 1 has 3.
//
// planes: a piece of each plane, launch.stride words of 64 bits apart. number, list: [room] and [planes][room] of the
// words picked, as far as there is room; counter: how many there are.
//
// Index space: one item = a word of 64 entries, 1-dimensional. Work-groups of any size; 8 B of local memory. Reads 8 B
// of each plane, and for each entry two look-ups of 1 B in 4 KB; writes 8 B for each plane and 4 if the word is picked.
#include "launch.h"

// Gives bit `number` to the codes of eight entries, a byte each.
static inline uint2 spread(uint2 plane, uint lane, uint number)
{
    return (plane >> lane & 0x01010101u) << number;
}

// The classes of four of these entries in both of White's and Black's codes. low, high: bits 0 to 7 of codes, the rest.
static inline uint common(global const uchar *classes, uint white_low, uint white_high, uint black_low, uint black_high)
{
    uint found = 0;
#pragma unroll
    for (uint shift = 0; shift < 32; shift += 8) {
        const uint white = (white_low >> shift & 0xff) + ((white_high >> shift & 0xff) << 8);
        const uint black = (black_low >> shift & 0xff) + ((black_high >> shift & 0xff) << 8);
        found |= classes[white] & classes[PICK_CODES + black];
    }
    return found;
}

static inline bool is_picked(global const uint2 *planes, global const uchar *classes, const struct pick_launch *launch,
                             uint word)
{
    uint2 plane[2 * PICK_BITS];
    uint2 all = 0;
    uint found = 0;
#pragma unroll
    for (uint i = 0; i < 2 * PICK_BITS; i++) {
        plane[i] = 0;
        if (launch->slot[i] != PICK_NONE)
            plane[i] = planes[(ulong)launch->slot[i] * launch->stride + word];
        all |= plane[i];
    }
    if ((all.x | all.y) == 0)
        return classes[0] & classes[PICK_CODES];
#pragma unroll 1
    for (uint lane = 0; lane < 8; lane++) {
        uint2 low[2] = {0, 0};
        uint2 high[2] = {0, 0};
#pragma unroll
        for (uint bit = 0; bit < 8; bit++) {
            low[0] |= spread(plane[bit], lane, bit);
            low[1] |= spread(plane[PICK_BITS + bit], lane, bit);
        }
#pragma unroll
        for (uint bit = 8; bit < PICK_BITS; bit++) {
            high[0] |= spread(plane[bit], lane, bit - 8);
            high[1] |= spread(plane[PICK_BITS + bit], lane, bit - 8);
        }
        found |= common(classes, low[0].x, high[0].x, low[1].x, high[1].x);
        found |= common(classes, low[0].y, high[0].y, low[1].y, high[1].y);
    }
    return found != 0;
}

kernel void pick_words(global const uint2 *planes, global const uchar *classes, global uint2 *list, global uint *number,
                       global uint *counter, const struct pick_launch launch)
{
    local uint count;
    local uint first;
    const uint item = (uint)get_global_id(0);
    const uint word = launch.first + item;
    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool picked = item < launch.items && is_picked(planes, classes, &launch, word);
    const uint place = picked ? atomic_add(&count, 1u) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && count > 0)
        first = atomic_add(counter, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!picked || first + place >= launch.room)
        return;
    number[first + place] = word;
    for (uint i = 0; i < launch.planes; i++)
        list[(ulong)i * launch.room + first + place] = planes[(ulong)i * launch.stride + word];
}
