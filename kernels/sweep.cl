// sweep.cl - the moves of one piece, or its attacks on the enemy king, over a run of black-king squares or slices, or a window
//
//     out(s) |= OR of in(t) over the squares t that the piece on s can move to           (sweep.h), everything else standing still
//     out(s) |= the piece on s attacks the target, and the attacker shares its square with no enemy    (MODE_ATTACK)
//
// Index space: one item = one word of one group, that is of the 8 tiles that differ in the piece's u digit; all 64 squares of
// the piece, 32 lanes. 1-dimensional, [group][word of a tile without the piece's own digit], words fastest: neighbouring items
// read neighbouring words. Any work-group shape; no local memory, no barrier; each word is written by one item.
//
// If the piece's l is in the word (digits 0 and 1), the item takes along digit 2 and exchanges the two: 8x8 bit blocks by
// butterflies. A moving piece of a pair meets tiles that are stored the other way round, where its digit and its partner's have
// changed places; it reads those but does not write them: they are another group's, of the partner's launch.
//
// Reads 64 words and 16 flags, reads and writes up to 64 words: at most 784 B an item; 528 with MODE_STORE; 8 B more in a window.
// Items of unwanted groups read 8 flags, those without a set bit in their source 16.
//
// Fixed men stand in the same place in all lanes, unless the piece's l is in the word and digit 2 is a slice's: then each value of
// that digit, which goes into the lanes, has its own. That is so only where there are but two pieces, the kings, and matters only
// for attacks.
//
// Constants: SWEEP = rook, bishop, queen, king or knight; SLIDER = 1 for the first three.
#ifndef SWEEP
#define SWEEP  rook
#define SLIDER 1
#endif

#include "tile.h"

#include "sweep.h"

#define MODE_INVERT 1 // read ~in
#define MODE_STORE  2 // out = instead of out |=: zeros are written, too
#define MODE_ATTACK 4 // `in` is not read, but 1 where the target stands
#define MODE_KINGS  8 // with MODE_ATTACK: the piece is the white king, but the attacker is its target, the black king

#define CALL_(name) sweep_##name
#define CALL(name)  CALL_(name)

// A set of men: those in the same place in all lanes, as a bitmap of square codes, and the u digits of those whose l is in the
// lanes, in the place of digit 0 or of digit 1.
struct standing {
    ulong same;
    uint low;
    uint high;
};

// The fixed men of a slice among `men`, as a bitmap of square codes.
static inline ulong fixed_squares(uint men, uint4 shape, global const uchar *codes)
{
    ulong squares = 0;
    for (uint i = 0; i < FIXED(shape); i++) {
        const uint code = codes[i];
        squares |= men >> (PIECES(shape) + i) & 1 && code < 64 ? (ulong)1 << code : 0;
    }
    return squares;
}

// `men` has a bit for every digit, and for the fixed men behind them; those stand on fixed_squares.
static inline struct standing stand(uint men, uint u, uint word, ulong fixed_squares, uint placed, uint low_digit,
                                    uint high_digit)
{
    struct standing set = {fixed_squares, NO_DIGIT, NO_DIGIT};
    for (uint q = 0; q < placed; q++) {
        const uint uq = digit_at(u, q);
        if (!(men >> q & 1))
            continue;
        if (q == low_digit)
            set.low = uq;
        else if (q == high_digit)
            set.high = uq;
        else
            set.same |= (ulong)1 << (8 * uq + (word >> (3 * q - 5) & 7));
    }
    return set;
}

// The lanes in which one of the set stands on square (u, l).
static inline lane_t occupied(struct standing set, uint u, uint l, uint upper)
{
    lane_t lanes = set.same >> (8 * u + l) & 1 ? ~(lane_t)0 : 0;
    lanes |= set.low == u ? low_lanes(l) : 0;
    lanes |= set.high == u ? high_lanes(l, upper) : 0;
    return lanes;
}

// Bit `shift` of the lane number against bit `step` of the word number.
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

// Digit 0 against the number of the word; its own inverse.
static inline void exchange_low(lane_t *w)
{
    exchange_bit(w, 1, 1, 0x55555555);
    exchange_bit(w, 2, 2, 0x33333333);
    exchange_bit(w, 4, 4, 0x0f0f0f0f);
}

// The low 2 bits of digit 1 against those of the number of the word; its own inverse.
static inline void exchange_high(lane_t *w)
{
    exchange_bit(w, 1, 8, 0x00ff00ff);
    exchange_bit(w, 2, 16, 0x0000ffff);
}

static inline void exchange(lane_t *w, uint digit)
{
    if (digit == 0)
        exchange_low(w);
    else if (digit == 1)
        exchange_high(w);
}

#if !SLIDER
// Takes the lanes out of [64] squares in which one of `men` stands, fixed men where digit 2 is a slice's and has gone into the
// lanes. codes: of the slice in which that digit is 0. What a word would have of them if they were a plane is exchanged as a
// plane is.
static inline void clear_fixed(lane_t *lanes, uint men, uint4 shape, global const uchar *codes, uint digit, uint upper)
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

// items: of the launch. first_tile: the tile of the whole table at which in[] and out[] begin; 0 in a window. in_active, wanted:
// [tiles of the whole table, or of a window]; a tile that is not in_active has no set bit, one that is not wanted need not be
// written. fixed, window, locals, shape: tile.h. digit: the piece's. shift: the bits of a tile's place below its digit, or its
// pair's. blockers, enemies, target: sets of men as for stand(); the latter two for attacks only.
kernel void sweep(global const uint *in, global uint *out, global const uchar *in_active, global const uchar *wanted,
                  global const uchar *fixed, global const uint *window, const ulong items, const uint first_tile,
                  const uint locals, const uint4 shape, const uint digit, const uint shift, const uint blockers,
                  const uint enemies, const uint target, const uint mode)
{
    const ulong item = get_global_id(0);
    if (item >= items)
        return;
    const uint pieces = PIECES(shape);
    const uint placed = PLACED(shape);
    const uint pair = PAIRED(shape);

    // The group's tiles: [above][pair][rest], or first + u << shift.
    const uint word_bits = 3 * pieces - WORD_BITS_SHIFT;
    const uint group = (uint)(item >> (word_bits - 3));
    const bool paired = pair && digit >= pieces - 2;
    const uint partner_digit = 2 * pieces - 3 - digit;
    const uint partner = group >> shift & 7;
    const uint rest = paired ? group & ((1u << shift) - 1) : digit_insert(group, shift);
    const uint pairs = (group >> shift >> 3) * PAIR_TILES;
    uint tile[8];
    uint foreign = 0; // bit u: stored the other way round
    uint any_wanted = 0;
    uint active = 0;
#pragma unroll
    for (uint u = 0; u < 8; u++) {
        if (paired) {
            tile[u] = rest + ((pairs + pair_number(u, partner)) << shift);
            foreign |= (digit > partner_digit ? u > partner : u < partner) ? 1u << u : 0;
        } else {
            tile[u] = rest + (u << shift);
        }
        any_wanted |= foreign >> u & 1 ? 0 : wanted[first_tile + tile[u]] & 1;
        active |= mode & (MODE_INVERT | MODE_ATTACK) || in_active[first_tile + tile[u]] ? 1u << u : 0;
    }
    if (!any_wanted || (!active && !(mode & MODE_STORE)))
        return;

    // The item's words, and in tiles that are stored the other way round.
    const uint axis = max(digit, 2u);
    const uint axis_at = 3 * axis - 5;
    const uint word = digit_insert((uint)item & ((1u << (word_bits - 3)) - 1), axis_at);
    const uint upper = word & 1;
    struct words own = {word, 1u << axis_at, 4u << axis_at};
    if (digit == 1)
        own = (struct words){(word & ~1u) + 8 * upper, 2, 1};
    struct words other = own;
    if (paired) {
        const uint partner_at = 3 * partner_digit - 5;
        const uint l = word >> partner_at & 7;
        other = (struct words){word - (l << partner_at) + (l << axis_at), 1u << partner_at, 4u << partner_at};
    }

    // The men that stand still. Of a pair, it is the tile in which both have the partner's digit.
    const uint one = paired ? rest + ((pairs + pair_number(partner, partner)) << shift) : rest;
    uint king;
    const uint digits = tile_digits(table_tile(one, first_tile, window, locals), placed, pair, &king);
    global const uchar *codes = fixed + FIXED_STRIDE * slice_of(king, word, shape);
    const uint low_digit = digit == 0 ? 2 : 0;
    const uint high_digit = digit == 1 ? 2 : 1;

    lane_t from[64];
    lane_t to[64];
    if (mode & MODE_ATTACK) {
        const ulong standing = fixed_squares(target, shape, codes);
        const struct standing men = stand(target, digits, word, standing, placed, low_digit, high_digit);
#pragma unroll
        for (uint s = 0; s < 64; s++)
            from[s] = occupied(men, s >> 3, s & 7, upper);
    } else {
        const lane_t flip = mode & MODE_INVERT ? ~(lane_t)0 : 0;
#pragma unroll
        for (uint u = 0; u < 8; u++) {
            global const uint *source = in + ((ulong)tile[u] << word_bits);
            const struct words words = foreign >> u & 1 ? other : own;
#pragma unroll
            for (uint n = 0; n < 8; n++)
                from[8 * u + n] = active >> u & 1 ? source[word_at(words, n)] ^ flip : 0;
            exchange(from + 8 * u, digit);
        }
    }
#if SLIDER
    lane_t empty[64];
    const ulong in_the_way = fixed_squares(blockers, shape, codes);
    const struct standing blocking = stand(blockers, digits, word, in_the_way, placed, low_digit, high_digit);
#pragma unroll
    for (uint s = 0; s < 64; s++)
        empty[s] = ~occupied(blocking, s >> 3, s & 7, upper);
    CALL(SWEEP)(to, from, empty);
#else
    (void)blockers;
    CALL(SWEEP)(to, from);
#endif
    if (mode & MODE_ATTACK) {
        const bool vary = !SLIDER && placed == 2;
        const ulong standing = vary ? 0 : fixed_squares(enemies, shape, codes);
        const struct standing men = stand(enemies, digits, word, standing, placed, low_digit, high_digit);
        const lane_t target_shared = mode & MODE_KINGS ? occupied(men, codes[0] >> 3, codes[0] & 7, upper) : 0;
#pragma unroll
        for (uint s = 0; s < 64; s++)
            to[s] &= ~(mode & MODE_KINGS ? target_shared : occupied(men, s >> 3, s & 7, upper));
#if !SLIDER
        if (vary)
            clear_fixed(to, enemies, shape, codes, digit, upper);
#endif
    }
#pragma unroll
    for (uint u = 0; u < 8; u++) {
        global uint *target_words = out + ((ulong)tile[u] << word_bits);
        if (foreign >> u & 1)
            continue;
        exchange(to + 8 * u, digit);
#pragma unroll
        for (uint n = 0; n < 8; n++) {
            const uint at = word_at(own, n);
            if (mode & MODE_STORE)
                target_words[at] = to[8 * u + n];
            else if (to[8 * u + n])
                target_words[at] |= to[8 * u + n];
        }
    }
}
