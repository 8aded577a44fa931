// symbols.cl - from planes to the symbols of a table file, in the file's order
//
//     entry_codes     code[entry] |= the bits of up to CODE_PLANES planes at the entry's place
//     entry_symbols   symbol[entry] = meaning[code[entry]], or a don't-care where the file keeps the mirror image
//
// An entry is a number with one digit for each group of men, digit = entry / stride % size. Its place in a plane is a
// sum over the groups: at the black king's square begins `base`, and place[at + digit] is what a group adds. So is its
// mirror image at the diagonal a1-h8 a sum, of mirror[at + digit]. Group 0 is the innermost one, whose digit changes
// from one entry to the next: SYMBOL_RUN entries have the digits of all others in common.
//
//     1. Off the diagonal all entries are kept. With the black king on it, kept[] says for the white king's digit
//        whether the entry is kept, or its mirror image, or the one of them with the smaller number.
//     2. A code has the bits of the distance planes, then `won` and `resolved`. meaning[] has the symbols of all codes,
//        and behind them the outcome of each code without its last bit, 0..4, or COUNT_NOT.
//     3. Entries with an outcome are counted: counter[16 * (group % COUNT_GROUPS) + outcome], 8 more for those that are
//        their own mirror image.
//
// Example: with the groups K (size 64, stride 64) and q (64, 1), entry 130 has the digits 2 and 2: K on c1, q on c1.
//
// Index space of both: one item = SYMBOL_RUN entries, 1-dimensional. Neighbouring items write neighbouring symbols;
// what they read lies in as many words as the innermost men have squares outside a word, and comes from the cache. Any
// work-group shape; entry_symbols has 64 B of local memory, for counts. Bytes an item: entry_codes writes 8, reads them
// if there are bits already, and 16 at most of each plane; entry_symbols reads 8, 4 look-ups of 2, and writes 4 or 8.
// Operations: a division and a remainder for each group but the innermost, 6 for each bit of a code.
#include "launch.h"

// The place of an entry, without the innermost group.
static inline uint outer_sum(const struct symbols_launch *launch, global const uint *part, uint entry)
{
    uint sum = 0;
#pragma unroll
    for (uint g = 1; g < SYMBOL_GROUPS; g++) {
        if (g < launch->groups)
            sum += part[launch->at[g] + entry / launch->stride[g] % launch->size[g]];
    }
    return sum;
}

static inline uint bit_of(global const uint *plane, ulong bit)
{
    return plane[bit >> 5] >> (bit & 31) & 1;
}

// Gives bit `number` to the codes of a run, two codes a word.
static inline uint2 bits_of(global const uint *plane, ulong base, uint4 places, uint number)
{
    const uint low = bit_of(plane, base + places.x) | bit_of(plane, base + places.y) << 16;
    const uint high = bit_of(plane, base + places.z) | bit_of(plane, base + places.w) << 16;
    return (uint2)(low << number, high << number);
}

// All loads from planes are issued before the first is used; if there are fewer planes, the first one is read again.
kernel void entry_codes(global const uint *place, global const uint *first, global const uint *second,
                        global const uint *third, global const uint *fourth, global uint2 *code,
                        const struct symbols_launch launch)
{
    const uint item = (uint)get_global_id(0);
    if (item >= launch.items)
        return;
    const uint entry = launch.first + SYMBOL_RUN * item;
    const ulong base = launch.base + outer_sum(&launch, place, entry);
    const uint4 places = ((global const uint4 *)place)[entry % launch.size[0] / SYMBOL_RUN];
    uint2 bits = bits_of(first, base, places, launch.bit[0]) | bits_of(second, base, places, launch.bit[1]) |
                 bits_of(third, base, places, launch.bit[2]) | bits_of(fourth, base, places, launch.bit[3]);
    if (launch.mode & SYMBOLS_MORE)
        bits |= code[item];
    code[item] = bits;
}

// How an entry with the black king on the diagonal counts: COUNT_NOT, COUNT_OWN or 0.
static inline uint mirrored(const struct symbols_launch *launch, global const uint *mirror, global const uchar *kept,
                            uint entry)
{
    const uint kind = kept[entry / launch->king_stride % launch->king_size];
    if (kind != KEPT_SMALLER)
        return kind == KEPT_NOT ? COUNT_NOT : 0;
    const uint image = outer_sum(launch, mirror, entry) + mirror[entry % launch->size[0]];
    return image < entry ? COUNT_NOT : image == entry ? COUNT_OWN : 0;
}

kernel void entry_symbols(global const uint *mirror, global const uchar *kept, global const uint2 *code,
                          global const ushort *meaning, global uint *symbol, global uint *counter,
                          const struct symbols_launch launch)
{
    local uint sum[COUNT_STRIDE];
    const uint item = (uint)get_global_id(0);
    const uint local_item = (uint)get_local_id(0);
    for (uint i = local_item; i < COUNT_STRIDE; i += (uint)get_local_size(0))
        sum[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < launch.items) {
        const uint bits = launch.mode & SYMBOLS_WIDE ? 16 : 8; // of a symbol
        const uint2 codes = code[item];
        ulong symbols = 0;
        uint outcomes = 0; // 8 bits each
#pragma unroll
        for (uint j = 0; j < SYMBOL_RUN; j++) {
            const uint own = (j < 2 ? codes.x : codes.y) >> 16 * (j & 1) & 0xffff;
            symbols |= (ulong)meaning[own] << bits * j;
            outcomes |= (uint)meaning[SYMBOL_CODES + (own & (SYMBOL_CODES / 2 - 1))] << 8 * j;
        }
#pragma unroll 1
        for (uint j = 0; j < SYMBOL_RUN && launch.mode & SYMBOLS_DIAGONAL; j++) {
            const uint change = mirrored(&launch, mirror, kept, launch.first + SYMBOL_RUN * item + j);
            outcomes |= change << 8 * j;
            symbols |= change == COUNT_NOT ? (((ulong)1 << bits) - 1) << bits * j : 0;
        }
        if (launch.mode & SYMBOLS_WIDE)
            ((global ulong *)symbol)[item] = symbols;
        else
            symbol[item] = (uint)symbols;

        // Usually all entries of a run have the same outcome. A count has 4 bits.
        ulong counts = 0;
#pragma unroll
        for (uint j = 0; j < SYMBOL_RUN; j++) {
            const uint outcome = outcomes >> 8 * j & 0xff;
            counts += outcome < COUNT_STRIDE ? (ulong)1 << 4 * outcome : 0;
        }
        while (counts != 0 && launch.mode & SYMBOLS_COUNT) {
            const uint outcome = (63 - (uint)clz(counts)) / 4;
            atomic_add(&sum[outcome], (uint)(counts >> 4 * outcome));
            counts &= ((ulong)1 << 4 * outcome) - 1;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = local_item; i < COUNT_STRIDE; i += (uint)get_local_size(0)) {
        if (sum[i] > 0)
            atomic_add(counter + COUNT_STRIDE * ((uint)get_group_id(0) % COUNT_GROUPS) + i, sum[i]);
    }
}
