// grid.h - the outcomes of an endgame for all squares of its free men, the others being fixed
//
// Probing works out one position at a time and spends most of that on finding its way. A grid holds the true outcomes
// of 64^n placements of n free men for one side to move: what the table stores, completed by the captures of that side.
// These lead to grids with one man less, so a grid is made with a handful of reads a position. Pawns are always fixed;
// other men may be (a promoted piece stands on its square, a man that took a fixed one on that man's).
//
// The free men come first: White's king, Black's king, then by colour and type. A placement's number has their squares
// (a1 = 0, h8 = 63) as digits of radix 64, the first man's highest.
#ifndef CLTB_CHECK_GRID_H
#define CLTB_CHECK_GRID_H

#include <cltb/cltb.h>

#include "index/material.h"
#include "util/threads.h"

enum {
    GRID_NONE = 0xff,    // no legal position
    GRID_OUTCOME = 7,    // else: these bits are the outcome + 2,
    GRID_BY_CAPTURE = 8, // won or cursed-won by a capture
    GRID_FREE_MAX = 4    // 64^4 bytes
};

struct grid_shape {
    uint8_t side; // to move
    uint8_t free; // of the men
    uint8_t men;
    struct man man[MATERIAL_MEN_MAX]; // square: of fixed men, else 0; unused ones are zero
};

struct grid {
    struct grid_shape shape;
    uint64_t placements; // 64^free
    uint8_t *code;       // [placements]
};

// Puts the men of a shape into their order. `origin` (may be NULL): where each came from.
void grid_shape_sort(struct grid_shape *shape, uint8_t origin[MATERIAL_MEN_MAX]);

// What one square of a free man adds to a placement's number.
static inline uint64_t grid_stride(const struct grid_shape *shape, int man)
{
    return UINT64_C(1) << 6 * (shape->free - 1 - man);
}

// ---- a store of grids ----

// Grids are made when asked for and kept as long as there is room. For one thread; with a pool it shares out the work on
// each grid.
struct grids;

int grids_open(struct grids **grids, cltb_tables *tables, struct thread_pool *pool, size_t bytes);
void grids_close(struct grids *grids);

// Stays valid until it is given back.
int grids_get(struct grids *grids, const struct grid_shape *shape, const struct grid **grid);
void grids_release(struct grids *grids, const struct grid *grid);

// ---- what a move leads to ----

// The grid after a capture or pawn move and where to look in it: at the sum of square[i] * stride[i] over the free men
// of the grid from which it starts.
struct grid_link {
    const struct grid *grid;
    uint64_t stride[GRID_FREE_MAX];
};

struct grid_move {
    int mover;
    int victim; // -1: none
    int to;     // of a pawn
    int type;   // the mover's after the move
};

// Get it, look, and give back link->grid.
int grid_link(struct grids *grids, const struct grid_shape *from, const struct grid_move *move, struct grid_link *link);

static inline uint8_t grid_look(const struct grid_link *link, const uint8_t *square, int free)
{
    uint64_t at = 0;
    for (int i = 0; i < free; i++)
        at += square[i] * link->stride[i];
    return link->grid->code[at];
}

#endif
