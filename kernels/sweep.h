// sweep.h - where a piece can come from: one sweep over the 64 squares of a piece, all lanes at once
//
// Common subset of OpenCL C 1.2 and C11. The includer defines lane_t (any type with & | ~: a word, or a vector of words); each
// bit of it is a lane, one arrangement of the pieces that stand still. All arrays are [64], by square code.
//
//     out[s] = OR of in[t] over the squares t that the piece on s can move to
//
// `empty[s]` has the lanes in which no other piece stands on s. It counts for the squares passed through only, never for the
// target: what a move to an occupied square means is in the values of `in` there (overlap entries, docs/solver.md).
// A slider is a running scan along each line, in both directions at once, in registers:
//
//     flow = in[t] | (empty[t] & flow)
//
// Cost in lane operations: rook 384 + 128 loads of each array, bishop about three quarters of it, king 420, knight 336 loads.
#ifndef CLTB_KERNELS_SWEEP_H
#define CLTB_KERNELS_SWEEP_H

#include "board.h"

// Puts `value` into an output: SWEEP_PUT_set for the first lines that touch a square, SWEEP_PUT_or for the later ones.
#define SWEEP_PUT_set(place, value) (place) = (value)
#define SWEEP_PUT_or(place, value)  (place) = (place) | (value)

// clang-format off
#define LINE1(how, a) SWEEP_PUT_##how(out[a], in[a] & ~in[a]);
#define LINE2(how, a, b) \
    { \
        const lane_t xa = in[a], xb = in[b]; \
        const lane_t fb = xa; \
        const lane_t ra = xb; \
        SWEEP_PUT_##how(out[a], ra); \
        SWEEP_PUT_##how(out[b], fb); \
    }
#define LINE3(how, a, b, c) \
    { \
        const lane_t xa = in[a], xb = in[b], xc = in[c]; \
        const lane_t fb = xa; \
        const lane_t fc = xb | (empty[b] & fb); \
        const lane_t rb = xc; \
        const lane_t ra = xb | (empty[b] & rb); \
        SWEEP_PUT_##how(out[a], ra); \
        SWEEP_PUT_##how(out[b], fb | rb); \
        SWEEP_PUT_##how(out[c], fc); \
    }
#define LINE4(how, a, b, c, d) \
    { \
        const lane_t xa = in[a], xb = in[b], xc = in[c], xd = in[d]; \
        const lane_t fb = xa; \
        const lane_t fc = xb | (empty[b] & fb); \
        const lane_t fd = xc | (empty[c] & fc); \
        const lane_t rc = xd; \
        const lane_t rb = xc | (empty[c] & rc); \
        const lane_t ra = xb | (empty[b] & rb); \
        SWEEP_PUT_##how(out[a], ra); \
        SWEEP_PUT_##how(out[b], fb | rb); \
        SWEEP_PUT_##how(out[c], fc | rc); \
        SWEEP_PUT_##how(out[d], fd); \
    }
#define LINE5(how, a, b, c, d, e) \
    { \
        const lane_t xa = in[a], xb = in[b], xc = in[c], xd = in[d], xe = in[e]; \
        const lane_t fb = xa; \
        const lane_t fc = xb | (empty[b] & fb); \
        const lane_t fd = xc | (empty[c] & fc); \
        const lane_t fe = xd | (empty[d] & fd); \
        const lane_t rd = xe; \
        const lane_t rc = xd | (empty[d] & rd); \
        const lane_t rb = xc | (empty[c] & rc); \
        const lane_t ra = xb | (empty[b] & rb); \
        SWEEP_PUT_##how(out[a], ra); \
        SWEEP_PUT_##how(out[b], fb | rb); \
        SWEEP_PUT_##how(out[c], fc | rc); \
        SWEEP_PUT_##how(out[d], fd | rd); \
        SWEEP_PUT_##how(out[e], fe); \
    }
#define LINE6(how, a, b, c, d, e, f) \
    { \
        const lane_t xa = in[a], xb = in[b], xc = in[c], xd = in[d], xe = in[e], xf = in[f]; \
        const lane_t fb = xa; \
        const lane_t fc = xb | (empty[b] & fb); \
        const lane_t fd = xc | (empty[c] & fc); \
        const lane_t fe = xd | (empty[d] & fd); \
        const lane_t ff = xe | (empty[e] & fe); \
        const lane_t re = xf; \
        const lane_t rd = xe | (empty[e] & re); \
        const lane_t rc = xd | (empty[d] & rd); \
        const lane_t rb = xc | (empty[c] & rc); \
        const lane_t ra = xb | (empty[b] & rb); \
        SWEEP_PUT_##how(out[a], ra); \
        SWEEP_PUT_##how(out[b], fb | rb); \
        SWEEP_PUT_##how(out[c], fc | rc); \
        SWEEP_PUT_##how(out[d], fd | rd); \
        SWEEP_PUT_##how(out[e], fe | re); \
        SWEEP_PUT_##how(out[f], ff); \
    }
#define LINE7(how, a, b, c, d, e, f, g) \
    { \
        const lane_t xa = in[a], xb = in[b], xc = in[c], xd = in[d], xe = in[e], xf = in[f], xg = in[g]; \
        const lane_t fb = xa; \
        const lane_t fc = xb | (empty[b] & fb); \
        const lane_t fd = xc | (empty[c] & fc); \
        const lane_t fe = xd | (empty[d] & fd); \
        const lane_t ff = xe | (empty[e] & fe); \
        const lane_t fg = xf | (empty[f] & ff); \
        const lane_t rf = xg; \
        const lane_t re = xf | (empty[f] & rf); \
        const lane_t rd = xe | (empty[e] & re); \
        const lane_t rc = xd | (empty[d] & rd); \
        const lane_t rb = xc | (empty[c] & rc); \
        const lane_t ra = xb | (empty[b] & rb); \
        SWEEP_PUT_##how(out[a], ra); \
        SWEEP_PUT_##how(out[b], fb | rb); \
        SWEEP_PUT_##how(out[c], fc | rc); \
        SWEEP_PUT_##how(out[d], fd | rd); \
        SWEEP_PUT_##how(out[e], fe | re); \
        SWEEP_PUT_##how(out[f], ff | rf); \
        SWEEP_PUT_##how(out[g], fg); \
    }
#define LINE8(how, a, b, c, d, e, f, g, h) \
    { \
        const lane_t xa = in[a], xb = in[b], xc = in[c], xd = in[d], xe = in[e], xf = in[f], xg = in[g], xh = in[h]; \
        const lane_t fb = xa; \
        const lane_t fc = xb | (empty[b] & fb); \
        const lane_t fd = xc | (empty[c] & fc); \
        const lane_t fe = xd | (empty[d] & fd); \
        const lane_t ff = xe | (empty[e] & fe); \
        const lane_t fg = xf | (empty[f] & ff); \
        const lane_t fh = xg | (empty[g] & fg); \
        const lane_t rg = xh; \
        const lane_t rf = xg | (empty[g] & rg); \
        const lane_t re = xf | (empty[f] & rf); \
        const lane_t rd = xe | (empty[e] & re); \
        const lane_t rc = xd | (empty[d] & rd); \
        const lane_t rb = xc | (empty[c] & rc); \
        const lane_t ra = xb | (empty[b] & rb); \
        SWEEP_PUT_##how(out[a], ra); \
        SWEEP_PUT_##how(out[b], fb | rb); \
        SWEEP_PUT_##how(out[c], fc | rc); \
        SWEEP_PUT_##how(out[d], fd | rd); \
        SWEEP_PUT_##how(out[e], fe | re); \
        SWEEP_PUT_##how(out[f], ff | rf); \
        SWEEP_PUT_##how(out[g], fg | rg); \
        SWEEP_PUT_##how(out[h], fh); \
    }

#define STEP2(s, n0, n1) out[s] = in[n0] | in[n1];
#define STEP3(s, n0, n1, n2) out[s] = in[n0] | in[n1] | in[n2];
#define STEP4(s, n0, n1, n2, n3) out[s] = in[n0] | in[n1] | in[n2] | in[n3];
#define STEP5(s, n0, n1, n2, n3, n4) out[s] = in[n0] | in[n1] | in[n2] | in[n3] | in[n4];
#define STEP6(s, n0, n1, n2, n3, n4, n5) out[s] = in[n0] | in[n1] | in[n2] | in[n3] | in[n4] | in[n5];
#define STEP8(s, n0, n1, n2, n3, n4, n5, n6, n7) out[s] = in[n0] | in[n1] | in[n2] | in[n3] | in[n4] | in[n5] | in[n6] | in[n7];
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
