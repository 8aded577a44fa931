// dobutsu.h - dobutsu shogi by cells: what moves lead to, for 256 codes at once
//
// Common subset of OpenCL C 1.2 and C11: the CPU backend, the table and the OpenCL kernels use these same formulas.
//
// A cell is the 256 codes that differ in `op`, the owners and roosters, only (host/dobutsu/code.h). All men of a cell
// stand on the same squares, and a set of its codes is a word of 256 lanes, lane = op:
//
//     bit of the lane's number    0 1     2 3      4 5        6 7
//     of man                      0 1     0 1      4 5        2 3
//     set:                        Sente's rooster  Sente's    Sente's
//                                 chicks           elephants  giraffes
//
// What a man can do depends on squares alone, so one move of one man is one move of the cell: it leads from all lanes
// in which the man is Sente's to lanes of one other cell, which is seen after the board is turned. dobutsu_lead()
// computes from which lanes of a cell a move leads to a set bit of a plane, as follows.
//
// 1. Take the word of the cell that the move leads to, and of it the lanes that can come from this move (`way`): the
//    man that moved is Gote's now. A promotion takes the lanes of the rooster for those of the chick.
// 2. Join the words of all moves that are treated alike from here on, a run.
// 3. Capture: the man taken is in Sente's hand after the move, unpromoted; before it he was Gote's, any chick.
// 4. Order: where the men of a pair come out in the other order, exchange their bits.
// 5. At the end, once for all moves of a cell, complement the owners (lane ^ 0xf3), because the board was turned.
//
// Example: the initial position is lane 0x51 of a cell with the chicks on 4 and 7 and the lions on 1 and 10. Chick 0
// goes from 4 to 7 and takes chick 1. Turned, it stands on 11 - 7 = 4, the lions stand on 1 and 10 as before, and chick
// 1 is in Gote's hand: lane (0x51 | 0x02) ^ 0xf3 = 0xa0 of a cell with the chicks on 4 and in hand. No pair changes its
// order.
//
// Squares are the reduced ones of the code: 0..9 without the lions' squares, and 10 in hand. Which square of the board
// that is depends on the lions, so there is one dobutsu_frame for each of the 24 pairs of lions. As a move of another
// man leaves the lions where they are, all such moves lead to cells of one other pair of lions, by one map of squares.
//
// Only live cells, in which no two men share a square, have a number here (in others every code is invalid): triple *
// 24 + LL, where the triples of pair numbers are numbered by rising (PC * 56 + PG) * 56 + PE. A plane has 256 bits for
// each.
//
// While Sente's lion is on the middle file a cell and its mirror image have the same values: the one with the lower
// number is kept, and moves lead to that one.
#ifndef CLTB_KERNELS_DOBUTSU_DOBUTSU_H
#define CLTB_KERNELS_DOBUTSU_DOBUTSU_H

#include "types.h"

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define DOBUTSU_GLOBAL global
#define DOBUTSU_INLINE static inline
typedef ulong4 lanes_t;
#define LANES(a, b, c, d)          ((lanes_t)(a, b, c, d))
#define LANES_WORDS(x, a, b, c, d) ((x).s##a##b##c##d)
#define LANES_WORD(x, word)        ((x).s##word)
#define WORDS_ANY(x)               (((x).s0 | (x).s1 | (x).s2 | (x).s3) != 0)
#define LOWEST_SQUARE(mask)        (31 - (int)clz((mask) & (0u - (mask))))
#define COUNT_BITS(word)           ((u32_t)popcount(word))
#define SET_BIT(words, n)          atomic_or(&(words)[(n) >> 5], 1u << (n) % 32)
#define PREFETCH(place)            // nothing: other work-items run in the meantime
#ifndef D_ACROSS
#define D_ACROSS 32 // cells whose moves lie side by side, as the work-items read them
#endif
#else
#pragma GCC diagnostic ignored "-Wpsabi" // no vector leaves an object file
#define DOBUTSU_GLOBAL
// The numbers of men must be compile-time constants in all of this.
#define DOBUTSU_INLINE             static inline __attribute__((always_inline))
typedef uint64_t lanes_t __attribute__((vector_size(32)));
#define LANES(a, b, c, d)          ((lanes_t){(a), (b), (c), (d)})
#define LANES_WORDS(x, a, b, c, d) ((lanes_t){(x)[a], (x)[b], (x)[c], (x)[d]})
#define LANES_WORD(x, word)        ((x)[word])
#ifdef __AVX__
typedef long long signed_lanes_t __attribute__((vector_size(32)));
#define WORDS_ANY(x) (!__builtin_ia32_ptestz256((signed_lanes_t)(x), (signed_lanes_t)(x)))
#else
#define WORDS_ANY(x) (((x)[0] | (x)[1] | (x)[2] | (x)[3]) != 0)
#endif
#define LOWEST_SQUARE(mask) (__builtin_ctz(mask))
#define COUNT_BITS(word)    ((u32_t)__builtin_popcountll(word))
#define SET_BIT(words, n)   __atomic_fetch_or(&(words)[(n) >> 5], 1u << (n) % 32, __ATOMIC_RELAXED)
#define PREFETCH(place)     __builtin_prefetch(place)
#define D_ACROSS            1
#endif

enum {
    D_HAND = 10, // reduced squares 0..9 are the board
    D_BOARD = 0x3ff,
    D_NONE = 255,
    D_LIONS = 24, // pairs of lions
    D_PAIRS = 56, // of two identical pieces
    D_TRIPLES = D_PAIRS * D_PAIRS * D_PAIRS,
    D_LIVE = 56236, // triples without two men on one square
    D_CELLS = D_LIVE * D_LIONS,
    D_CODES = 256,               // of a cell
    D_MOVES = 68,                // of a cell, at most: six men in hand on ten squares, the lion on eight
    D_AHEAD = 48,                // moves that pass between the prefetch of a cell and its use
    D_BEFORE = 16,               // places a position can come from
    D_FLAG_WORDS = D_CELLS / 32, // a flag for each cell
    D_STARTS = D_CELLS / D_ACROSS
};

// The step from one pair of lions to another, or back.
struct dobutsu_step {
    u8_t lions;   // the other pair
    u8_t target;  // the reduced square that a lion's move goes to (in the frame before it); D_NONE: another man moves
    u8_t map[11]; // [reduced square]: the same square with the other pair; D_NONE: a lion stands on it
    u8_t room;
};

// The squares from which one square is attacked, by the man that stands on them: bit r for reduced square r.
struct dobutsu_attackers {
    u16_t walker[2]; // giraffe, elephant
    u16_t chick;     // chick or rooster
    u16_t rooster;   // rooster only
};

// One of the squares on which Sente's lion can ascend.
struct dobutsu_goal {
    struct dobutsu_attackers guard; // Gote's men
    u8_t square;                    // the goal
    u8_t guarded;                   // Gote's lion attacks it
};

// The squares as seen with one pair of lions.
struct dobutsu_frame {
    u16_t walker[2][10];            // squares to which a giraffe, an elephant can go
    u16_t rooster[10];              // squares to which a rooster can go, but not a chick
    u16_t behind[10];               // squares from which a chick or rooster can come
    u8_t ahead[10];                 // where a chick or rooster goes straight ahead; D_NONE: nowhere
    u16_t far;                      // the far rank
    struct dobutsu_attackers takes; // Sente's men that can take Gote's lion
    u8_t goals;                     //
    u8_t lion_moves;                //
    u8_t befores;                   //
    struct dobutsu_goal goal[2];
    struct dobutsu_step mirror;  // to the mirror image; lions == D_NONE: Sente's lion is not on the middle file
    struct dobutsu_step quiet;   // moves of other men
    struct dobutsu_step lion[8]; // moves of Sente's lion
    struct dobutsu_step before[D_BEFORE]; // back from here: `map` leads to the frame before the move
};

struct dobutsu_tables {
    lanes_t way[16]; // the lanes (after turning) from which a move can be made
    struct dobutsu_frame frame[D_LIONS];
    u8_t pair[16 * 16];      // [a * 16 + b]: the pair number of two reduced squares in either order; 0 if there is none
    u8_t low[D_PAIRS];       // its inverse
    u8_t high[D_PAIRS];      //
    u32_t number[D_TRIPLES]; // of a triple among the live ones; 0 for others, too
    u32_t triple[D_LIVE];    // the inverse
};

typedef const DOBUTSU_GLOBAL struct dobutsu_step dobutsu_step_t;
typedef const DOBUTSU_GLOBAL struct dobutsu_frame dobutsu_frame_t;
typedef const DOBUTSU_GLOBAL struct dobutsu_tables dobutsu_tables_t;

// ---- lanes ----

#define NO_LANES LANES(0, 0, 0, 0)

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

DOBUTSU_INLINE lanes_t lanes_if(int condition, lanes_t lanes)
{
    return condition ? lanes : NO_LANES;
}

// Exchanges the lanes in `mask` with those `shift` above them (a delta swap).
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

// Complements every owner: lane ^ 0xf3.
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
    return WORDS_ANY(x);
}

DOBUTSU_INLINE u32_t lanes_count(lanes_t x)
{
    return COUNT_BITS(LANES_WORD(x, 0)) + COUNT_BITS(LANES_WORD(x, 1)) + COUNT_BITS(LANES_WORD(x, 2)) +
           COUNT_BITS(LANES_WORD(x, 3));
}

// Lanes in which a man is Gote's.
DOBUTSU_INLINE lanes_t lanes_gote(int man)
{
    return lanes_zero(man < 2 ? man : man < 4 ? man + 4 : man);
}

// ---- cells ----

// The reduced squares of the six men, pair by pair.
DOBUTSU_INLINE void dobutsu_squares(dobutsu_tables_t *tables, u32_t triple, u8_t *square)
{
    const u32_t pair[3] = {triple / (D_PAIRS * D_PAIRS), triple / D_PAIRS % D_PAIRS, triple % D_PAIRS};
    for (int kind = 0; kind < 3; kind++) {
        square[2 * kind] = tables->low[pair[kind]];
        square[2 * kind + 1] = tables->high[pair[kind]];
    }
}

// The live cell with the men on these squares, which need not be in order.
DOBUTSU_INLINE u32_t dobutsu_cell_at(dobutsu_tables_t *tables, const u8_t *square, u32_t lions)
{
    u32_t triple = 0;
    for (int man = 0; man < 6; man += 2)
        triple = triple * D_PAIRS + tables->pair[square[man] * 16 + square[man + 1]];
    return tables->number[triple] * D_LIONS + lions;
}

// The mirror image of `cell`, whose men are on `square`, if Sente's lion is on the middle file: a cell with the same
// values. Otherwise `cell` itself.
DOBUTSU_INLINE u32_t dobutsu_image(dobutsu_tables_t *tables, const u8_t *square, u32_t cell)
{
    dobutsu_step_t *mirror = &tables->frame[cell % D_LIONS].mirror;
    u8_t at[6];
    if (mirror->lions == D_NONE)
        return cell;
    for (int man = 0; man < 6; man++)
        at[man] = mirror->map[square[man]];
    return dobutsu_cell_at(tables, at, mirror->lions);
}

// The pairs whose men come out in the other order after a map of squares (bit k: kind k).
DOBUTSU_INLINE u32_t dobutsu_swaps(const DOBUTSU_GLOBAL u8_t *map, const u8_t *square)
{
    u32_t swaps = 0;
    for (int kind = 0; kind < 3; kind++)
        swaps |= (u32_t)(map[square[2 * kind]] > map[square[2 * kind + 1]]) << kind;
    return swaps;
}

// Lanes of invalid codes of a live cell: a rooster in hand.
DOBUTSU_INLINE lanes_t dobutsu_invalid(const u8_t *square)
{
    return lanes_if(square[0] == D_HAND, ~lanes_zero(2)) | lanes_if(square[1] == D_HAND, ~lanes_zero(3));
}

// Lanes in which one of the attackers is Sente's man, or Gote's if `sente` is 0.
DOBUTSU_INLINE lanes_t dobutsu_attack(const DOBUTSU_GLOBAL struct dobutsu_attackers *from, const u8_t *square,
                                      int sente)
{
    lanes_t attack = NO_LANES;
    for (int man = 0; man < 6; man++) {
        const u32_t squares = man < 2 ? from->chick : from->walker[man / 2 - 1];
        lanes_t lanes = lanes_if(squares >> square[man] & 1, ~NO_LANES);
        if (man < 2)
            lanes |= lanes_if(from->rooster >> square[man] & 1, ~lanes_zero(2 + man));
        attack |= lanes & (sente ? ~lanes_gote(man) : lanes_gote(man));
    }
    return attack;
}

// Lanes in which Sente takes Gote's lion or ascends with the next move. They may include lanes of invalid codes.
DOBUTSU_INLINE lanes_t dobutsu_won(dobutsu_frame_t *frame, const u8_t *square)
{
    lanes_t won = dobutsu_attack(&frame->takes, square, 1);
    for (int i = 0; i < frame->goals; i++) {
        const DOBUTSU_GLOBAL struct dobutsu_goal *goal = &frame->goal[i];
        lanes_t blocked = lanes_if(goal->guarded, ~NO_LANES) | dobutsu_attack(&goal->guard, square, 0);
        for (int man = 0; man < 6; man++)
            blocked |= lanes_if(square[man] == goal->square, ~lanes_gote(man));
        won |= ~blocked;
    }
    return won;
}

// ---- moves ----

// A move of a cell, in 32 bits. Men are numbered as in the cell that it leads to.
//
//     0..20   the live cell that it leads to, or its mirror image if that is the kept one
//     21..24  way: the lanes from which it can be made, D_WAY...
//     25..27  1 + the man taken; 0: none
//     28..30  kind k's men come out in the other order: bit k
//
// The moves of a cell are sorted, so that those of a run, which differ only in cell and way, are adjacent. Only a run
// as a whole is brought into the cell's own lanes.
#define MOVE_CELL(move) ((move) % (1u << 21))
#define MOVE_WAY(move)  ((move) >> 21 & 15u)
#define MOVE_RUN(move)  ((move) >> 25)
#define RUN_TAKEN(run)  ((run) % 8)
#define RUN_SWAPS(run)  ((run) >> 3)

enum {
    D_WAY_LION = 0,    // all lanes
    D_WAY_MAN = 1,     // + man: lanes in which it is Sente's
    D_WAY_ROOSTER = 7, // + man: a rooster moves
    D_WAY_DROP = 9,    // + man: a chick comes from the hand
    D_WAY_PROMOTE = 11 // + man: a chick becomes a rooster, or one moves
};

// The moves of a cell while they are made. If `list` is 0, they are only counted.
struct dobutsu_moves {
    dobutsu_tables_t *tables;
    DOBUTSU_GLOBAL u32_t *list;
    u32_t count;
};

// Puts a move into the sorted list. `square`: the men after it, in the frame before it; `man` (D_NONE: the lion) moves
// by `way`.
DOBUTSU_INLINE void dobutsu_move_add(struct dobutsu_moves *moves, dobutsu_step_t *step, const u8_t *square, u32_t way,
                                     u32_t man, u32_t taken)
{
    u8_t to[6];
    u32_t at = moves->count++;
    if (moves->list == 0)
        return;
    for (int i = 0; i < 6; i++)
        to[i] = step->map[square[i]];
    const u32_t reached = dobutsu_cell_at(moves->tables, to, step->lions);
    const u32_t image = dobutsu_image(moves->tables, to, reached);
    const u32_t cell = image < reached ? image : reached;
    const u32_t swaps = image < reached ? dobutsu_swaps(moves->tables->frame[step->lions].mirror.map, to)
                                        : dobutsu_swaps(step->map, square);
    if (man != D_NONE)
        way += man ^ (swaps >> man / 2 & 1);
    if (taken != D_NONE)
        taken ^= swaps >> taken / 2 & 1;
    const u32_t move = swaps << 28 | (taken != D_NONE ? taken + 1 : 0) << 25 | way << 21 | cell;
    for (; at > 0 && moves->list[(at - 1) * D_ACROSS] > move; at--)
        moves->list[at * D_ACROSS] = moves->list[(at - 1) * D_ACROSS];
    moves->list[at * D_ACROSS] = move;
}

// Adds the moves to the squares `targets`.
DOBUTSU_INLINE void dobutsu_moves_to(struct dobutsu_moves *moves, dobutsu_step_t *step, const u8_t *square, u32_t way,
                                     u32_t man, u32_t targets)
{
    for (; targets != 0; targets &= targets - 1) {
        const u8_t to = (u8_t)LOWEST_SQUARE(targets);
        u8_t after[6];
        u32_t taken = D_NONE;
        for (u32_t i = 0; i < 6; i++) {
            after[i] = square[i];
            if (i == man) {
                after[i] = to;
            } else if (square[i] == to) {
                after[i] = D_HAND;
                taken = i;
            }
        }
        dobutsu_move_add(moves, step, after, way, man, taken);
    }
}

// Returns the number of moves of a cell, and makes the moves if `list` is not 0: all moves of Sente, whoever owns the
// men. They do not include moves after which Sente's lion stands on a square that has no code, where it can be taken at
// once. A cell that is not kept has no moves.
DOBUTSU_INLINE u32_t dobutsu_cell_moves(dobutsu_tables_t *tables, u32_t cell, DOBUTSU_GLOBAL u32_t *list)
{
    struct dobutsu_moves moves = {tables, list, 0};
    dobutsu_frame_t *frame = &tables->frame[cell % D_LIONS];
    dobutsu_step_t *quiet = &frame->quiet;
    u8_t square[6];
    u32_t empty = D_BOARD;
    dobutsu_squares(tables, tables->triple[cell / D_LIONS], square);
    if (dobutsu_image(tables, square, cell) < cell)
        return 0;
    for (int man = 0; man < 6; man++)
        empty &= ~(1u << square[man]);
    for (int i = 0; i < frame->lion_moves; i++)
        dobutsu_moves_to(&moves, &frame->lion[i], square, D_WAY_LION, D_NONE, 1u << frame->lion[i].target);
    for (u32_t man = 0; man < 6; man++) {
        const u32_t from = square[man];
        if (from == D_HAND) {
            dobutsu_moves_to(&moves, quiet, square, man < 2 ? D_WAY_DROP : D_WAY_MAN, man, empty);
        } else if (man < 2) {
            const u32_t ahead = frame->ahead[from];
            dobutsu_moves_to(&moves, quiet, square, D_WAY_ROOSTER, man, frame->rooster[from]);
            if (ahead != D_NONE)
                dobutsu_moves_to(&moves, quiet, square, frame->far >> ahead & 1 ? D_WAY_PROMOTE : D_WAY_MAN, man,
                                 1u << ahead);
        } else {
            dobutsu_moves_to(&moves, quiet, square, D_WAY_MAN, man, frame->walker[man / 2 - 1][from]);
        }
    }
    return moves.count;
}

// Turns the lanes of a cell after a capture, by which `man` goes to Sente's hand, into those before it, in which `man`
// is Gote's.
DOBUTSU_INLINE lanes_t lanes_captured(lanes_t x, u32_t man)
{
    if (man == 2)
        return LANES(0, LANES_WORD(x, 0), 0, LANES_WORD(x, 2));
    if (man == 3)
        return LANES(0, 0, LANES_WORD(x, 0), LANES_WORD(x, 1));
    if (man > 3)
        return man == 4 ? (x & lanes_zero(4)) << (u64_t)16 : (x & lanes_zero(5)) << (u64_t)32;
    x &= man == 0 ? lanes_zero(0) & lanes_zero(2) : lanes_zero(1) & lanes_zero(3);
    x |= x << (u64_t)(man == 0 ? 4 : 8);
    return x << (u64_t)(man == 0 ? 1 : 2);
}

// The lanes that a run leads from, in the cell's own order, with owners as after turning.
DOBUTSU_INLINE lanes_t dobutsu_before(lanes_t x, u32_t run)
{
    if (RUN_TAKEN(run) != 0)
        x = lanes_captured(x, RUN_TAKEN(run) - 1);
    if (RUN_SWAPS(run) & 1)
        x = lanes_swap(x, 0);
    if (RUN_SWAPS(run) & 2)
        x = lanes_swap(x, 1);
    if (RUN_SWAPS(run) & 4)
        x = lanes_swap(x, 2);
    return x;
}

DOBUTSU_INLINE u32_t dobutsu_is_fresh(const DOBUTSU_GLOBAL u32_t *fresh, u32_t cell)
{
    return fresh[cell >> 5] >> (cell & 31) & 1;
}

// The lanes among `open` from which one of the cell's `count` moves leads to a set bit of the plane. If `fresh` is not
// 0, cells without a flag in it count as cells without bits. Ends as soon as all of `open` are found. `ahead`: a cell
// of the plane is prefetched so many moves before it is needed, also beyond the end of the list; 0: no prefetching.
DOBUTSU_INLINE lanes_t dobutsu_lead(const DOBUTSU_GLOBAL lanes_t *plane, const DOBUTSU_GLOBAL u32_t *fresh,
                                    dobutsu_tables_t *tables, const DOBUTSU_GLOBAL u32_t *list, u32_t count,
                                    u32_t ahead, lanes_t open)
{
    const lanes_t wanted = lanes_turn(open);
    lanes_t sum = NO_LANES;
    lanes_t part = NO_LANES;
    u32_t run = 0;
    for (u32_t i = 0; i < count; i++) {
        const u32_t move = list[i * D_ACROSS];
        const u32_t way = MOVE_WAY(move);
        if (ahead != 0)
            PREFETCH(&plane[MOVE_CELL(list[(i + ahead) * D_ACROSS])]);
        if (fresh != 0 && !dobutsu_is_fresh(fresh, MOVE_CELL(move)))
            continue;
        if (MOVE_RUN(move) != run) {
            sum |= dobutsu_before(part, run);
            if (!lanes_any(wanted & ~sum))
                return open;
            part = NO_LANES;
            run = MOVE_RUN(move);
        }
        lanes_t x = plane[MOVE_CELL(move)] & tables->way[way];
        if (way >= D_WAY_PROMOTE)
            x |= x >> (u64_t)(way == D_WAY_PROMOTE ? 4 : 8);
        part |= x;
    }
    sum |= dobutsu_before(part, run);
    return open & lanes_turn(sum);
}

// ---- back ----

// Marks the live cells before a move to `at` (the squares of the men), in the frame of `lions`. `mover` (D_NONE: the
// lion) came to `square`, where it took nothing or one of the men now in hand.
DOBUTSU_INLINE void dobutsu_mark_captures(DOBUTSU_GLOBAL u8_t *marks, dobutsu_tables_t *tables, u8_t *at, u32_t lions,
                                          int mover, u32_t square)
{
    MARK(marks[dobutsu_cell_at(tables, at, lions)]);
    for (int man = 0; man < 6; man++) {
        if (man == mover || at[man] != D_HAND)
            continue;
        at[man] = (u8_t)square;
        MARK(marks[dobutsu_cell_at(tables, at, lions)]);
        at[man] = D_HAND;
    }
}

// `at`: the men after a move of one of them, in the frame before the move.
DOBUTSU_INLINE void dobutsu_mark_men(DOBUTSU_GLOBAL u8_t *marks, dobutsu_tables_t *tables, u8_t *at, u32_t lions)
{
    dobutsu_frame_t *frame = &tables->frame[lions];
    u32_t empty = D_BOARD;
    for (int man = 0; man < 6; man++)
        empty &= ~(1u << at[man]);
    for (int man = 0; man < 6; man++) {
        const u8_t to = at[man];
        if (to == D_HAND)
            continue;
        at[man] = D_HAND; // it was dropped
        MARK(marks[dobutsu_cell_at(tables, at, lions)]);
        const u32_t ways = man < 2 ? frame->behind[to] : frame->walker[man / 2 - 1][to];
        for (u32_t from = ways & empty; from != 0; from &= from - 1) {
            at[man] = (u8_t)LOWEST_SQUARE(from);
            dobutsu_mark_captures(marks, tables, at, lions, man, to);
        }
        at[man] = to;
    }
}

// Marks all live cells from which a move leads to this one, and a few others.
DOBUTSU_INLINE void dobutsu_mark_before(DOBUTSU_GLOBAL u8_t *marks, dobutsu_tables_t *tables, dobutsu_frame_t *frame,
                                        const u8_t *square)
{
    for (int i = 0; i < frame->befores; i++) {
        dobutsu_step_t *step = &frame->before[i];
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

// The solver's data of the live cells. Only kept cells count: of two mirror images the one with the lower number.
struct dobutsu_planes {
    dobutsu_tables_t *tables;
    DOBUTSU_GLOBAL lanes_t *open;    // [cells] codes without a value yet
    DOBUTSU_GLOBAL lanes_t *not_won; // all codes that are not wins, including invalid ones
    DOBUTSU_GLOBAL lanes_t *found;   // [2][cells] codes found in the last even, odd round, of cells that
    DOBUTSU_GLOBAL u32_t *fresh;     // [2][D_FLAG_WORDS] have their flag here
    DOBUTSU_GLOBAL lanes_t *bits;    // [cells * 8] bits of the values found, from the lowest; 0 where none is
    DOBUTSU_GLOBAL u8_t *marks;      // [2][cells] to be looked at in the next even, odd round
    DOBUTSU_GLOBAL u8_t *counts;     // [cells] moves
    DOBUTSU_GLOBAL u32_t *starts;    // [D_STARTS] where the lists of D_ACROSS cells start
    DOBUTSU_GLOBAL u32_t *moves;     // lists: move i of these cells is D_ACROSS consecutive numbers; 0: not made yet
};

// They lie in four arrays:
//
//     planes  [4 * D_CELLS]                          open, not_won, found
//     bits    [8 * D_CELLS]
//     flags   [2 * D_FLAG_WORDS], 3 * D_CELLS bytes  fresh; marks, counts
//     lists   [D_STARTS + length]                    starts, moves; 0 until the lengths are known
DOBUTSU_INLINE struct dobutsu_planes dobutsu_planes_in(dobutsu_tables_t *tables, DOBUTSU_GLOBAL lanes_t *planes,
                                                       DOBUTSU_GLOBAL lanes_t *bits, DOBUTSU_GLOBAL u32_t *flags,
                                                       DOBUTSU_GLOBAL u32_t *lists)
{
    DOBUTSU_GLOBAL u8_t *bytes = (DOBUTSU_GLOBAL u8_t *)(flags + 2 * D_FLAG_WORDS);
    const struct dobutsu_planes all = {.tables = tables,
                                       .open = planes,
                                       .not_won = planes + D_CELLS,
                                       .found = planes + 2 * D_CELLS,
                                       .fresh = flags,
                                       .bits = bits,
                                       .marks = bytes,
                                       .counts = bytes + 2 * D_CELLS,
                                       .starts = lists,
                                       .moves = lists == 0 ? 0 : lists + D_STARTS};
    return all;
}

DOBUTSU_INLINE DOBUTSU_GLOBAL u32_t *dobutsu_list(const struct dobutsu_planes *planes, u32_t cell)
{
    return planes->moves + planes->starts[cell / D_ACROSS] + cell % D_ACROSS;
}

// Finds what the codes of a cell say by themselves. Returns how many are won at once (value 0), mirror images included.
DOBUTSU_INLINE u32_t dobutsu_class_cell(const struct dobutsu_planes *planes, u32_t cell)
{
    u8_t square[6];
    dobutsu_squares(planes->tables, planes->tables->triple[cell / D_LIONS], square);
    const u32_t image = dobutsu_image(planes->tables, square, cell);
    const lanes_t invalid = dobutsu_invalid(square);
    const lanes_t won = dobutsu_won(&planes->tables->frame[cell % D_LIONS], square) & ~invalid;
    planes->open[cell] = lanes_if(image >= cell, ~(invalid | won));
    planes->not_won[cell] = ~won;
    return lanes_count(won);
}

// Records that the open codes in `found` have the value `ply`, and marks the cells before if `mark` is set. Returns the
// number of codes, mirror images included.
DOBUTSU_INLINE u32_t dobutsu_record(const struct dobutsu_planes *planes, u32_t ply, int mark, u32_t cell, lanes_t found)
{
    dobutsu_tables_t *tables = planes->tables;
    dobutsu_frame_t *frame = &tables->frame[cell % D_LIONS];
    const u32_t odd = ply & 1;
    u8_t square[6];
    planes->open[cell] &= ~found;
    planes->found[odd * D_CELLS + cell] = found;
    SET_BIT(planes->fresh + odd * D_FLAG_WORDS, cell);
    if (!odd)
        planes->not_won[cell] &= ~found;
    for (u32_t bit = 0; bit < 8; bit++) {
        if (ply >> bit & 1)
            planes->bits[(u64_t)cell * 8 + bit] |= found;
    }
    dobutsu_squares(tables, tables->triple[cell / D_LIONS], square);
    const int twice = dobutsu_image(tables, square, cell) != cell;
    if (mark) {
        DOBUTSU_GLOBAL u8_t *marks = planes->marks + (1 - odd) * D_CELLS;
        dobutsu_mark_before(marks, tables, frame, square);
        for (int man = 0; man < 6 && twice; man++)
            square[man] = frame->mirror.map[square[man]];
        if (twice)
            dobutsu_mark_before(marks, tables, &tables->frame[frame->mirror.lions], square);
    }
    return lanes_count(found) << twice;
}

// Does round `ply` for a cell. Returns the number of new codes.
//
// 1. Only codes with a move to one found in the round before can be new. `list`, `count`: moves that include all these;
//    with `fresh` not 0, only moves to cells with a flag there count. An odd round that looks at all cells skips this
//    step (`list` is 0). In an even round these codes are won: they have a move to a loss.
// 2. In an odd round a code is lost if all of its moves lead to codes that are won.
// 3. The codes found are recorded, and if `mark` is set, the cells before are marked for the next round.
DOBUTSU_INLINE u32_t dobutsu_round_cell(const struct dobutsu_planes *planes, u32_t ply, int mark, u32_t cell,
                                        const DOBUTSU_GLOBAL u32_t *list, u32_t count,
                                        const DOBUTSU_GLOBAL u32_t *fresh)
{
    dobutsu_tables_t *tables = planes->tables;
    const u32_t odd = ply & 1;
    lanes_t found = planes->open[cell];
    if (list != 0)
        found = dobutsu_lead(planes->found + (1 - odd) * D_CELLS, fresh, tables, list, count, 0, found);
    if (odd && lanes_any(found))
        found &=
            ~dobutsu_lead(planes->not_won, 0, tables, dobutsu_list(planes, cell), planes->counts[cell], D_AHEAD, found);
    return lanes_any(found) ? dobutsu_record(planes, ply, mark, cell, found) : 0;
}

#endif
