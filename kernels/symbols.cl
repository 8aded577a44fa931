// symbols.cl - from planes to the symbols of a table file, in the file's order
//
//     entry_symbols   symbol[entry] = the meaning of its code, or a don't-care where the file keeps the mirror image
//
// An entry is a number with one digit for each group of men, digit = entry / stride % size. Its place in a plane is a
// sum over the groups: at the black king's square begins `base`, and place[at + digit] is what a group adds. So is its
// mirror image at the diagonal a1-h8 a sum, of mirror[at + digit]. Group 0 is the innermost one, whose digit changes
// from one entry to the next: SYMBOL_RUN entries have the digits of all others in common.
//
//     1. A code has a bit of each plane. meaning[code] is a symbol of two bytes, or one of a byte with what the entry
//        counts as behind it: COUNT_BITS times its outcome, or COUNT_NOT if no legal position has it.
//     2. With the black king off the diagonal all entries are kept. With it there, kept[] says for the white king's
//        digit whether the entry is kept, or its mirror image, or the one of them with the smaller number.
//     3. vacant[] gets a bit for each entry: those that count as nothing, and, by kept[], those of which the mirror
//        image is kept (index/vacant.h).
//     4. All entries are counted by outcome, whether they are kept or not: an entry on the diagonal counts for itself,
//        any other one for its mirror image, too. counter[COUNT_STRIDE * (group % COUNT_GROUPS) + outcome].
//
// Example: with the groups K (size 64, stride 64) and q (64, 1), entry 130 has the digits 2 and 2: K on c1, q on c1.
//
// Index space: one item = launch.runs runs of SYMBOL_RUN entries, 1-dimensional. Neighbouring items write neighbouring
// symbols; what they read lies in as many words as the innermost men have squares outside a word, and comes from the
// cache. Any work-group shape; 32 B of local memory, for counts. Bytes of a run: 16 at most of each plane, 4 look-ups
// of 2, and writes of 4 or 8. Operations: a division and a remainder for each group but the innermost, 5 for each bit
// of a code.
#include "launch.h"

// The planes of a code's bits. If there are fewer, the others are the first one again.
#define PLANES                                                                                                         \
    global const uint *plane0, global const uint *plane1, global const uint *plane2, global const uint *plane3,        \
        global const uint *plane4, global const uint *plane5, global const uint *plane6, global const uint *plane7,    \
        global const uint *plane8, global const uint *plane9, global const uint *plane10, global const uint *plane11
#define PLANES_LIST plane0, plane1, plane2, plane3, plane4, plane5, plane6, plane7, plane8, plane9, plane10, plane11

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

// Gives bit `number` to the codes of a run.
static inline uint4 bits_of(global const uint *plane, ulong base, uint4 places, uint number)
{
    return (uint4)(bit_of(plane, base + places.x) << number, bit_of(plane, base + places.y) << number,
                   bit_of(plane, base + places.z) << number, bit_of(plane, base + places.w) << number);
}

// Which entries of a run the file does not keep, a bit each; behind these the ones that the white king's square tells.
static inline uint not_kept(const struct symbols_launch *launch, global const uint *mirror, global const uchar *kept,
                            uint entry)
{
    uint bits = 0;
#pragma unroll 1
    for (uint i = 0; i < SYMBOL_RUN; i++, entry++) {
        const uint kind = kept[entry / launch->king_stride % launch->king_size];
        if (kind == KEPT_NOT)
            bits |= (1 | 1 << SYMBOL_RUN) << i;
        else if (kind == KEPT_SMALLER)
            bits |= (outer_sum(launch, mirror, entry) + mirror[entry % launch->size[0]] < entry ? 1U : 0U) << i;
    }
    return bits;
}

// Adds up the counts of an item, COUNT_BITS each.
static inline void add_counts(local uint *sum, uint counts)
{
    for (uint outcome = 0; outcome < COUNT_OUTCOMES; outcome++) {
        const uint count = counts >> COUNT_BITS * outcome & ((1 << COUNT_BITS) - 1);
        if (count > 0)
            atomic_add(&sum[outcome], count);
    }
}

static inline void clear_counts(local uint *sum)
{
    for (uint i = (uint)get_local_id(0); i < COUNT_STRIDE; i += (uint)get_local_size(0))
        sum[i] = 0;
}

static inline void store_counts(local const uint *sum, global uint *counter)
{
    for (uint i = (uint)get_local_id(0); i < COUNT_STRIDE; i += (uint)get_local_size(0)) {
        if (sum[i] > 0)
            atomic_add(counter + COUNT_STRIDE * ((uint)get_group_id(0) % COUNT_GROUPS) + i, sum[i]);
    }
}

kernel void entry_symbols(global const uint *place, global const uint *mirror, global const uchar *kept,
                          global const ushort *meaning, PLANES, global uint *symbol, global uchar *vacant,
                          global uint *counter, const struct symbols_launch launch)
{
    local uint sum[COUNT_STRIDE];
    global const uint *const plane[SYMBOL_PLANES] = {PLANES_LIST};
    const uint item = (uint)get_global_id(0);
    clear_counts(sum);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < launch.items) {
        uint vacancies = 0;
        uint counts = 0;
#pragma unroll 1
        for (uint run = 0; run < launch.runs; run++) {
            const uint number = launch.runs * item + run;
            const uint entry = launch.first + SYMBOL_RUN * number;
            const ulong base = launch.base + outer_sum(&launch, place, entry);
            const uint4 places = ((global const uint4 *)place)[entry % launch.size[0] / SYMBOL_RUN];
            uint4 code = 0;
#pragma unroll
            for (uint p = 0; p < SYMBOL_PLANES; p += 4) { // four planes are loaded before the first of them is used
                if (p < launch.planes)
                    code |= bits_of(plane[p], base, places, p) | bits_of(plane[p + 1], base, places, p + 1) |
                            bits_of(plane[p + 2], base, places, p + 2) | bits_of(plane[p + 3], base, places, p + 3);
            }
            const uint all = (1U << launch.planes) - 1;
            uint means[SYMBOL_RUN] = {meaning[code.x & all], meaning[code.y & all], meaning[code.z & all],
                                      meaning[code.w & all]};
            uint empty = 0;
            const uint other = launch.mode & SYMBOLS_DIAGONAL ? not_kept(&launch, mirror, kept, entry) : 0;
#pragma unroll
            for (uint i = 0; i < SYMBOL_RUN; i++) {
                counts += 1U << (means[i] >> COUNT_SHIFT & 31);
                empty |= (means[i] >> COUNT_SHIFT & 1) << i;
                means[i] = other >> i & 1 ? 0xffff : means[i];
            }
            vacancies |= (empty | other >> SYMBOL_RUN) << SYMBOL_RUN * run;
            if (launch.mode & SYMBOLS_WIDE)
                ((global uint2 *)symbol)[number] = (uint2)(means[0] | means[1] << 16, means[2] | means[3] << 16);
            else
                symbol[number] = (means[0] & 0xff) | (means[1] & 0xff) << 8 | (means[2] & 0xff) << 16 | means[3] << 24;
        }
        if (launch.mode & SYMBOLS_VACANT)
            vacant[item] = (uchar)vacancies;
        if (launch.mode & SYMBOLS_COUNT)
            add_counts(sum, counts);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    store_counts(sum, counter);
}
