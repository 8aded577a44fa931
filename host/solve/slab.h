// slab.h - what an endgame with some men fixed is worth, for all squares of the other men
//
// A slab is one slice by itself (layout.h): 64^n bits for n pieces, [u digits] [l digits], for one side to move.
// Zeroing moves from a slice lead to slabs.
#ifndef CLTB_SOLVE_SLAB_H
#define CLTB_SOLVE_SLAB_H

#include "index/layout.h"

#include <string.h>

// All men of a shape.
static inline struct material slab_material(const struct slab_shape *shape)
{
    struct material material = {{{0}}};
    for (int i = 0; i < shape->pieces; i++)
        material.count[shape->colour[i]][shape->type[i]]++;
    for (int i = 0; i < shape->fixed; i++)
        material.count[shape->fixed_colour[i]][shape->fixed_type[i]]++;
    return material;
}

// Takes a man off the board.
static inline void slab_shape_drop_piece(struct slab_shape *shape, int piece)
{
    const size_t after = (size_t)(--shape->pieces - piece);
    memmove(shape->type + piece, shape->type + piece + 1, after);
    memmove(shape->colour + piece, shape->colour + piece + 1, after);
}

static inline void slab_shape_drop_fixed(struct slab_shape *shape, uint8_t *square, int man)
{
    const size_t after = (size_t)(--shape->fixed - man);
    memmove(shape->fixed_type + man, shape->fixed_type + man + 1, after);
    memmove(shape->fixed_colour + man, shape->fixed_colour + man + 1, after);
    memmove(square + man, square + man + 1, after);
}

// Stored outcomes of one slab, which need not be the true ones where a position is resolved by a capture
// (table/table.h). Each array has [64^pieces / 64] words, zeroed by the caller; bits are set where the outcome is
// stored. Illegal entries may have any value.
struct stored_slab {
    const uint8_t *square; // [fixed] 0..63
    uint64_t *won;
    uint64_t *lost;
    uint64_t *cursed_won;   // NULL if the table has none
    uint64_t *blessed_lost; // NULL if the table has none
};

// Where stored outcomes come from: futurebase/ implements this from tables, tests from whatever they have.
struct slab_source {
    void *context;
    // Does the table of that material (any colours) have cursed wins or blessed losses?
    int (*look)(void *context, const struct material *material, bool *cursed);
    // Fills some slabs of one shape for one side to move. Never asked for bare kings. The fixed men may stand on either
    // mirror image of a stored slice.
    int (*load)(void *context, const struct slab_shape *shape, int side, struct stored_slab *slabs, size_t count);
};

#endif
