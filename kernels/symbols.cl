// symbols.cl - from planes to the symbols of a table file, in the file's order
//
//     entry_codes     code[entry] |= the bits of up to CODE_PLANES planes at the entry's place
//     entry_symbols   symbol[entry] = meaning[code[entry]], or a don't-care where the file keeps the mirror image
//
// An entry is a number with one digit for each group of men, digit = entry / stride % size. Its place in a plane is a
// sum over the groups: at the black king's square begins `base`, and place[at + digit] is what a group adds. So is its
// mirror image at the diagonal a1-h8 a sum, of mirror[at + digit].
//
//     1. Off the diagonal all entries are kept. With the black king on it, kept[] says for the white king's digit
//        whether the entry is kept, or its mirror image, or the one of them with the smaller number.
//     2. A code has the bits of the distance planes, then `won` and `resolved`. meaning[] has the symbols of all codes,
//        and behind them the outcome of each code without its last bit, 0..4, or more for none.
//     3. Entries with an outcome are counted: counter[16 * (group % COUNT_GROUPS) + outcome], 8 more for those that are
//        their own mirror image.
//
// Example: with the groups K (size 64, stride 64) and q (64, 1), entry 130 has the digits 2 and 2: K on c1, q on c1.
//
// Index space of both: one item = one entry of a run, 1-dimensional. Neighbouring items write neighbouring symbols;
// what they read lies in as many words as the innermost men have squares outside a word, and comes from the cache. Any
// work-group shape; entry_symbols has 64 B of local memory, for counts. Bytes an item: entry_codes 2 to 4, and at most
// 4 for each plane; entry_symbols 2, a look-up of 2, and 1 or 2 written.
#include "launch.h"

static inline uint digit_of(const struct symbols_launch *launch, uint group, uint entry)
{
    return entry / launch->stride[group] % launch->size[group];
}

static inline uint sum_of(const struct symbols_launch *launch, global const uint *part, uint entry)
{
    uint sum = 0;
    for (uint g = 0; g < launch->groups; g++)
        sum += part[launch->at[g] + digit_of(launch, g, entry)];
    return sum;
}

kernel void entry_codes(global const uint *place, global const uint *first, global const uint *second,
                        global const uint *third, global const uint *fourth, global ushort *code,
                        const struct symbols_launch launch)
{
    const uint item = (uint)get_global_id(0);
    if (item >= launch.items)
        return;
    const ulong bit = launch.base + sum_of(&launch, place, launch.first + item);
    const uint lane = (uint)bit & 31;
    const ulong word = bit >> 5;
    uint bits = (first[word] >> lane & 1) << launch.bit[0];
    if (launch.planes > 1)
        bits |= (second[word] >> lane & 1) << launch.bit[1];
    if (launch.planes > 2)
        bits |= (third[word] >> lane & 1) << launch.bit[2];
    if (launch.planes > 3)
        bits |= (fourth[word] >> lane & 1) << launch.bit[3];
    code[item] = (ushort)(bits | (launch.mode & SYMBOLS_MORE ? code[item] : 0));
}

kernel void entry_symbols(global const uint *mirror, global const uchar *kept, global const ushort *code,
                          global const ushort *meaning, global uchar *symbol, global uint *counter,
                          const struct symbols_launch launch)
{
    local uint sum[COUNT_STRIDE];
    const uint item = (uint)get_global_id(0);
    const uint local_item = (uint)get_local_id(0);
    for (uint i = local_item; i < COUNT_STRIDE; i += (uint)get_local_size(0))
        sum[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < launch.items) {
        const uint entry = launch.first + item;
        uint result = meaning[code[item]];
        uint outcome = meaning[SYMBOL_CODES + (code[item] & (SYMBOL_CODES / 2 - 1))];
        uint own = 0;
        if (launch.mode & SYMBOLS_DIAGONAL) {
            const uint kind = kept[digit_of(&launch, launch.king, entry)];
            const uint image = kind == KEPT_SMALLER ? sum_of(&launch, mirror, entry) : entry;
            if (kind == KEPT_NOT || image < entry)
                result = outcome = 0xffff;
            own = kind == KEPT_SMALLER && image == entry ? COUNT_OWN : 0;
        }
        if (launch.mode & SYMBOLS_WIDE)
            ((global ushort *)symbol)[item] = (ushort)result;
        else
            symbol[item] = (uchar)result;
        if (launch.mode & SYMBOLS_COUNT && outcome < COUNT_OWN)
            atomic_add(&sum[outcome + own], 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = local_item; i < COUNT_STRIDE; i += (uint)get_local_size(0)) {
        if (sum[i] > 0)
            atomic_add(counter + COUNT_STRIDE * ((uint)get_group_id(0) % COUNT_GROUPS) + i, sum[i]);
    }
}
