// slice_masks.h - masks of a batch's entries: those in which a piece stands on a square, as slab imports without a slab
#ifndef CLTB_SOLVE_SLICE_MASKS_H
#define CLTB_SOLVE_SLICE_MASKS_H

#include "solve/slice_moves.h"

// Imports that are collected first, in rising order of slices, and then made.
struct slice_masks {
    const struct slice_batch *batch;
    struct slab_import *import;
    size_t count;
    size_t room;
};

// Adds the entries of a slice in which a piece of the shape stands on a square. `empty`: as in struct slab_import.
int slice_masks_add(struct slice_masks *masks, uint32_t slice, int piece, int square, uint64_t empty);

// plane |= the masks, unless `code` says that collecting them has failed. Frees them and returns the first error.
int slice_masks_end(struct slice_masks *masks, struct plane *plane, int code);

// plane |= the entries in which a fixed piece of `side` other than a pawn attacks the enemy king.
int slice_batch_attacks(const struct slice_batch *batch, struct plane *plane, int side);

#endif
