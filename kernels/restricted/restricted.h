// restricted.h - a round of a restricted endgame at one entry: its men's squares, their quiet moves, what these decide
//
// Common subset of OpenCL C 1.2 and C11: the CPU backend and the OpenCL kernel use these same formulas. Values and
// rounds are explained in host/restricted/solve/solve.h, entries in host/restricted/index.h.
//
// A quiet move takes a piece to an empty square such that the position after it belongs to the spec, too. There are
// three ways from an entry to the entry after the move:
//
//     own set    in most cases the piece moves within its own set: only its digit changes
//     regroup    it leaves its set, and men of its kind with other sets take over: each takes the next one's square
//     carry      the white king leaves the squares that have a digit: a symmetry carries all men
//
// All entries of a position have the same value, so a look-up may take any of them. Quiet moves can be made backwards:
// the entries before this one are those that its men's moves lead to. But here every entry of the position before must
// be marked from which a move leads to any entry of this position. Since all entries of a position change in the same
// round, it is enough that they mark them together:
//
//     own set    the way back leads to exactly the one entry
//     regroup    all ways to give the squares to the men of the group are marked
//     carry      all images with the white king on a square that has a digit are marked: some are images of each other
//
// Example: K Q v K without symmetry, so that every king has 64 digits and an entry is (wK * 64 + wQ) * 64 + bK with
// squares as digits. From a1, b1, h8 (entry 127) the queen's move to b2 adds (9 - 1) * 64: entry 639, which in turn
// marks entry 127 as one before it.
#ifndef CLTB_KERNELS_RESTRICTED_RESTRICTED_H
#define CLTB_KERNELS_RESTRICTED_RESTRICTED_H

#include "types.h"

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define RESTRICTED_GLOBAL global
#else
#define RESTRICTED_GLOBAL
#endif

#define R_PIECES   16
#define R_NONE     255     // no digit
#define R_NO_VALUE 0xfffeu // a code that no entry has

// The pieces (men other than pawns) of a spec, and the pawns of a slice. Sets of squares: bit = square, a1 = 0.
struct restricted_tables {
    u64_t line[64][4];         // file, rank, rising, falling diagonal through a square, without it
    u64_t leap[2][64];         // steps of a king, a knight
    u64_t set[R_PIECES];       // squares of a piece
    u64_t reach[R_PIECES];     // and of all pieces that it may exchange squares with
    u64_t pawns;               // of the slice
    u32_t stride[R_PIECES];    //
    u32_t digits[R_PIECES];    //
    u32_t group[R_PIECES];     // bit = piece: itself and all it may exchange squares with; 0: they have one set
    u32_t pieces;              //
    u32_t symmetries;          // 0: the white king has a digit for each of its squares
    u8_t square[R_PIECES][64]; // [piece][digit]
    u8_t digit[R_PIECES][64];  // [piece][square]; R_NONE
    u8_t colour[R_PIECES];     //
    u8_t lines[R_PIECES];      // bit: slides along line[][bit]; 0: leaps
    u8_t leaper[R_PIECES];     // number of its leap[]
    u8_t carry[64];            // the symmetry that carries the white king from a square to one that has a digit
    u8_t image[8][64];         // [symmetry][square]
    u8_t becomes[8][R_PIECES]; // [symmetry] the piece that a piece becomes
};

// One side's part of a round, as an argument of the kernel: 24 bytes on every device.
struct restricted_step {
    u64_t entries;
    u32_t side; // to move
    u32_t ply;
    u32_t wake; // not 0: look also at entries whose external code has this ply
    u32_t unused;
};

// The men of an entry.
struct restricted_view {
    u64_t occupied;
    u32_t entry;
    u8_t at[R_PIECES];
};

static inline struct restricted_view restricted_view_of(const RESTRICTED_GLOBAL struct restricted_tables *tables,
                                                        u32_t entry)
{
    struct restricted_view view;
    u32_t rest = entry;
    view.entry = entry;
    view.occupied = tables->pawns;
    for (u32_t p = tables->pieces; p-- > 0;) {
        const u32_t digits = tables->digits[p];
        const u32_t digit = rest % digits;
        rest /= digits;
        view.at[p] = tables->square[p][digit];
        view.occupied |= (u64_t)1 << view.at[p];
    }
    return view;
}

// ---- moves ----

// Squares on a line up to the first men on both sides, these included (chess/attacks.h).
static inline u64_t restricted_slide(u64_t line, u32_t square, u64_t occupied)
{
    const u64_t bit = (u64_t)1 << square;
    const u64_t men = occupied & line;
    const u64_t above = men & ~(bit - 1);
    const u64_t from = ~(u64_t)0 << HIGHEST_BIT((men & (bit - 1)) | 1);
    return ((above & (0 - above)) * 2 + from) & line;
}

// The empty squares to which a piece can go if its group may regroup.
static inline u64_t restricted_targets(const RESTRICTED_GLOBAL struct restricted_tables *tables,
                                       const struct restricted_view *view, u32_t piece)
{
    const u32_t square = view->at[piece];
    const u64_t wanted = tables->reach[piece] & ~view->occupied;
    const u32_t lines = tables->lines[piece];
    u64_t targets = 0;
    if (wanted == 0)
        return 0;
    if (lines == 0)
        return tables->leap[tables->leaper[piece]][square] & wanted;
    for (u32_t i = 0; i < 4; i++) {
        if (lines >> i & 1)
            targets |= restricted_slide(tables->line[square][i], square, view->occupied);
    }
    return targets & wanted;
}

// What a piece's way from one square of its set to another adds to the entry.
static inline u32_t restricted_shift(const RESTRICTED_GLOBAL struct restricted_tables *tables, u32_t piece, u32_t from,
                                     u32_t to)
{
    return ((u32_t)tables->digit[piece][to] - tables->digit[piece][from]) * tables->stride[piece];
}

// The entry after the white king's step to `to` and a symmetry.
static inline u32_t restricted_carried(const RESTRICTED_GLOBAL struct restricted_tables *tables,
                                       const struct restricted_view *view, u32_t to, u32_t symmetry)
{
    u32_t entry = 0;
    for (u32_t p = 0; p < tables->pieces; p++) {
        const u32_t square = tables->image[symmetry][p == 0 ? to : view->at[p]];
        const u32_t other = tables->becomes[symmetry][p];
        entry += tables->digit[other][square] * tables->stride[other];
    }
    return entry;
}

// Finds the entry after a move of `piece` to a square outside its set. Breadth first it looks for men of the group that
// can take over the square of a man found before, until a man is found that can stand on `to`. 0: the group cannot be
// given the squares.
static inline int restricted_regroup(const RESTRICTED_GLOBAL struct restricted_tables *tables,
                                     const struct restricted_view *view, u32_t piece, u32_t to, u32_t *entry)
{
    u8_t queue[R_PIECES];
    u8_t before[R_PIECES]; // the man whose square this one leaves free for it
    u32_t left = tables->group[piece] & ~(1u << piece);
    u32_t tail = 1;
    queue[0] = (u8_t)piece;
    for (u32_t head = 0; head < tail; head++) {
        u32_t man = queue[head];
        const u64_t set = tables->set[man];
        if (set >> to & 1) {
            u32_t square = to;
            u32_t after = view->entry + restricted_shift(tables, man, view->at[man], square);
            while (man != piece) {
                square = view->at[man];
                man = before[man];
                after += restricted_shift(tables, man, view->at[man], square);
            }
            *entry = after;
            return 1;
        }
        for (u32_t rest = left; rest != 0; rest &= rest - 1) {
            const u32_t other = LOWEST_BIT((u64_t)rest);
            if ((set >> view->at[other] & 1) == 0)
                continue;
            left &= ~(1u << other);
            before[other] = (u8_t)man;
            queue[tail++] = (u8_t)other;
        }
    }
    return 0;
}

// Finds any entry after a move. 0: the move leaves the spec.
static inline int restricted_after(const RESTRICTED_GLOBAL struct restricted_tables *tables,
                                   const struct restricted_view *view, u32_t piece, u32_t to, u32_t *entry)
{
    if (tables->digit[piece][to] != R_NONE) {
        *entry = view->entry + restricted_shift(tables, piece, view->at[piece], to);
        return 1;
    }
    if (tables->group[piece] != 0)
        return restricted_regroup(tables, view, piece, to, entry);
    *entry = restricted_carried(tables, view, to, tables->carry[to]);
    return 1;
}

// ---- marks ----

// The group of a piece after its move, while its squares are given to its men in all ways, depth first.
struct restricted_order {
    u32_t men;                 //
    u32_t used;                // bit = place in square[]
    u8_t man[R_PIECES];        // [depth]
    u8_t square[R_PIECES];     // that the group stands on
    u8_t next[R_PIECES + 1];   // [depth] the place in square[] to try next
    u32_t entry[R_PIECES + 1]; // [depth] with the men before on their squares
};

// Marks the entries in which the group of `piece` stands in any order after its move to `to`.
static inline void restricted_mark_group(RESTRICTED_GLOBAL u8_t *marks,
                                         const RESTRICTED_GLOBAL struct restricted_tables *tables,
                                         const struct restricted_view *view, u32_t piece, u32_t to)
{
    struct restricted_order order;
    u32_t depth = 0;
    order.men = 0;
    order.used = 0;
    order.next[0] = 0;
    order.entry[0] = view->entry;
    for (u32_t rest = tables->group[piece]; rest != 0; rest &= rest - 1) {
        const u32_t man = LOWEST_BIT((u64_t)rest);
        order.man[order.men] = (u8_t)man;
        order.square[order.men++] = (u8_t)(man == piece ? to : view->at[man]);
        order.entry[0] -= tables->digit[man][view->at[man]] * tables->stride[man];
    }
    for (;;) {
        u32_t i = order.men; // a free square for the man at this depth
        if (depth == order.men)
            MARK(marks[order.entry[depth]]);
        else
            i = order.next[depth];
        while (i < order.men &&
               ((order.used >> i & 1) != 0 || tables->digit[order.man[depth]][order.square[i]] == R_NONE))
            i++;
        if (i < order.men) {
            const u32_t man = order.man[depth];
            order.used |= 1u << i;
            order.next[depth] = (u8_t)(i + 1);
            order.entry[depth + 1] = order.entry[depth] + tables->digit[man][order.square[i]] * tables->stride[man];
            order.next[++depth] = 0;
        } else if (depth > 0) {
            depth--;
            order.used &= ~(1u << (order.next[depth] - 1));
        } else {
            return;
        }
    }
}

// Marks the entries from which a quiet move of `side` leads to this one.
static inline void restricted_mark_before(RESTRICTED_GLOBAL u8_t *marks,
                                          const RESTRICTED_GLOBAL struct restricted_tables *tables,
                                          const struct restricted_view *view, u32_t side)
{
    for (u32_t p = 0; p < tables->pieces; p++) {
        if (tables->colour[p] != side)
            continue;
        for (u64_t from = restricted_targets(tables, view, p); from != 0; from &= from - 1) {
            const u32_t to = LOWEST_BIT(from);
            const u32_t images = p == 0 ? tables->symmetries : 0;
            if (tables->group[p] != 0)
                restricted_mark_group(marks, tables, view, p, to);
            else if (images == 0)
                MARK(marks[view->entry + restricted_shift(tables, p, view->at[p], to)]);
            for (u32_t g = 0; g < images; g++) {
                if (tables->digit[0][tables->image[g][to]] != R_NONE)
                    MARK(marks[restricted_carried(tables, view, to, g)]);
            }
        }
    }
}

// ---- rounds ----

// The code that an open entry of `side` gets in round `ply`, or 0. `other`: values with the other side to move, of
// which only those of lower plies count. `external`: this entry's code.
static inline u32_t restricted_decide(const RESTRICTED_GLOBAL struct restricted_tables *tables,
                                      const RESTRICTED_GLOBAL u16_t *other, u32_t external, u32_t side, u32_t ply,
                                      const struct restricted_view *view)
{
    const u32_t loss = (ply + 1) * 2;                   // of this side in `ply`
    const u32_t best = ply == 0 ? R_NO_VALUE : ply * 2; // a loss of the other side in ply - 1
    u32_t all = (external & 1) == 0;                    // moves lead to wins of the other side
    u32_t longest = external;                           // loss
    if (external == loss + 1)
        return external;
    for (u32_t p = 0; p < tables->pieces; p++) {
        if (tables->colour[p] != side)
            continue;
        for (u64_t to = restricted_targets(tables, view, p); to != 0; to &= to - 1) {
            u32_t after;
            if (!restricted_after(tables, view, p, LOWEST_BIT(to), &after))
                continue;
            const u32_t value = other[after];
            if (value == best)
                return loss + 1;
            if (value == 0xffff) // this side's king would be in check: not a move
                continue;
            if ((value & 1) == 0 || value > loss)
                all = 0;
            else if (value + 1 > longest)
                longest = value + 1;
        }
    }
    return all != 0 && longest == loss ? loss : 0;
}

// Round `ply` of an entry: decides it if it is open and this ply decides it, and then marks the entries before it.
// Returns whether it did.
static inline u32_t restricted_round_entry(const RESTRICTED_GLOBAL struct restricted_tables *tables,
                                           RESTRICTED_GLOBAL u16_t *own, const RESTRICTED_GLOBAL u16_t *other,
                                           const RESTRICTED_GLOBAL u16_t *external, RESTRICTED_GLOBAL u8_t *marks,
                                           u32_t side, u32_t ply, u32_t entry)
{
    if (own[entry] != 0)
        return 0;
    const struct restricted_view view = restricted_view_of(tables, entry);
    const u32_t code = restricted_decide(tables, other, external[entry], side, ply, &view);
    if (code == 0)
        return 0;
    own[entry] = (u16_t)code;
    restricted_mark_before(marks, tables, &view, side ^ 1);
    return 1;
}

#endif
