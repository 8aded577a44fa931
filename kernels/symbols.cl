// symbols.cl - from planes to the symbols of a table file, in the file's order
//
//     entry_symbols   symbol[entry] = the meaning of its code, or a don't-care where the file keeps the mirror image
//     block_symbols   the same for a whole section if its innermost group is a single man: each word is read once
//
// An entry is a number with one digit for each group of men, digit = entry / stride % size. Its place in a plane is a
// sum over the groups: at the black king's square begins `base`, and place[at + digit] is what a group adds. So is its
// mirror image at the diagonal a1-h8 a sum, of mirror[at + digit]. Group 0 is the innermost one, whose digit changes
// from one entry to the next: a run of entries has the digits of all others in common.
//
//     1. A code has a bit of each plane. meaning[code] is a symbol of two bytes, or one of a byte with what the entry
//        counts as behind it: COUNT_BITS times its outcome, or COUNT_NOT if no legal position has it.
//     2. With the black king off the diagonal all entries are kept. With it there, kept[] says for the white king's
//        square, or behind these for its code, whether the entry is kept, or its mirror image, or the one of them with
//        the smaller number.
//     3. vacant[] gets a bit for each entry: those that count as nothing, and, by kept[], those of which the mirror
//        image is kept (index/vacant.h).
//     4. All entries are counted by outcome, whether they are kept or not: an entry on the diagonal counts for itself,
//        any other one for its mirror image, too. counter[COUNT_STRIDE * (group % COUNT_GROUPS) + outcome].
//
// Example: with the groups K (size 64, stride 64) and q (64, 1), entry 130 has the digits 2 and 2: K on c1, q on c1.
//
// Index space of entry_symbols: one item = launch.runs runs of SYMBOL_RUN entries, 1-dimensional. Neighbouring items
// write neighbouring symbols; what they read lies in as many words as the innermost men have squares outside a word,
// and comes from the cache. Any work-group shape; 32 B of local memory, for counts. Bytes of a run: 16 at most of each
// plane, 4 look-ups of 2, and writes of 4 or 8. Operations: a division and a remainder for each group but the
// innermost, 5 for each bit of a code.
//
// A work-group of block_symbols does a block: the innermost man's 64 squares by 2^row_bits rows of four lanes of the
// other men. These lanes differ in the lowest bits of their numbers, without the innermost man's digit.
//
//     a. The entry with which each run begins is the sum of what parts[] says for the men of each group on their
//        squares. Identical men on the same squares have several places in a plane; parts[] has one of them.
//     b. An item reads a word of each plane and turns its 32 lanes into 32 codes of a byte. The words in local memory
//        have four codes each: of the four runs of a row, with the innermost man on the same square. If there are more
//        than eight planes, the other ones go the same way to the second half of the local memory.
//     c. An item takes the codes of eight squares, one rank, of four runs, and writes eight symbols of each.
//
// Example: k = 4, four runs are the lanes in which digit 0 is 0 to 3 or 4 to 7, if the innermost man has digit 3. A
// block reads 32 B of each of 64 stretches: 8 tiles and, in each, the 8 values of the man's l.
//
// Any work-group shape; 19 KiB of local memory. Bytes of a block of 2^14 entries: 2 KiB of each plane, 16 KiB of
// symbols, 2 KiB of marks, look-ups of 2 B for each entry. Operations: 4 for each code in (b), 6 to 12 for each entry
// in (c).
#include "tile.h"

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

// ---- blocks ----

enum {
    BLOCK_RUNS = 256,    // at most
    BLOCK_PITCH = 64 + 1 // words of four runs; odd, so that items seldom meet in a bank
};
#define NO_RUN 0xffffffff

// Exchanges the bits of `mask` in `low` with those `shift` places higher in `high`.
static inline void exchange(uint *high, uint *low, uint shift, uint mask)
{
    const uint other = (*high >> shift ^ *low) & mask;
    *low ^= other;
    *high ^= other << shift;
}

// Turns words of 8 planes into codes: byte b of word i gets lane 8 * b + i, its bit p from word p.
static inline void words_to_codes(uint word[8])
{
#pragma unroll
    for (uint i = 0; i < 4; i++)
        exchange(&word[i], &word[i + 4], 4, 0x0f0f0f0f);
#pragma unroll
    for (uint i = 0; i < 8; i++) {
        if ((i & 2) == 0)
            exchange(&word[i], &word[i + 2], 2, 0x33333333);
    }
#pragma unroll
    for (uint i = 0; i < 8; i += 2)
        exchange(&word[i], &word[i + 1], 1, 0x55555555);
}

// Exchanges byte b of word i with byte i of word b, in words 0 to 3 and in words 4 to 7.
static inline void turn_bytes(uint word[8])
{
#pragma unroll
    for (uint i = 0; i < 8; i++) {
        if ((i & 2) == 0)
            exchange(&word[i], &word[i + 2], 16, 0x0000ffff);
    }
#pragma unroll
    for (uint i = 0; i < 8; i += 2)
        exchange(&word[i], &word[i + 1], 8, 0x00ff00ff);
}

// Where a block lies.
struct block {
    uint tile;  // of the section: the one with the innermost man's u = 0
    uint lanes; // the number of the first run's lane, without the innermost man's digit
};

static inline struct block block_of(uint number, const struct block_launch *launch, struct table_shape shape)
{
    const uint low = launch->row_bits + 2;
    const uint high = 3 * (shape.pieces - 1) - low;
    const uint lanes = number & ((1U << high) - 1);
    return (struct block){digit_insert(number >> high, 3 * launch->inner), lanes << low};
}

// The codes of the men with these digits, the first man's lowest.
static inline uint men_codes(uint digits, uint u, uint lane)
{
    uint codes = 0;
    for (uint shift = 0; (digits & 15) != 15; digits >>= 4, shift += 6)
        codes |= (digit_at(u, digits & 15) << 3 | digit_at(lane, digits & 15)) << shift;
    return codes;
}

// Step (a): the first entry of run r, and what its outer men add to the mirror image.
static inline uint2 run_begin(uint r, struct block block, const struct block_launch *launch, struct table_shape shape,
                              global const uint2 *parts, uint *king)
{
    uint head;
    const uint u = tile_digits(block.tile, shape, &head);
    const uint lane = digit_insert(block.lanes | r, 3 * launch->inner);
    uint2 sum = (uint2)(0, 0);
    bool none = false;
#pragma unroll
    for (uint g = 0; g < SYMBOL_GROUPS - 1; g++) {
        if (g < launch->groups) {
            const uint2 part = parts[launch->at[g] + men_codes(launch->digits[g], u, lane)];
            none |= part.x == NO_RUN;
            sum = (uint2)(sum.x + part.x, sum.y + part.y);
        }
    }
    *king = digit_at(u, launch->king) << 3 | digit_at(lane, launch->king);
    return none ? (uint2)(NO_RUN, 0) : sum;
}

// Step (b) for 8 planes, of which some may be missing: codes of word n of a block.
static inline void codes_of_word(global const uint *const plane[8], uint planes, uint n, struct block block,
                                 const struct block_launch *launch, struct table_shape shape, local uint *code)
{
    const uint inner = launch->inner;
    const uint u = n >> launch->row_bits;
    const uint in_tile = n & ((1U << launch->row_bits) - 1);
    const uint low_bits = inner < 3 ? launch->row_bits : launch->row_bits - 3; // of words side by side
    const uint low = in_tile & ((1U << low_bits) - 1);
    const uint l = in_tile >> low_bits; // if it is in the word's number above these
    const uint words = 3 * shape.pieces - WORD_BITS_SHIFT;
    const size_t at = ((size_t)(launch->first_tile + block.tile + (u << 3 * inner)) << words) +
                      (digit_insert(block.lanes, 3 * inner) >> WORD_BITS_SHIFT) + low +
                      (inner < 3 ? 0 : l << (3 * inner - WORD_BITS_SHIFT));
    uint word[8];
#pragma unroll
    for (uint p = 0; p < 4; p++)
        word[p] = plane[p][at];
#pragma unroll
    for (uint p = 4; p < 8; p++)
        word[p] = planes > 4 ? plane[p][at] : 0;
    words_to_codes(word);
    uint to = 8 * u; // of word 0; word 1, and word 4, follow at these distances:
    uint near = 2 * BLOCK_PITCH;
    uint far = BLOCK_PITCH;
    if (inner == 0) {
        to += low * BLOCK_PITCH;
        near = 1;
        far = 4;
    } else {
        turn_bytes(word);
        if (inner == 1) {
            to += (low >> 1) * 2 * BLOCK_PITCH + (low & 1) * 4;
            near = 1;
        } else if (inner == 2) {
            to += ((low >> 4) * 16 + (low & 1) * 8) * BLOCK_PITCH + (low >> 1 & 7);
        } else {
            to += low * 8 * BLOCK_PITCH + l;
        }
    }
    const uint used = planes >= 8 ? 0xffffffff : ((1U << planes) - 1) * 0x01010101;
#pragma unroll
    for (uint i = 0; i < 8; i++)
        code[to + (i & 3) * near + (i >> 2) * far] = word[i] & used;
}

// Which of the eight entries from `entry` on, on one rank, the file does not keep, a bit each; behind these the ones
// that the white king's square tells. squares: the codes of the rank's squares; image: what the outer men add to the
// mirror image. kind: of the white king, unless it is the innermost man.
static inline uint rank_not_kept(uint entry, uint image, ulong squares, uint kind, bool inner_king,
                                 global const uchar *kept)
{
    uint bits = 0;
    if (!inner_king && kind != KEPT_SMALLER)
        return kind == KEPT_NOT ? 0xffff : 0;
#pragma unroll 1
    for (uint i = 0; i < 8; i++) {
        const uint own = inner_king ? kept[64 + ((uint)(squares >> 8 * i) & 63)] : kind;
        if (own == KEPT_NOT)
            bits |= 0x0101U << i;
        else if (own == KEPT_SMALLER)
            bits |= (image + 8 * i + (entry >> 3 & 7) < entry + i ? 1U : 0U) << i;
    }
    return bits;
}

// Writes the symbols of eight entries, and returns which of them are vacant.
static inline uint store_rank(uint means[8], uint entry, uint other, uint mode, global uint *symbol)
{
    uint empty = other >> 8;
#pragma unroll
    for (uint i = 0; i < 8; i++)
        empty |= (means[i] >> COUNT_SHIFT & 1) << i;
    if (other != 0) {
#pragma unroll
        for (uint i = 0; i < 8; i++)
            means[i] = other >> i & 1 ? 0xffff : means[i];
    }
    if (mode & SYMBOLS_WIDE) {
        ((global uint4 *)symbol)[entry >> 3] = (uint4)(means[0] | means[1] << 16, means[2] | means[3] << 16,
                                                       means[4] | means[5] << 16, means[6] | means[7] << 16);
    } else {
        const uint a = (means[0] & 0xff) | (means[1] & 0xff) << 8 | (means[2] & 0xff) << 16 | means[3] << 24;
        const uint b = (means[4] & 0xff) | (means[5] & 0xff) << 8 | (means[6] & 0xff) << 16 | means[7] << 24;
        ((global uint2 *)symbol)[entry >> 3] = (uint2)(a, b);
    }
    return empty;
}

// rank[]: the codes of each rank's squares.
kernel void block_symbols(global const uint2 *parts, global const ulong *rank, global const uchar *kept,
                          global const ushort *meaning, PLANES, global uint *symbol, global uchar *vacant,
                          global uint *counter, const struct table_shape shape, const struct block_launch launch)
{
    local uint code[BLOCK_RUNS / 4 * BLOCK_PITCH];
    local uint2 run[BLOCK_RUNS];
    local uchar king[BLOCK_RUNS];
    local uint sum[COUNT_STRIDE];
    global const uint *const plane[SYMBOL_PLANES] = {PLANES_LIST};
    const uint items = (uint)get_local_size(0);
    const uint local_item = (uint)get_local_id(0);
    const struct block block = block_of((uint)(get_global_id(0) / items), &launch, shape);
    const uint rows = 1U << launch.row_bits; // of four runs
    const uint second = BLOCK_RUNS / 8 * BLOCK_PITCH;
    clear_counts(sum);
    for (uint r = local_item; r < 4 * rows; r += items) {
        uint square;
        run[r] = run_begin(r, block, &launch, shape, parts, &square);
        king[r] = kept[64 + square];
    }
    for (uint n = local_item; n < 8 * rows; n += items) {
        codes_of_word(plane, launch.planes, n, block, &launch, shape, code);
        if (launch.planes > 8) {
            global const uint *const more[8] = {plane8, plane9, plane10, plane11, plane8, plane8, plane8, plane8};
            codes_of_word(more, launch.planes - 8, n, block, &launch, shape, code + second);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint total[COUNT_OUTCOMES] = {0};
#pragma unroll 1
    for (uint n = local_item; n < 8 * rows; n += items) {
        const uint row = n >> 3;
        const ulong squares = rank[n & 7];
        uint codes[8];
        uint more[8] = {0};
        uint counts = 0;
#pragma unroll
        for (uint i = 0; i < 8; i++)
            codes[i] = code[row * BLOCK_PITCH + ((uint)(squares >> 8 * i) & 63)];
        if (launch.planes > 8) {
#pragma unroll
            for (uint i = 0; i < 8; i++)
                more[i] = code[second + row * BLOCK_PITCH + ((uint)(squares >> 8 * i) & 63)];
        }
#pragma unroll
        for (uint b = 0; b < 4; b++) {
            const uint r = 4 * row + b;
            const uint2 begin = run[r];
            if (begin.x == NO_RUN)
                continue;
            const uint entry = begin.x + 8 * (n & 7);
            uint means[8];
#pragma unroll
            for (uint i = 0; i < 8; i++) {
                means[i] = meaning[(codes[i] >> 8 * b & 0xff) | (more[i] >> 8 * b & 0xff) << 8];
                counts += 1U << (means[i] >> COUNT_SHIFT & 31);
            }
            const uint other = launch.mode & SYMBOLS_DIAGONAL
                                   ? rank_not_kept(entry, begin.y, squares, king[r], launch.king == launch.inner, kept)
                                   : 0;
            const uint empty = store_rank(means, entry, other, launch.mode, symbol);
            if (launch.mode & SYMBOLS_VACANT)
                vacant[entry >> 3] = (uchar)empty;
        }
#pragma unroll
        for (uint outcome = 0; outcome < COUNT_OUTCOMES; outcome++)
            total[outcome] += counts >> COUNT_BITS * outcome & ((1 << COUNT_BITS) - 1);
    }
    if (launch.mode & SYMBOLS_COUNT) {
#pragma unroll
        for (uint outcome = 0; outcome < COUNT_OUTCOMES; outcome++) {
            if (total[outcome] > 0)
                atomic_add(&sum[outcome], total[outcome]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    store_counts(sum, counter);
}
