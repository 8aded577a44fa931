// dobutsu.h - dobutsu shogi by cells: what moves lead to, for 256 codes at once
//
// Common subset of OpenCL C 1.2 and C11: the CPU backend, the index and the OpenCL kernels use these same formulas.
//
// A cell is the 256 codes that differ in `op`, owners and roosters, only (host/index/dobutsu_code.h). So all men of a cell
// stand on the same squares, and a set of its codes is a word of 256 lanes, lane = op:
//
//     bit of the lane's number    0 1     2 3      4 5        6 7
//     of man                      0 1     0 1      4 5        2 3
//     set:                        Sente's rooster  Sente's    Sente's       (men 0 1 chicks, 2 3 giraffes, 4 5 elephants)
//
// What a man can do depends on squares alone, so one move of one man is one move of a cell: it leads from all lanes in which
// the man is Sente's to lanes of one other cell, which is seen after turning the board:
//
//     owners     all complemented (the board is turned): lane ^ 0xf3. Left for the end: `moves` below are in lanes of the other side
//     order      where a pair comes out in the other order, its bits are exchanged (lanes_swap())
//     capture    the man taken was Gote's, any chick; it is in Sente's hand after, unpromoted
//     promotion  the lane of the rooster counts for the chick
//
// Squares are the reduced ones of the code, 0..9 without the lions' and 10 in hand. What a square is depends on the lions: one
// dobutsu_frame for each of the 24 pairs of lions. A move of another man never changes the lions, so it leads to cells of one other
// pair, with one map of squares.
//
// Only cells in which no two men share a square have a number here (the others are invalid whatever op is): triple * 24 + LL,
// where triples of pair numbers are numbered by rising (PC * 56 + PG) * 56 + PE. A plane has 256 bits for each such live cell.
#ifndef CLTB_KERNELS_DOBUTSU_H
#define CLTB_KERNELS_DOBUTSU_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define DOBUTSU_GLOBAL global
#define DOBUTSU_INLINE static inline
typedef uchar u8_t;
typedef ushort u16_t;
typedef uint u32_t;
typedef ulong u64_t;
typedef ulong4 lanes_t;
#define LANES(a, b, c, d)            ((lanes_t)(a, b, c, d))
#define LANES_WORDS(x, a, b, c, d)   ((x).s##a##b##c##d)
#define LANES_WORD(x, word)          ((x).s##word)
#define LOWEST_SQUARE(mask)          (31 - (int)clz((mask) & (0u - (mask))))
#define COUNT_BITS(word)             ((u32_t)popcount(word))
#define MARK(place)                  (place) = 1
#else
#include <stdint.h>
#pragma GCC diagnostic ignored "-Wpsabi" // no vector leaves an object file
#define DOBUTSU_GLOBAL
#define DOBUTSU_INLINE static inline __attribute__((always_inline)) // numbers of men are constants in all of it
typedef uint8_t u8_t;
typedef uint16_t u16_t;
typedef uint32_t u32_t;
typedef uint64_t u64_t;
typedef uint64_t lanes_t __attribute__((vector_size(32)));
#define LANES(a, b, c, d)            ((lanes_t){(a), (b), (c), (d)})
#define LANES_WORDS(x, a, b, c, d)   ((lanes_t){(x)[a], (x)[b], (x)[c], (x)[d]})
#define LANES_WORD(x, word)          ((x)[word])
#define LOWEST_SQUARE(mask)          (__builtin_ctz(mask))
#define COUNT_BITS(word)             ((u32_t)__builtin_popcountll(word))
#define MARK(place)                  __atomic_store_n(&(place), (u8_t)1, __ATOMIC_RELAXED)
#endif

#define D_HAND     10   // reduced squares 0..9 are the board
#define D_BOARD    0x3ffu
#define D_NONE     255
#define D_LIONS    24   // pairs of lions
#define D_PAIRS    56   // of two like men
#define D_TRIPLES  (D_PAIRS * D_PAIRS * D_PAIRS)
#define D_LIVE     56236 // triples without two men on one square
#define D_CODES    256   // of a cell
#define D_BEFORE   16    // places from which a position can come

// A way to another pair of lions, or from there.
struct dobutsu_step {
    u8_t lions;   // the other pair
    u8_t target;  // of a lion's move: the reduced square it goes to (in the frame before the move); D_NONE: another man moves
    u8_t map[11]; // reduced square -> reduced square there; D_NONE: a lion stands on it
    u8_t room;
};

// One of the squares on which Sente's lion would ascend.
struct dobutsu_goal {
    u16_t giraffe;  // squares from which a Gote giraffe guards it,
    u16_t elephant; //
    u16_t chick;    // (roosters too)
    u16_t rooster;  // and in other ways than a chick
    u8_t square;    // itself
    u8_t guarded;   // by Gote's lion
};

// Squares as seen with one pair of lions. Sets of squares: bit r for reduced square r.
struct dobutsu_frame {
    u16_t giraffe[10];         // where one on the square can go
    u16_t elephant[10];        //
    u16_t rooster[10];         // other ways than a chick's
    u16_t behind[10];          // squares from which a chick or rooster comes here
    u8_t ahead[10];            // where a chick or rooster goes straight; D_NONE: it cannot
    u16_t far;                 // the far rank
    u16_t takes[4];            // squares from which Sente's giraffe, elephant, chick, rooster (other ways) takes Gote's lion
    u8_t goals;                //
    u8_t lion_moves;           //
    u8_t befores;              //
    struct dobutsu_goal goal[2];
    struct dobutsu_step quiet;             // moves of other men
    struct dobutsu_step lion[8];           // moves of Sente's lion
    struct dobutsu_step before[D_BEFORE];  // back from here: map leads to the frame before the move
};

struct dobutsu_tables {
    struct dobutsu_frame frame[D_LIONS];
    u8_t pair[16 * 16];        // [a * 16 + b]: pair number of two reduced squares in either order; 0 where there is none
    u8_t low[D_PAIRS];         // its inverse
    u8_t high[D_PAIRS];        //
    u32_t number[D_TRIPLES];   // of a triple among the live ones; 0 for others, too
    u32_t triple[D_LIVE];      // the inverse
};

// ---- lanes ----

// Lanes in whose number `bit` is 0.
DOBUTSU_INLINE lanes_t lanes_zero(int bit)
{
    const u64_t w = bit == 0   ? 0x5555555555555555u
                    : bit == 1 ? 0x3333333333333333u
                    : bit == 2 ? 0x0f0f0f0f0f0f0f0fu
                    : bit == 3 ? 0x00ff00ff00ff00ffu
                    : bit == 4 ? 0x0000ffff0000ffffu
                    : bit == 5 ? 0x00000000ffffffffu
                               : ~(u64_t)0;
    return LANES(w, bit == 6 ? 0 : w, bit == 7 ? 0 : w, bit >= 6 ? 0 : w);
}

// The lanes of `x` (in all of which `bit` is 0) in the places where it is 1.
DOBUTSU_INLINE lanes_t lanes_up(lanes_t x, int bit)
{
    if (bit == 6)
        return LANES(0, LANES_WORD(x, 0), 0, LANES_WORD(x, 2));
    if (bit == 7)
        return LANES(0, 0, LANES_WORD(x, 0), LANES_WORD(x, 1));
    return x << (u64_t)(1u << bit);
}

// Exchanges the bits shift and 2 * shift apart: delta swap of the lanes in `mask` with those `shift` above.
DOBUTSU_INLINE lanes_t lanes_delta(lanes_t x, u64_t mask, u64_t shift)
{
    const lanes_t t = ((x >> shift) ^ x) & mask;
    return x ^ t ^ (t << shift);
}

// Exchanges the two men of a pair: 0 chicks, 1 giraffes, 2 elephants.
DOBUTSU_INLINE lanes_t lanes_swap(lanes_t x, int kind)
{
    if (kind == 0)
        return lanes_delta(lanes_delta(x, 0x2222222222222222u, 1), 0x00f000f000f000f0u, 4);
    if (kind == 1)
        return LANES_WORDS(x, 0, 2, 1, 3);
    return lanes_delta(x, 0x00000000ffff0000u, 16);
}

// Every owner complemented: lane ^ 0xf3.
DOBUTSU_INLINE lanes_t lanes_turn(lanes_t x)
{
    x = LANES_WORDS(x, 3, 2, 1, 0);
    x = lanes_delta(x, 0x00000000ffffffffu, 32);
    x = lanes_delta(x, 0x0000ffff0000ffffu, 16);
    x = lanes_delta(x, 0x3333333333333333u, 2);
    return lanes_delta(x, 0x5555555555555555u, 1);
}

DOBUTSU_INLINE int lanes_any(lanes_t x)
{
    return (LANES_WORD(x, 0) | LANES_WORD(x, 1) | LANES_WORD(x, 2) | LANES_WORD(x, 3)) != 0;
}

DOBUTSU_INLINE int man_owner_bit(int man)
{
    return man < 2 ? man : man < 4 ? man + 4 : man;
}

// ---- cells ----

// The reduced squares of the six men, pair by pair.
DOBUTSU_INLINE void dobutsu_squares(const DOBUTSU_GLOBAL struct dobutsu_tables *tables, u32_t triple, u8_t *square)
{
    const u32_t pair[3] = {triple / (D_PAIRS * D_PAIRS), triple / D_PAIRS % D_PAIRS, triple % D_PAIRS};
    for (int kind = 0; kind < 3; kind++) {
        square[2 * kind] = tables->low[pair[kind]];
        square[2 * kind + 1] = tables->high[pair[kind]];
    }
}

// The number of the live cell with these men.
DOBUTSU_INLINE u32_t dobutsu_cell_of(const DOBUTSU_GLOBAL struct dobutsu_tables *tables, u32_t chicks, u32_t giraffes,
                                    u32_t elephants, u32_t lions)
{
    return tables->number[(chicks * D_PAIRS + giraffes) * D_PAIRS + elephants] * D_LIONS + lions;
}

DOBUTSU_INLINE u32_t dobutsu_pair_of(const DOBUTSU_GLOBAL struct dobutsu_tables *tables, u32_t a, u32_t b)
{
    return tables->pair[a * 16 + b];
}

// Lanes of invalid codes of a live cell: a rooster in hand.
DOBUTSU_INLINE lanes_t dobutsu_invalid(const u8_t *square)
{
    lanes_t lanes = LANES(0, 0, 0, 0);
    if (square[0] == D_HAND)
        lanes |= ~lanes_zero(2);
    if (square[1] == D_HAND)
        lanes |= ~lanes_zero(3);
    return lanes;
}

DOBUTSU_INLINE lanes_t set_if(int condition, lanes_t lanes)
{
    return condition ? lanes : LANES(0, 0, 0, 0);
}

// Lanes in which a man on one of the `straight` squares, or a rooster on one of the `other` ones, counts: as lanes of roosters and
// chicks, whoever owns them.
DOBUTSU_INLINE lanes_t chick_lanes(const u8_t *square, int man, u32_t straight, u32_t other)
{
    return set_if(straight >> square[man] & 1, LANES(~(u64_t)0, ~(u64_t)0, ~(u64_t)0, ~(u64_t)0)) |
           set_if(other >> square[man] & 1, ~lanes_zero(2 + man));
}

DOBUTSU_INLINE lanes_t any_if(int condition)
{
    return set_if(condition, LANES(~(u64_t)0, ~(u64_t)0, ~(u64_t)0, ~(u64_t)0));
}

// Lanes in which Sente takes Gote's lion or ascends with the next move. Lanes of invalid codes may be among them.
DOBUTSU_INLINE lanes_t dobutsu_won(const DOBUTSU_GLOBAL struct dobutsu_frame *frame, const u8_t *square)
{
    lanes_t won = LANES(0, 0, 0, 0);
    for (int man = 0; man < 2; man++)
        won |= chick_lanes(square, man, frame->takes[2], frame->takes[3]) & ~lanes_zero(man);
    for (int man = 2; man < 4; man++)
        won |= any_if(frame->takes[0] >> square[man] & 1) & ~lanes_zero(man_owner_bit(man));
    for (int man = 4; man < 6; man++)
        won |= any_if(frame->takes[1] >> square[man] & 1) & ~lanes_zero(man_owner_bit(man));
    for (int i = 0; i < frame->goals; i++) {
        lanes_t blocked = any_if(frame->goal[i].guarded);
        for (int man = 0; man < 6; man++)
            blocked |= any_if(square[man] == frame->goal[i].square) & ~lanes_zero(man_owner_bit(man));
        for (int man = 0; man < 2; man++)
            blocked |= chick_lanes(square, man, frame->goal[i].chick, frame->goal[i].rooster) & lanes_zero(man);
        for (int man = 2; man < 4; man++)
            blocked |= any_if(frame->goal[i].giraffe >> square[man] & 1) & lanes_zero(man_owner_bit(man));
        for (int man = 4; man < 6; man++)
            blocked |= any_if(frame->goal[i].elephant >> square[man] & 1) & lanes_zero(man_owner_bit(man));
        won |= ~blocked;
    }
    return won;
}

// ---- moves ----

// Where moves may lead to, for one cell: `plane` is read at the cells that `fresh` flags, or at all where `fresh` is 0 (the bits of
// others are taken as 0). Only the lanes `wanted` count: in the view's order, with owners as after turning.
struct dobutsu_search {
    const DOBUTSU_GLOBAL lanes_t *plane;
    const DOBUTSU_GLOBAL u8_t *fresh;
    const DOBUTSU_GLOBAL struct dobutsu_tables *tables;
    const DOBUTSU_GLOBAL struct dobutsu_frame *frame;
    u32_t empty; // squares of the board
};

// A cell as its moves see it. Men of a pair are in the order in which they come out after turning, as long as they do not move:
// so lanes need no exchange but where a move changes that order. `swapped`: pairs whose order is not the cell's.
struct dobutsu_view {
    u8_t from[6]; // reduced squares
    u8_t to[6];   // the same squares in the frame after the move
    u32_t pair[3];
    u32_t swapped[3];
    u32_t lions; // after the move
};

DOBUTSU_INLINE struct dobutsu_view dobutsu_view_of(const DOBUTSU_GLOBAL struct dobutsu_tables *tables,
                                                  const DOBUTSU_GLOBAL struct dobutsu_step *step, const u8_t *square)
{
    struct dobutsu_view view;
    for (int kind = 0; kind < 3; kind++) {
        const u8_t a = square[2 * kind], b = square[2 * kind + 1];
        const u8_t to_a = step->map[a], to_b = step->map[b];
        view.swapped[kind] = to_a > to_b;
        view.from[2 * kind] = to_a > to_b ? b : a;
        view.from[2 * kind + 1] = to_a > to_b ? a : b;
        view.to[2 * kind] = to_a > to_b ? to_b : to_a;
        view.to[2 * kind + 1] = to_a > to_b ? to_a : to_b;
        view.pair[kind] = dobutsu_pair_of(tables, view.to[2 * kind] & 15u, view.to[2 * kind + 1] & 15u);
    }
    view.lions = step->lions;
    return view;
}

// The view's lanes as the cell's own, and back.
DOBUTSU_INLINE lanes_t dobutsu_own(lanes_t x, const struct dobutsu_view *view)
{
    if (view->swapped[0])
        x = lanes_swap(x, 0);
    if (view->swapped[1])
        x = lanes_swap(x, 1);
    if (view->swapped[2])
        x = lanes_swap(x, 2);
    return x;
}

// Lanes of a cell after a capture by which `man` goes to Sente's hand -> lanes before it, in which it is Gote's.
DOBUTSU_INLINE lanes_t lanes_captured(lanes_t x, int man)
{
    x &= lanes_zero(man_owner_bit(man));
    if (man < 2) {
        x &= lanes_zero(2 + man);
        x |= lanes_up(x, 2 + man);
    }
    return lanes_up(x, man_owner_bit(man));
}

DOBUTSU_INLINE int dobutsu_is_fresh(const struct dobutsu_search *search, u32_t cell)
{
    return search->fresh == 0 || search->fresh[cell] != 0;
}

// The lanes after man `man` has gone to the square `to` (after the move); `taken`: the man that it takes, or D_NONE. Constant numbers of
// men make this straight code.
DOBUTSU_INLINE lanes_t dobutsu_after(const struct dobutsu_search *search, const struct dobutsu_view *view, int man, u32_t to,
                                    int taken)
{
    u32_t pair[3] = {view->pair[0], view->pair[1], view->pair[2]};
    const int kind = man / 2;
    const u32_t mate = taken == (man ^ 1) ? D_HAND : view->to[man ^ 1];
    const int exchanged = man & 1 ? mate > to : to > mate;
    pair[kind] = dobutsu_pair_of(search->tables, to, mate);
    if (taken != D_NONE && taken / 2 != kind)
        pair[taken / 2] = dobutsu_pair_of(search->tables, D_HAND, view->to[taken ^ 1]);
    const u32_t cell = dobutsu_cell_of(search->tables, pair[0], pair[1], pair[2], view->lions);
    if (!dobutsu_is_fresh(search, cell))
        return LANES(0, 0, 0, 0);
    lanes_t x = search->plane[cell];
    if (exchanged)
        x = lanes_swap(x, kind);
    if (taken == D_NONE)
        return x;
    // The first of a pair goes to hand: it becomes the second, unless the other one is there already.
    if (taken / 2 != kind && (taken & 1) == 0 && view->to[taken ^ 1] != D_HAND)
        x = lanes_swap(x, taken / 2);
    return lanes_captured(x, taken);
}

// Captures by `man` on one of the squares `targets`.
DOBUTSU_INLINE lanes_t dobutsu_captures(const struct dobutsu_search *search, const struct dobutsu_view *view, lanes_t wanted,
                                       int man, u32_t targets)
{
    lanes_t sum = LANES(0, 0, 0, 0);
#define TAKE(other)                                                                                                    \
    if ((other) != man && (targets >> view->from[other] & 1) != 0 &&                                                   \
        lanes_any(wanted & ~lanes_zero(man_owner_bit(other))))                                                         \
        sum |= dobutsu_after(search, view, man, view->to[other], other);
    TAKE(0)
    TAKE(1)
    TAKE(2)
    TAKE(3)
    TAKE(4)
    TAKE(5)
#undef TAKE
    return sum;
}

// Moves to empty squares.
DOBUTSU_INLINE lanes_t dobutsu_quiet(const struct dobutsu_search *search, const struct dobutsu_view *view, int man,
                                    u32_t targets)
{
    lanes_t sum = LANES(0, 0, 0, 0);
    for (; targets != 0; targets &= targets - 1)
        sum |= dobutsu_after(search, view, man, search->frame->quiet.map[LOWEST_SQUARE(targets)], D_NONE);
    return sum;
}

DOBUTSU_INLINE lanes_t dobutsu_moves_of(const struct dobutsu_search *search, const struct dobutsu_view *view, lanes_t wanted,
                                       int man, u32_t targets)
{
    return dobutsu_quiet(search, view, man, targets & search->empty) |
           dobutsu_captures(search, view, wanted, man, targets & ~search->empty);
}

// The lanes among `wanted` from which a chick's moves lead into the plane. Sente's lanes are those with owner 0, as after turning.
DOBUTSU_INLINE lanes_t dobutsu_chick(const struct dobutsu_search *search, const struct dobutsu_view *view, lanes_t wanted,
                                    int man)
{
    const u32_t from = view->from[man];
    const lanes_t rooster = ~lanes_zero(2 + man);
    wanted &= lanes_zero(man);
    if (!lanes_any(wanted))
        return wanted;
    if (from == D_HAND)
        return dobutsu_quiet(search, view, man, search->empty) & ~rooster & wanted;
    lanes_t sum = LANES(0, 0, 0, 0);
    if (lanes_any(wanted & rooster))
        sum = dobutsu_moves_of(search, view, wanted, man, search->frame->rooster[from]) & rooster;
    const u32_t ahead = search->frame->ahead[from];
    if (ahead != D_NONE) {
        lanes_t x = dobutsu_moves_of(search, view, wanted, man, 1u << ahead);
        if (search->frame->far >> ahead & 1) {
            x &= rooster;
            x |= x >> (u64_t)(man == 0 ? 4 : 8);
        }
        sum |= x;
    }
    return sum & wanted;
}

DOBUTSU_INLINE lanes_t dobutsu_other(const struct dobutsu_search *search, const struct dobutsu_view *view, lanes_t wanted,
                                    int man)
{
    const u32_t from = view->from[man];
    wanted &= lanes_zero(man_owner_bit(man));
    if (!lanes_any(wanted))
        return wanted;
    if (from == D_HAND)
        return dobutsu_quiet(search, view, man, search->empty) & wanted;
    const u32_t targets = man < 4 ? search->frame->giraffe[from] : search->frame->elephant[from];
    return dobutsu_moves_of(search, view, wanted, man, targets) & wanted;
}

// The lanes after the lion has taken man `taken`. Its square has no number after the move, D_NONE, so that it is the second of its
// pair in the view, as it will be in hand.
DOBUTSU_INLINE lanes_t dobutsu_lion_takes(const struct dobutsu_search *search, const struct dobutsu_view *view, int taken)
{
    u32_t pair[3] = {view->pair[0], view->pair[1], view->pair[2]};
    pair[taken / 2] = dobutsu_pair_of(search->tables, D_HAND, view->to[taken ^ 1]);
    const u32_t cell = dobutsu_cell_of(search->tables, pair[0], pair[1], pair[2], view->lions);
    if (!dobutsu_is_fresh(search, cell))
        return LANES(0, 0, 0, 0);
    return lanes_captured(search->plane[cell], taken);
}

// In lanes of the cell itself, but for the owners.
DOBUTSU_INLINE lanes_t dobutsu_lion(const struct dobutsu_search *search, const DOBUTSU_GLOBAL struct dobutsu_step *step,
                                   const u8_t *square)
{
    const struct dobutsu_view view = dobutsu_view_of(search->tables, step, square);
    if (search->empty >> step->target & 1) {
        const u32_t cell = dobutsu_cell_of(search->tables, view.pair[0], view.pair[1], view.pair[2], view.lions);
        return dobutsu_is_fresh(search, cell) ? dobutsu_own(search->plane[cell], &view) : LANES(0, 0, 0, 0);
    }
    lanes_t x = LANES(0, 0, 0, 0);
#define TAKE(man)                                                                                                      \
    if (view.from[man] == step->target)                                                                                \
        x = dobutsu_lion_takes(search, &view, man);
    TAKE(1)
    TAKE(3)
    TAKE(5)
#undef TAKE
    return dobutsu_own(x, &view);
}

// The lanes among `open` of a live cell from which some move of Sente leads to a set bit of the plane. Moves that leave Sente's lion to
// be taken at once on a square that has no code lead nowhere. Ends as soon as all of `open` are found.
DOBUTSU_INLINE lanes_t dobutsu_any_move(const DOBUTSU_GLOBAL lanes_t *plane, const DOBUTSU_GLOBAL u8_t *fresh,
                                       const DOBUTSU_GLOBAL struct dobutsu_tables *tables,
                                       const DOBUTSU_GLOBAL struct dobutsu_frame *frame, const u8_t *square, lanes_t open)
{
    struct dobutsu_search search = {plane, fresh, tables, frame, D_BOARD};
    for (int man = 0; man < 6; man++)
        search.empty &= ~(1u << square[man]);
    const lanes_t turned = lanes_turn(open);
    lanes_t sum = LANES(0, 0, 0, 0);
    for (int i = 0; i < frame->lion_moves && lanes_any(turned & ~sum); i++)
        sum |= dobutsu_lion(&search, &frame->lion[i], square);
    const struct dobutsu_view view = dobutsu_view_of(tables, &frame->quiet, square);
    const lanes_t wanted = dobutsu_own(turned, &view);
    sum = dobutsu_own(sum, &view);
    sum |= dobutsu_other(&search, &view, wanted & ~sum, 2);
    sum |= dobutsu_other(&search, &view, wanted & ~sum, 3);
    sum |= dobutsu_other(&search, &view, wanted & ~sum, 4);
    sum |= dobutsu_other(&search, &view, wanted & ~sum, 5);
    sum |= dobutsu_chick(&search, &view, wanted & ~sum, 0);
    sum |= dobutsu_chick(&search, &view, wanted & ~sum, 1);
    return open & lanes_turn(dobutsu_own(sum, &view));
}

// ---- back ----

// Marks the live cells before a move to (men on) `to`, in the frame of `lions`.
DOBUTSU_INLINE void dobutsu_mark(DOBUTSU_GLOBAL u8_t *marks, const DOBUTSU_GLOBAL struct dobutsu_tables *tables, const u8_t *at,
                                u32_t lions)
{
    const u32_t chicks = dobutsu_pair_of(tables, at[0], at[1]);
    const u32_t giraffes = dobutsu_pair_of(tables, at[2], at[3]);
    const u32_t elephants = dobutsu_pair_of(tables, at[4], at[5]);
    MARK(marks[dobutsu_cell_of(tables, chicks, giraffes, elephants, lions)]);
}

// `mover` (or the lion, D_NONE) came to `square`: nothing was taken there, or one of the men in hand.
DOBUTSU_INLINE void dobutsu_mark_captures(DOBUTSU_GLOBAL u8_t *marks, const DOBUTSU_GLOBAL struct dobutsu_tables *tables,
                                         u8_t *at, u32_t lions, int mover, u32_t square)
{
    dobutsu_mark(marks, tables, at, lions);
    for (int man = 0; man < 6; man++) {
        if (man == mover || at[man] != D_HAND)
            continue;
        at[man] = (u8_t)square;
        dobutsu_mark(marks, tables, at, lions);
        at[man] = D_HAND;
    }
}

// `at`: the men after the move, in the frame before it.
DOBUTSU_INLINE void dobutsu_mark_men(DOBUTSU_GLOBAL u8_t *marks, const DOBUTSU_GLOBAL struct dobutsu_tables *tables, u8_t *at,
                                    u32_t lions)
{
    const DOBUTSU_GLOBAL struct dobutsu_frame *frame = &tables->frame[lions];
    u32_t empty = D_BOARD;
    for (int man = 0; man < 6; man++)
        empty &= ~(1u << at[man]);
    for (int man = 0; man < 6; man++) {
        const u8_t to = at[man];
        if (to == D_HAND)
            continue;
        at[man] = D_HAND; // it was dropped
        dobutsu_mark(marks, tables, at, lions);
        const u32_t ways = man < 2 ? frame->behind[to] : man < 4 ? frame->giraffe[to] : frame->elephant[to];
        for (u32_t from = ways & empty; from != 0; from &= from - 1) {
            at[man] = (u8_t)LOWEST_SQUARE(from);
            dobutsu_mark_captures(marks, tables, at, lions, man, to);
        }
        at[man] = to;
    }
}

// Marks all live cells from which a move leads to this one (and a few others).
DOBUTSU_INLINE void dobutsu_mark_before(DOBUTSU_GLOBAL u8_t *marks, const DOBUTSU_GLOBAL struct dobutsu_tables *tables,
                                       const DOBUTSU_GLOBAL struct dobutsu_frame *frame, const u8_t *square)
{
    for (int i = 0; i < frame->befores; i++) {
        const DOBUTSU_GLOBAL struct dobutsu_step *step = &frame->before[i];
        u8_t at[6];
        int possible = 1;
        for (int man = 0; man < 6; man++) {
            at[man] = step->map[square[man]];
            possible &= at[man] != D_NONE && at[man] != step->target;
        }
        if (!possible)
            continue;
        if (step->target == D_NONE)
            dobutsu_mark_men(marks, tables, at, step->lions);
        else
            dobutsu_mark_captures(marks, tables, at, step->lions, D_NONE, step->target);
    }
}

// ---- rounds ----

// The planes of the solver, each [D_LIVE * D_LIONS] cells.
struct dobutsu_planes {
    DOBUTSU_GLOBAL lanes_t *open;    // codes without a value yet
    DOBUTSU_GLOBAL lanes_t *not_won; // all others than wins: invalid codes too
    DOBUTSU_GLOBAL lanes_t *lost;    //
    DOBUTSU_GLOBAL u8_t *fresh;      // [cells] nonzero: has codes lost in the last odd round
    DOBUTSU_GLOBAL u8_t *values;     // [cells * 256], the byte of each code
};

DOBUTSU_INLINE u32_t lanes_count(lanes_t x)
{
    return COUNT_BITS(LANES_WORD(x, 0)) + COUNT_BITS(LANES_WORD(x, 1)) + COUNT_BITS(LANES_WORD(x, 2)) +
           COUNT_BITS(LANES_WORD(x, 3));
}

DOBUTSU_INLINE void values_put_word(DOBUTSU_GLOBAL u8_t *values, u64_t word, u8_t value)
{
    for (u32_t part = 0; part < 2; part++) {
        for (u32_t bits = (u32_t)(word >> 32 * part); bits != 0; bits &= bits - 1)
            values[32 * part + (u32_t)LOWEST_SQUARE(bits)] = value;
    }
}

DOBUTSU_INLINE void values_put(DOBUTSU_GLOBAL u8_t *values, lanes_t lanes, u8_t value)
{
    values_put_word(values, LANES_WORD(lanes, 0), value);
    values_put_word(values + 64, LANES_WORD(lanes, 1), value);
    values_put_word(values + 128, LANES_WORD(lanes, 2), value);
    values_put_word(values + 192, LANES_WORD(lanes, 3), value);
}

// What the codes of a cell say by themselves. Returns how many are won at once (value 0).
DOBUTSU_INLINE u32_t dobutsu_class_cell(const struct dobutsu_planes *planes, const DOBUTSU_GLOBAL struct dobutsu_tables *tables,
                                       u32_t cell)
{
    u8_t square[6];
    dobutsu_squares(tables, tables->triple[cell / D_LIONS], square);
    const lanes_t invalid = dobutsu_invalid(square);
    const lanes_t won = dobutsu_won(&tables->frame[cell % D_LIONS], square) & ~invalid;
    planes->open[cell] = ~(invalid | won);
    planes->not_won[cell] = ~won;
    planes->lost[cell] = LANES(0, 0, 0, 0);
    DOBUTSU_GLOBAL u8_t *values = planes->values + (u64_t)cell * 256;
    for (u32_t i = 0; i < 256; i++)
        values[i] = 0xfe;
    values_put(values, invalid, 0xff);
    values_put(values, won, 0);
    return lanes_count(won);
}

// Round `ply` for a cell: odd: codes all of whose moves lead to wins of the other side, or that have no move, are lost; even: codes
// with a move to a loss of the other side are won. Marks the cells before, if there are new ones and `marks` is not 0. Returns how
// many are new.
DOBUTSU_INLINE u32_t dobutsu_round_cell(const struct dobutsu_planes *planes, const DOBUTSU_GLOBAL struct dobutsu_tables *tables,
                                       DOBUTSU_GLOBAL u8_t *marks, u32_t ply, u32_t cell)
{
    const lanes_t open = planes->open[cell];
    if (!lanes_any(open))
        return 0;
    const DOBUTSU_GLOBAL struct dobutsu_frame *frame = &tables->frame[cell % D_LIONS];
    u8_t square[6];
    dobutsu_squares(tables, tables->triple[cell / D_LIONS], square);
    const int odd = ply & 1;
    const lanes_t any = odd ? dobutsu_any_move(planes->not_won, 0, tables, frame, square, open)
                            : dobutsu_any_move(planes->lost, planes->fresh, tables, frame, square, open);
    const lanes_t fresh = odd ? open & ~any : any;
    if (!lanes_any(fresh))
        return 0;
    planes->open[cell] = open & ~fresh;
    if (odd) {
        planes->lost[cell] |= fresh;
        planes->fresh[cell] = 1;
    } else {
        planes->not_won[cell] &= ~fresh;
    }
    values_put(planes->values + (u64_t)cell * 256, fresh, (u8_t)ply);
    if (marks != 0)
        dobutsu_mark_before(marks, tables, frame, square);
    return lanes_count(fresh);
}

#endif
