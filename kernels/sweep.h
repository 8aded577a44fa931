// sweep.h - where a piece can come from: one sweep over the 64 squares of a piece, all lanes at once
//
// Common subset of OpenCL C 1.2 and C11. The includer defines lane_t (any type with & | ~: a word, or a vector of
// words); each bit of it is a lane, one arrangement of the pieces that stand still. All arrays are [64], by square
// code.
//
//     out[s] = OR of in[t] over the squares t that the piece on s can move to
//
// `empty[s]` has the lanes in which no other piece stands on s. It counts for the squares passed through only, never
// for the target: what a move to an occupied square means is in the values of `in` there (overlap entries,
// docs/solver.md). A slider is a running scan along each line, in both directions at once, in registers:
//
//     flow = in[t] | (empty[t] & flow)
//
// Example: a line of 4 squares a b c d with another piece on b, and in = 1 only on a. The way forth brings in[a] = 1 to
// b, and in[b] | (empty[b] & 1) = 0 to c and d; the way back brings 0 to all. So out = 0 1 0 0: a is reached only
// from b.
//
// Cost in lane operations: rook 384 + 128 loads of each array, bishop about three quarters of it, king 420, knight 336
// loads.
#ifndef CLTB_KERNELS_SWEEP_H
#define CLTB_KERNELS_SWEEP_H

#include "board.h"

// Puts `value` into an output: SWEEP_PUT_set for the first lines that touch a square, SWEEP_PUT_or for the later ones.
#define SWEEP_PUT_set(place, value) (place) = (value)
#define SWEEP_PUT_or(place, value)  (place) = (place) | (value)

// clang-format off

// What flows along a line in one direction, `way`: WAY##b is what reaches square b.
#define NEXT(way, a, b) const lane_t way##b = in[a] | (empty[a] & way##a);
#define FLOW2(way, a, b) const lane_t way##b = in[a];
#define FLOW3(way, a, b, c) FLOW2(way, a, b) NEXT(way, b, c)
#define FLOW4(way, a, b, c, d) FLOW3(way, a, b, c) NEXT(way, c, d)
#define FLOW5(way, a, b, c, d, e) FLOW4(way, a, b, c, d) NEXT(way, d, e)
#define FLOW6(way, a, b, c, d, e, f) FLOW5(way, a, b, c, d, e) NEXT(way, e, f)
#define FLOW7(way, a, b, c, d, e, f, g) FLOW6(way, a, b, c, d, e, f) NEXT(way, f, g)
#define FLOW8(way, a, b, c, d, e, f, g, h) FLOW7(way, a, b, c, d, e, f, g) NEXT(way, g, h)

// A line. Its first square is reached on the way back, its last one on the way forth, those between them both ways.
#define END(how, way, a) SWEEP_PUT_##how(out[a], way##a);
#define PUT(how, a) SWEEP_PUT_##how(out[a], forth##a | back##a);
#define LINE1(how, a) SWEEP_PUT_##how(out[a], in[a] & ~in[a]);
#define LINE2(how, a, b) \
    { \
        FLOW2(forth, a, b) FLOW2(back, b, a) \
        END(how, back, a) END(how, forth, b) \
    }
#define LINE3(how, a, b, c) \
    { \
        FLOW3(forth, a, b, c) FLOW3(back, c, b, a) \
        END(how, back, a) PUT(how, b) END(how, forth, c) \
    }
#define LINE4(how, a, b, c, d) \
    { \
        FLOW4(forth, a, b, c, d) FLOW4(back, d, c, b, a) \
        END(how, back, a) PUT(how, b) PUT(how, c) END(how, forth, d) \
    }
#define LINE5(how, a, b, c, d, e) \
    { \
        FLOW5(forth, a, b, c, d, e) FLOW5(back, e, d, c, b, a) \
        END(how, back, a) PUT(how, b) PUT(how, c) PUT(how, d) END(how, forth, e) \
    }
#define LINE6(how, a, b, c, d, e, f) \
    { \
        FLOW6(forth, a, b, c, d, e, f) FLOW6(back, f, e, d, c, b, a) \
        END(how, back, a) PUT(how, b) PUT(how, c) PUT(how, d) PUT(how, e) END(how, forth, f) \
    }
#define LINE7(how, a, b, c, d, e, f, g) \
    { \
        FLOW7(forth, a, b, c, d, e, f, g) FLOW7(back, g, f, e, d, c, b, a) \
        END(how, back, a) PUT(how, b) PUT(how, c) PUT(how, d) PUT(how, e) PUT(how, f) END(how, forth, g) \
    }
#define LINE8(how, a, b, c, d, e, f, g, h) \
    { \
        FLOW8(forth, a, b, c, d, e, f, g, h) FLOW8(back, h, g, f, e, d, c, b, a) \
        END(how, back, a) PUT(how, b) PUT(how, c) PUT(how, d) PUT(how, e) PUT(how, f) PUT(how, g) END(how, forth, h) \
    }

#define STEP2(s, n0, n1) out[s] = in[n0] | in[n1];
#define STEP3(s, n0, n1, n2) out[s] = in[n0] | in[n1] | in[n2];
#define STEP4(s, n0, n1, n2, n3) out[s] = in[n0] | in[n1] | in[n2] | in[n3];
#define STEP5(s, n0, n1, n2, n3, n4) out[s] = in[n0] | in[n1] | in[n2] | in[n3] | in[n4];
#define STEP6(s, n0, n1, n2, n3, n4, n5) out[s] = in[n0] | in[n1] | in[n2] | in[n3] | in[n4] | in[n5];
#define STEP8(s, n0, n1, n2, n3, n4, n5, n6, n7) \
    out[s] = in[n0] | in[n1] | in[n2] | in[n3] | in[n4] | in[n5] | in[n6] | in[n7];
// clang-format on

#define SWEEP_ARGUMENTS lane_t *restrict out, const lane_t *restrict in, const lane_t *restrict empty

static inline void sweep_rook(SWEEP_ARGUMENTS)
{
    BOARD_RANKS(set)
    BOARD_FILES(or)
}

static inline void sweep_bishop(SWEEP_ARGUMENTS)
{
    BOARD_DIAGONALS(set)
    BOARD_DIAGONAL_CORNERS(set)
    BOARD_ANTIDIAGONALS(or)
}

static inline void sweep_queen(SWEEP_ARGUMENTS)
{
    BOARD_RANKS(set)
    BOARD_FILES(or)
    BOARD_DIAGONALS(or)
    BOARD_ANTIDIAGONALS(or)
}

static inline void sweep_king(lane_t *restrict out, const lane_t *restrict in)
{
    BOARD_KING
}

static inline void sweep_knight(lane_t *restrict out, const lane_t *restrict in)
{
    BOARD_KNIGHT
}

#endif
