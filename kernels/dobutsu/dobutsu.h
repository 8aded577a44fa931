// dobutsu.h - dobutsu shogi by cells: what moves lead to, for 256 codes at once
//
// Common subset of OpenCL C 1.2 and C11: the CPU backend, the index and the OpenCL kernels use these same formulas.
//
// A cell is the 256 codes that differ in `op`, owners and roosters, only (host/dobutsu/code.h). So all men of a cell
// stand on the same squares, and a set of its codes is a word of 256 lanes, lane = op:
//
//     bit of the lane's number    0 1     2 3      4 5        6 7
//     of man                      0 1     0 1      4 5        2 3
//     set:                        Sente's rooster  Sente's    Sente's       (men 0 1 chicks, 2 3 giraffes, 4 5 elephants)
//
// What a man can do depends on squares alone, so one move of one man is one move of a cell: it leads from all lanes in which
// the man is Sente's to lanes of one other cell, which is seen after turning the board:
//
//     owners     all complemented (the board is turned): lane ^ 0xf3. Done once for all moves of a cell, at the end
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
//
// While Sente's lion is on the middle file a cell and its mirror image have the same values: the one with the lower number is
// kept, and moves lead to that one.
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
#define PREFETCH(place)            // nothing: other work-items go on meanwhile
#ifndef D_ACROSS
#define D_ACROSS 32 // cells whose moves lie side by side, as work-items ask for them
#endif
#else
#pragma GCC diagnostic ignored "-Wpsabi" // no vector leaves an object file
#define DOBUTSU_GLOBAL
#define DOBUTSU_INLINE             static inline __attribute__((always_inline)) // numbers of men are constants in all of it
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

#define D_HAND    10 // reduced squares 0..9 are the board
#define D_BOARD   0x3ffu
#define D_NONE    255
#define D_LIONS   24 // pairs of lions
#define D_PAIRS   56 // of two identical pieces
#define D_TRIPLES (D_PAIRS * D_PAIRS * D_PAIRS)
#define D_LIVE    56236 // triples without two men on one square
#define D_CODES   256   // of a cell
#define D_MOVES   68    // of a cell, at most: six men in hand on ten squares, the lion on eight
#define D_AHEAD   48    // moves for which cells are asked for before they are needed
#define D_BEFORE  16    // places from which a position can come

// A way to another pair of lions, or from there.
struct dobutsu_step {
    u8_t lions;   // the other pair
    u8_t target;  // of a lion's move: the reduced square it goes to (of the frame before it); D_NONE: another man moves
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
    u16_t giraffe[10];  // where one on the square can go
    u16_t elephant[10]; //
    u16_t rooster[10];  // other ways than a chick's
    u16_t behind[10];   // squares from which a chick or rooster comes here
    u8_t ahead[10];     // where a chick or rooster goes straight; D_NONE: it cannot
    u16_t far;          // the far rank
    u16_t takes[4];     // squares from which Sente's giraffe, elephant, chick, rooster (other ways) takes Gote's lion
    u8_t goals;         //
    u8_t lion_moves;    //
    u8_t befores;       //
    struct dobutsu_goal goal[2];
    struct dobutsu_step mirror;           // to the mirror image; lions D_NONE: Sente's lion is not on the middle file
    struct dobutsu_step quiet;            // moves of other men
    struct dobutsu_step lion[8];          // moves of Sente's lion
    struct dobutsu_step before[D_BEFORE]; // back from here: map leads to the frame before the move
};

struct dobutsu_tables {
    lanes_t way[16]; // the lanes (after turning) from which a move can be made
    struct dobutsu_frame frame[D_LIONS];
    u8_t pair[16 * 16];      // [a * 16 + b]: pair number of two reduced squares in either order; 0 where there is none
    u8_t low[D_PAIRS];       // its inverse
    u8_t high[D_PAIRS];      //
    u32_t number[D_TRIPLES]; // of a triple among the live ones; 0 for others, too
    u32_t triple[D_LIVE];    // the inverse
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
    return WORDS_ANY(x);
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

// The live cell with the men on these squares, which need not be in order.
DOBUTSU_INLINE u32_t dobutsu_cell_at(const DOBUTSU_GLOBAL struct dobutsu_tables *tables, const u8_t *square,
                                     u32_t lions)
{
    const u32_t chicks = dobutsu_pair_of(tables, square[0], square[1]);
    const u32_t giraffes = dobutsu_pair_of(tables, square[2], square[3]);
    const u32_t elephants = dobutsu_pair_of(tables, square[4], square[5]);
    return dobutsu_cell_of(tables, chicks, giraffes, elephants, lions);
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

// A move of a cell, in 32 bits. Men are numbered as in the cell that it leads to.
//
//     0..20   the live cell that it leads to: of mirror images the kept one
//     21..24  way: the lanes from which it can be made, D_WAY...
//     25..27  1 + the man taken; 0: none
//     28..30  kind k's men come out in the other order: bit k
//
// Moves of a cell are sorted: those that differ only in cell and way, a run, are one after another. Only a run as a whole is
// brought into the cell's own lanes.
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

// Where the moves of a cell go while they are made. `list` is 0: they are only counted.
struct dobutsu_moves {
    const DOBUTSU_GLOBAL struct dobutsu_tables *tables;
    DOBUTSU_GLOBAL u32_t *list;
    u32_t count;
};

// The mirror image of `cell`, whose men are on `square`: a cell of the same value if Sente's lion is on the middle file, else `cell`.
DOBUTSU_INLINE u32_t dobutsu_image(const DOBUTSU_GLOBAL struct dobutsu_tables *tables, const u8_t *square, u32_t cell)
{
    const DOBUTSU_GLOBAL struct dobutsu_step *mirror = &tables->frame[cell % D_LIONS].mirror;
    u8_t at[6];
    if (mirror->lions == D_NONE)
        return cell;
    for (int man = 0; man < 6; man++)
        at[man] = mirror->map[square[man]];
    return dobutsu_cell_at(tables, at, mirror->lions);
}

// The pairs (bit k: kind k) whose men come out in the other order by a map of squares.
DOBUTSU_INLINE u32_t dobutsu_swaps(const DOBUTSU_GLOBAL u8_t *map, const u8_t *square)
{
    u32_t swaps = 0;
    for (int kind = 0; kind < 3; kind++)
        swaps |= (u32_t)(map[square[2 * kind]] > map[square[2 * kind + 1]]) << kind;
    return swaps;
}

DOBUTSU_INLINE void dobutsu_move_put(struct dobutsu_moves *moves, u32_t move)
{
    u32_t at = moves->count++;
    for (; at > 0 && moves->list[(at - 1) * D_ACROSS] > move; at--)
        moves->list[at * D_ACROSS] = moves->list[(at - 1) * D_ACROSS];
    moves->list[at * D_ACROSS] = move;
}

// `square`: the men after the move, in the frame before it; `man` (D_NONE: the lion) goes `way`.
DOBUTSU_INLINE void dobutsu_move_add(struct dobutsu_moves *moves, const DOBUTSU_GLOBAL struct dobutsu_step *step,
                                     const u8_t *square, u32_t way, u32_t man, u32_t taken)
{
    u8_t to[6];
    if (moves->list == 0) {
        moves->count++;
        return;
    }
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
    dobutsu_move_put(moves, swaps << 28 | (taken != D_NONE ? taken + 1 : 0) << 25 | way << 21 | cell);
}

// Moves to the squares `targets`.
DOBUTSU_INLINE void dobutsu_moves_to(struct dobutsu_moves *moves, const DOBUTSU_GLOBAL struct dobutsu_step *step,
                                     const u8_t *square, u32_t way, u32_t man, u32_t targets)
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

DOBUTSU_INLINE void dobutsu_chick_moves(struct dobutsu_moves *moves, const DOBUTSU_GLOBAL struct dobutsu_frame *frame,
                                        const u8_t *square, u32_t man)
{
    const u32_t from = square[man];
    const u32_t ahead = frame->ahead[from];
    dobutsu_moves_to(moves, &frame->quiet, square, D_WAY_ROOSTER, man, frame->rooster[from]);
    if (ahead != D_NONE)
        dobutsu_moves_to(moves, &frame->quiet, square, frame->far >> ahead & 1 ? D_WAY_PROMOTE : D_WAY_MAN, man,
                         1u << ahead);
}

// All moves of Sente from the lanes of a live cell, whoever owns the men. Moves that leave Sente's lion to be taken at once on a square
// that has no code are not among them.
DOBUTSU_INLINE void dobutsu_moves_make(struct dobutsu_moves *moves, const DOBUTSU_GLOBAL struct dobutsu_frame *frame,
                                       const u8_t *square)
{
    u32_t empty = D_BOARD;
    for (int man = 0; man < 6; man++)
        empty &= ~(1u << square[man]);
    for (int i = 0; i < frame->lion_moves; i++)
        dobutsu_moves_to(moves, &frame->lion[i], square, D_WAY_LION, D_NONE, 1u << frame->lion[i].target);
    for (u32_t man = 0; man < 6; man++) {
        const u32_t from = square[man];
        if (from == D_HAND)
            dobutsu_moves_to(moves, &frame->quiet, square, man < 2 ? D_WAY_DROP : D_WAY_MAN, man, empty);
        else if (man < 2)
            dobutsu_chick_moves(moves, frame, square, man);
        else
            dobutsu_moves_to(moves, &frame->quiet, square, D_WAY_MAN, man,
                             man < 4 ? frame->giraffe[from] : frame->elephant[from]);
    }
}

// The number of moves of a cell, and the moves if `list` is not 0. A cell that is not kept has none.
DOBUTSU_INLINE u32_t dobutsu_cell_moves(const DOBUTSU_GLOBAL struct dobutsu_tables *tables, u32_t cell,
                                        DOBUTSU_GLOBAL u32_t *list)
{
    struct dobutsu_moves moves = {tables, list, 0};
    u8_t square[6];
    dobutsu_squares(tables, tables->triple[cell / D_LIONS], square);
    if (dobutsu_image(tables, square, cell) >= cell)
        dobutsu_moves_make(&moves, &tables->frame[cell % D_LIONS], square);
    return moves.count;
}

// Lanes of a cell after a capture by which `man` goes to Sente's hand -> lanes before it, in which it is Gote's.
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

// The lanes that a run leads from: in the cell's own order, owners as after turning.
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

// The lanes among `open` of a cell from which one of its `count` moves leads to a set bit of the plane. Cells without a flag in
// `fresh` count as if they had none, if `fresh` is not 0. Ends as soon as all of `open` are found. `ahead`: asks for the plane's cells so
// many moves before they are needed, which may be those of the next list; 0: does not.
DOBUTSU_INLINE lanes_t dobutsu_lead(const DOBUTSU_GLOBAL lanes_t *plane, const DOBUTSU_GLOBAL u32_t *fresh,
                                    const DOBUTSU_GLOBAL struct dobutsu_tables *tables,
                                    const DOBUTSU_GLOBAL u32_t *list, u32_t count, u32_t ahead, lanes_t open)
{
    const lanes_t wanted = lanes_turn(open);
    lanes_t sum = LANES(0, 0, 0, 0);
    lanes_t part = LANES(0, 0, 0, 0);
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
            part = LANES(0, 0, 0, 0);
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

// Marks the live cells before a move to (men on) `to`, in the frame of `lions`.
DOBUTSU_INLINE void dobutsu_mark(DOBUTSU_GLOBAL u8_t *marks, const DOBUTSU_GLOBAL struct dobutsu_tables *tables,
                                 const u8_t *at, u32_t lions)
{
    MARK(marks[dobutsu_cell_at(tables, at, lions)]);
}

// `mover` (or the lion, D_NONE) came to `square`: nothing was taken there, or one of the men in hand.
DOBUTSU_INLINE void dobutsu_mark_captures(DOBUTSU_GLOBAL u8_t *marks,
                                          const DOBUTSU_GLOBAL struct dobutsu_tables *tables, u8_t *at, u32_t lions,
                                          int mover, u32_t square)
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
DOBUTSU_INLINE void dobutsu_mark_men(DOBUTSU_GLOBAL u8_t *marks, const DOBUTSU_GLOBAL struct dobutsu_tables *tables,
                                     u8_t *at, u32_t lions)
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

// What the solver has, of live cells. Only kept ones count: of mirror images the one with the lower number.
struct dobutsu_planes {
    DOBUTSU_GLOBAL lanes_t *open;     // [cells] codes without a value yet
    DOBUTSU_GLOBAL lanes_t *not_won;  // [cells] all others than wins: invalid codes too
    DOBUTSU_GLOBAL lanes_t *found[2]; // [cells] codes found in the last even, odd round, of cells that
    DOBUTSU_GLOBAL u32_t *fresh[2];   // have their bit here; [cells / 32]
    DOBUTSU_GLOBAL lanes_t *bits;     // [cells * 8] bits of the values found, from the lowest; 0 where none is
    DOBUTSU_GLOBAL u8_t *counts;      // [cells] moves
    DOBUTSU_GLOBAL u32_t *starts;     // [cells / D_ACROSS] where the lists of so many cells start
    DOBUTSU_GLOBAL u32_t *moves;      // lists: move i of these cells is D_ACROSS numbers one after another
};

DOBUTSU_INLINE u32_t lanes_count(lanes_t x)
{
    return COUNT_BITS(LANES_WORD(x, 0)) + COUNT_BITS(LANES_WORD(x, 1)) + COUNT_BITS(LANES_WORD(x, 2)) +
           COUNT_BITS(LANES_WORD(x, 3));
}

DOBUTSU_INLINE DOBUTSU_GLOBAL u32_t *dobutsu_list(const struct dobutsu_planes *planes, u32_t cell)
{
    return planes->moves + planes->starts[cell / D_ACROSS] + cell % D_ACROSS;
}

// What the codes of a cell say by themselves. Returns how many are won at once (value 0), mirror images too.
DOBUTSU_INLINE u32_t dobutsu_class_cell(const struct dobutsu_planes *planes,
                                        const DOBUTSU_GLOBAL struct dobutsu_tables *tables, u32_t cell)
{
    u8_t square[6];
    dobutsu_squares(tables, tables->triple[cell / D_LIONS], square);
    const u32_t image = dobutsu_image(tables, square, cell);
    const lanes_t invalid = dobutsu_invalid(square);
    const lanes_t won = dobutsu_won(&tables->frame[cell % D_LIONS], square) & ~invalid;
    planes->open[cell] = set_if(image >= cell, ~(invalid | won));
    planes->not_won[cell] = ~won;
    return lanes_count(won);
}

// Takes down that `found` of the open codes have the value `ply`, and marks the cells before if `marks` is not 0. Returns how many
// they are, mirror images too.
DOBUTSU_INLINE u32_t dobutsu_settle(const struct dobutsu_planes *planes,
                                    const DOBUTSU_GLOBAL struct dobutsu_tables *tables, DOBUTSU_GLOBAL u8_t *marks,
                                    u32_t ply, u32_t cell, lanes_t found)
{
    const DOBUTSU_GLOBAL struct dobutsu_frame *frame = &tables->frame[cell % D_LIONS];
    u8_t square[6];
    planes->open[cell] &= ~found;
    planes->found[ply & 1][cell] = found;
    SET_BIT(planes->fresh[ply & 1], cell);
    if ((ply & 1) == 0)
        planes->not_won[cell] &= ~found;
    for (u32_t bit = 0; bit < 8; bit++) {
        if (ply >> bit & 1)
            planes->bits[(u64_t)cell * 8 + bit] |= found;
    }
    dobutsu_squares(tables, tables->triple[cell / D_LIONS], square);
    const int twice = dobutsu_image(tables, square, cell) != cell;
    if (marks != 0) {
        dobutsu_mark_before(marks, tables, frame, square);
        for (int man = 0; man < 6 && twice; man++)
            square[man] = frame->mirror.map[square[man]];
        if (twice)
            dobutsu_mark_before(marks, tables, &tables->frame[frame->mirror.lions], square);
    }
    return lanes_count(found) << twice;
}

// Round `ply` for a cell: odd: codes all of whose moves lead to wins of the other side, or that have no move, are lost; even: codes
// with a move to a loss of the other side are won. Only codes with a move to one found in the round before come into question; an odd
// round that looks at all cells does not ask. `list`, `count`: the moves among which these are, or those with a flag in `fresh` if
// that is not 0. Returns how many codes are new.
DOBUTSU_INLINE u32_t dobutsu_round_cell(const struct dobutsu_planes *planes,
                                        const DOBUTSU_GLOBAL struct dobutsu_tables *tables, DOBUTSU_GLOBAL u8_t *marks,
                                        u32_t ply, int all, u32_t cell, const DOBUTSU_GLOBAL u32_t *list, u32_t count,
                                        const DOBUTSU_GLOBAL u32_t *fresh)
{
    const int odd = ply & 1;
    lanes_t found = planes->open[cell];
    if (!odd || !all)
        found = dobutsu_lead(planes->found[!odd], fresh, tables, list, count, 0, found);
    if (odd && lanes_any(found))
        found &=
            ~dobutsu_lead(planes->not_won, 0, tables, dobutsu_list(planes, cell), planes->counts[cell], D_AHEAD, found);
    return lanes_any(found) ? dobutsu_settle(planes, tables, marks, ply, cell, found) : 0;
}

#endif
