// sweep.cl - the moves of one piece, or its attacks on the enemy king, over a part of a plane or a window
//
//     out(s) |= OR of in(t) over the squares t that the piece on s can move to (sweep.h), all other men standing still
//     out(s) |= the piece on s attacks the target, and the attacker shares its square with no enemy (SWEEP_ATTACK)
//
// One item does one word of one group, that is of the 8 tiles that differ in the piece's u digit: all 64 squares of the
// piece, 32 lanes.
//
//     1. Which tiles are the group's? Stop unless one is wanted and one is active.
//     2. Which 8 words of each tile hold the item's lanes?
//     3. Which men stand where in these lanes?
//     4. Load the 64 words, or set those on which the target stands.
//     5. Sweep.
//     6. Of attacks, clear the lanes in which the attacker shares its square with an enemy.
//     7. Store the 64 words, or OR them into the plane.
//
// If the piece's l is in the word (digits 0 and 1), the item takes along digit 2 and exchanges the two after loading
// and before storing: 8x8 bit blocks by butterflies. A moving piece of a pair meets foreign tiles, which are stored the
// other way round: its digit and its partner's have changed places there. It reads those but does not write them: they
// belong to another group of the partner's launch.
//
// Fixed men stand in the same place in all lanes, unless the piece's l is in the word and digit 2 is a slice's: then
// each value of that digit, which goes into the lanes, has its own. That happens only where there are but two pieces,
// the kings, and matters only for attacks.
//
// Example: a rook has digit 3 of k = 4, whose place shift is 9. Item 5 * 2^4 + 3 of a launch is word 3 of group 5:
// tiles 5 + 512 u, and in each of them the words 3 + 16 l. No exchange is needed. For a rook with digit 0 the same item
// has the tiles 40 + u and the words 17 + 2 l', where l' is digit 2; after the exchange l' is in the lanes and word n
// has l = n.
//
// Index space: 1-dimensional, [group][word of a tile without the piece's own digit], words fastest: neighbouring items
// read neighbouring words. Any work-group shape; no local memory, no barrier; each word is written by one item.
//
// Cost: reads 64 words and 16 flags, reads and writes 64 words unless all 64 are zero: at most 784 B an item; 528 with
// SWEEP_STORE; 8 B more in a window. Items of unwanted groups, or without a set bit in their source, read 16 flags.
// Operations: sweep.h.
//
// Constants: SWEEP = rook, bishop, queen, king or knight; SLIDER = 1 for the first three.
#ifndef SWEEP
#define SWEEP  rook
#define SLIDER 1
#endif

#include "tile.h"

#include "sweep.h"

#define CALL_(name) sweep_##name
#define CALL(name)  CALL_(name)

// ---- step 1: the tiles ----

struct group {
    uint digit;   // the digit of the piece
    uint shift;   // bits of a tile's place below it
    uint first;   // the tile with u = 0, or with the pair's number 0
    uint partner; // u of the partner
    uint other;   // the digit of the partner; without a pair: NO_DIGIT
};

static inline struct group group_of(uint number, uint digit, struct table_shape shape)
{
    struct group group = {digit, place_shift(shape, digit), 0, 0, NO_DIGIT};
    if (shape.pair && digit >= shape.pieces - 2) {
        group.other = 2 * shape.pieces - 3 - digit;
        group.partner = number >> group.shift & 7;
        group.first = (number & ((1u << group.shift) - 1)) + ((number >> group.shift >> 3) * PAIR_TILES << group.shift);
    } else {
        group.first = digit_insert(number, group.shift);
    }
    return group;
}

static inline uint tile_of(struct group group, uint u)
{
    return group.first + ((group.other == NO_DIGIT ? u : pair_number(u, group.partner)) << group.shift);
}

// Does the tile store the pair's digits in the other order?
static inline bool is_foreign(struct group group, uint u)
{
    if (group.other == NO_DIGIT)
        return false;
    return group.digit > group.other ? u > group.partner : u < group.partner;
}

// ---- step 2: the words ----

// The 8 words of a tile that an item sees, number n at first + (n & 3) * step + (n >> 2) * step4.
struct words {
    uint first;
    uint step;
    uint step4;
};

static inline uint word_at(struct words words, uint n)
{
    return words.first + (n & 3) * words.step + (n >> 2) * words.step4;
}

// `word` has a zero in place of the digit in which the words differ: the piece's, or digit 2.
static inline struct words own_words(struct group group, uint word)
{
    const uint step = 1u << (3 * max(group.digit, 2u) - 5);
    if (group.digit == 1)
        return (struct words){(word & ~1u) + 8 * (word & 1), 2, 1};
    return (struct words){word, step, 4 * step};
}

// The same in a foreign tile.
static inline struct words foreign_words(struct group group, uint word)
{
    const uint at = 3 * group.digit - 5; // a pair has the highest digits, 2 and above
    const uint other_at = 3 * group.other - 5;
    const uint l = word >> other_at & 7;
    return (struct words){word - (l << other_at) + (l << at), 1u << other_at, 4u << other_at};
}

// ---- step 3: the men ----

// Where a set of men stands: a bitmap of the square codes of those that have the same square in all lanes, and for
// those whose l is in the lanes the u digits, for digit 0 and for digit 1.
struct standing {
    ulong same;
    uint low;
    uint high;
};

// A bitmap of the square codes of the fixed men in `men`.
static inline ulong fixed_squares(uint men, struct table_shape shape, global const uchar *codes)
{
    ulong squares = 0;
    for (uint i = 0; i < shape.fixed; i++) {
        const uint code = codes[i];
        squares |= men >> (shape.pieces + i) & 1 && code < 64 ? (ulong)1 << code : 0;
    }
    return squares;
}

// Where the men of a set stand while the piece with digit `digit` moves.
static inline struct standing stand(uint men, struct place place, uint digit, struct table_shape shape)
{
    const uint low = digit == 0 ? 2 : 0; // the digits whose l is in the lanes
    const uint high = digit == 1 ? 2 : 1;
    struct standing set = {fixed_squares(men, shape, place.codes), NO_DIGIT, NO_DIGIT};
    for (uint q = 0; q < shape.placed; q++) {
        const uint u = digit_at(place.u, q);
        if (!(men >> q & 1))
            continue;
        if (q == low)
            set.low = u;
        else if (q == high)
            set.high = u;
        else
            set.same |= (ulong)1 << (8 * u + (place.word >> (3 * q - 5) & 7));
    }
    return set;
}

// The lanes in which a man of the set stands on square s.
static inline lane_t occupied(struct standing set, uint s, uint upper)
{
    lane_t lanes = set.same >> s & 1 ? ~(lane_t)0 : 0;
    lanes |= set.low == s >> 3 ? low_lanes(s & 7) : 0;
    lanes |= set.high == s >> 3 ? high_lanes(s & 7, upper) : 0;
    return lanes;
}

// ---- steps 4 and 7: the exchange ----

// Exchanges bit `shift` of the lane number with bit `step` of the word number.
static inline void exchange_bit(lane_t *w, uint step, uint shift, lane_t low)
{
#pragma unroll
    for (uint i = 0; i < 8; i++) {
        if (i & step)
            continue;
        const lane_t a = w[i];
        const lane_t b = w[i + step];
        w[i] = (a & low) | (b & low) << shift;
        w[i + step] = (a >> shift & low) | (b & ~low);
    }
}

// Exchanges digit 2 of 8 words with the piece's digit, which then numbers the words; only the low 2 bits of digit 1 are
// in the lanes. Its own inverse.
static inline void exchange(lane_t *w, uint digit)
{
    if (digit == 0) {
        exchange_bit(w, 1, 1, 0x55555555);
        exchange_bit(w, 2, 2, 0x33333333);
        exchange_bit(w, 4, 4, 0x0f0f0f0f);
    } else if (digit == 1) {
        exchange_bit(w, 1, 8, 0x00ff00ff);
        exchange_bit(w, 2, 16, 0x0000ffff);
    }
}

// ---- step 6: attackers that share their square ----

#if !SLIDER
// Clears in [64] squares the lanes in which one of the fixed men among `men` stands. Used where digit 2 belongs to the
// slice and has been exchanged into the lanes, so that the fixed men differ from lane to lane. codes: of the slice in
// which that digit is 0. The squares of 8 slices are exchanged like 8 words of a plane.
static inline void clear_fixed(lane_t *lanes, uint men, struct table_shape shape, global const uchar *codes, uint digit,
                               uint upper)
{
    ulong squares[8];
#pragma unroll
    for (uint m = 0; m < 8; m++)
        squares[m] = fixed_squares(men, shape, codes + FIXED_STRIDE * m);
#pragma unroll
    for (uint u = 0; u < 8; u++) {
        lane_t w[8];
#pragma unroll
        for (uint n = 0; n < 8; n++) {
            const ulong there = digit == 0 ? squares[n] : upper ? squares[(n & 3) + 4] : squares[n & 3];
            const uint row = (uint)(there >> 8 * u) & 0xff;
            w[n] = digit == 0 ? row * 0x01010101u : ((row >> (n & 4) & 15) * 0x00204081u & 0x01010101u) * 0xff;
        }
        exchange(w, digit);
#pragma unroll
        for (uint n = 0; n < 8; n++)
            lanes[8 * u + n] &= ~w[n];
    }
}
#endif

// Clears the lanes in which the attacker shares its square with an enemy.
static inline void clear_shared(lane_t *to, struct place place, struct sweep_launch launch, struct table_shape shape)
{
    const uint upper = place.word & 1;
    const bool vary = !SLIDER && shape.placed == 2;
    const uint men = vary ? launch.enemies & ((1u << shape.pieces) - 1) : launch.enemies;
    const struct standing enemies = stand(men, place, launch.digit, shape);
    const uint king = place.codes[0];
#pragma unroll
    for (uint s = 0; s < 64; s++)
        to[s] &= ~occupied(enemies, launch.mode & SWEEP_KINGS ? king : s, upper);
#if !SLIDER
    if (vary)
        clear_fixed(to, launch.enemies, shape, place.codes, launch.digit, upper);
#endif
}

// ---- step 7: the end ----

// Puts the 64 words into the tiles of `out`, except those in the set `foreign`: with `store` they replace the old
// words, otherwise they are added to them. Then all old words are loaded into old[] before the first one is stored: the
// compiler cannot know that no store changes a later load, and would make 64 loads wait for one another. For a foreign
// tile, out[] has another tile of the group, which is read in vain, so that no load depends on a branch.
static inline void put(lane_t *to, lane_t *old, global uint *const *out, struct words words, uint foreign, bool store)
{
    lane_t any = 0;
#pragma unroll
    for (uint s = 0; s < 64; s++)
        any |= to[s];
    if (!any && !store)
        return;
    if (!store) {
#pragma unroll
        for (uint s = 0; s < 64; s++)
            old[s] = out[s >> 3][word_at(words, s & 7)];
#pragma unroll
        for (uint s = 0; s < 64; s++)
            to[s] |= old[s];
    }
#pragma unroll
    for (uint u = 0; u < 8; u++) {
        if (foreign >> u & 1)
            continue;
#pragma unroll
        for (uint n = 0; n < 8; n++)
            out[u][word_at(words, n)] = to[8 * u + n];
    }
}

// in_active, wanted: [tiles of the whole table, or of a window]. A tile that is not in in_active has no set bit; one
// that is not wanted need not be written. fixed, window: see tile.h.
kernel void sweep(global const uint *in, global uint *out, global const uchar *in_active, global const uchar *wanted,
                  global const uchar *fixed, global const uint *window, const struct table_shape shape,
                  const struct sweep_launch launch)
{
    const ulong item = get_global_id(0);
    if (item >= launch.items)
        return;
    const uint mode = launch.mode;
    const uint digit = launch.digit;
    const uint word_bits = 3 * shape.pieces - WORD_BITS_SHIFT;

    // 1. The tiles. All flags are read before any is looked at.
    const struct group group = group_of((uint)(item >> (word_bits - 3)), digit, shape);
    uint tile[8];
    uint foreign = 0;
    uchar wants[8];
    uchar actives[8];
#pragma unroll
    for (uint u = 0; u < 8; u++) {
        tile[u] = tile_of(group, u);
        foreign |= is_foreign(group, u) ? 1u << u : 0;
        wants[u] = wanted[launch.first_tile + tile[u]];
        actives[u] = in_active[launch.first_tile + tile[u]];
    }
    uint any_wanted = 0;
    uint active = 0;
    uint some = tile[0]; // an active tile
#pragma unroll
    for (uint u = 0; u < 8; u++) {
        any_wanted |= wants[u] & ~(foreign >> u) & 1;
        const bool on = mode & (SWEEP_INVERT | SWEEP_ATTACK) || actives[u];
        active |= on ? 1u << u : 0;
        some = on ? tile[u] : some;
    }
    if (!any_wanted || (!active && !(mode & SWEEP_STORE)))
        return;

    // 2. The words.
    const uint word = digit_insert((uint)item & ((1u << (word_bits - 3)) - 1), 3 * max(digit, 2u) - 5);
    const uint upper = word & 1;
    const struct words own = own_words(group, word);

    // 3. The men. The group of a pair has one tile in which both have the partner's digit; the other men are found from
    //    it.
    const uint others = table_tile(tile_of(group, group.partner), launch.first_tile, shape, window);
    const struct place place = place_of(others, word, shape, fixed);

    // 4. Load all 64 words before the first is used. In place of a tile that is not active, an active one is read
    //    again.
    lane_t from[64];
    lane_t to[64];
    if (mode & SWEEP_ATTACK) {
        const struct standing target = stand(launch.target, place, digit, shape);
#pragma unroll
        for (uint s = 0; s < 64; s++)
            from[s] = occupied(target, s, upper);
    } else {
        const lane_t inverted = mode & SWEEP_INVERT ? ~(lane_t)0 : 0;
        const struct words other = foreign ? foreign_words(group, word) : own;
#pragma unroll
        for (uint u = 0; u < 8; u++) {
            const bool on = active >> u & 1;
            global const uint *source = in + ((ulong)(on ? tile[u] : some) << word_bits);
            const struct words words = foreign >> u & 1 ? other : own;
#pragma unroll
            for (uint n = 0; n < 8; n++)
                from[8 * u + n] = source[word_at(words, n)];
        }
#pragma unroll
        for (uint s = 0; s < 64; s++)
            from[s] = active >> (s >> 3) & 1 ? from[s] ^ inverted : 0;
#pragma unroll
        for (uint u = 0; u < 8; u++)
            exchange(from + 8 * u, digit);
    }

    // 5. Sweep.
#if SLIDER
    lane_t empty[64];
    const struct standing blockers = stand(launch.blockers, place, digit, shape);
#pragma unroll
    for (uint s = 0; s < 64; s++)
        empty[s] = ~occupied(blockers, s, upper);
    CALL(SWEEP)(to, from, empty);
#else
    CALL(SWEEP)(to, from);
#endif

    // 6. Attackers that share their square; 7. store.
    if (mode & SWEEP_ATTACK)
        clear_shared(to, place, launch, shape);
    global uint *target[8];
#pragma unroll
    for (uint u = 0; u < 8; u++) {
        target[u] = out + ((ulong)(foreign >> u & 1 ? tile_of(group, group.partner) : tile[u]) << word_bits);
        exchange(to + 8 * u, digit);
    }
    put(to, from, target, own, foreign, (mode & SWEEP_STORE) != 0);
}
