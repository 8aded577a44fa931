// slice_moves.h - the captures and pawn moves of a batch of slices, as imports of slabs
#ifndef CLTB_SOLVE_SLICE_MOVES_H
#define CLTB_SOLVE_SLICE_MOVES_H

#include "solve/slabs.h"

// One way to leave a slice: where the bits come from, and which entries they are for.
struct slice_move {
    uint32_t slice; // within the batch
    uint8_t where;  // enum import_where
    int8_t man;     // of the batch's layout, as in struct slab_import
    uint8_t at;
    uint8_t empty;
    bool capture;
    const struct slab *slab;
    const struct slab *reply[2]; // of a double push: en passant captures that it allows; NULL: none
};

struct slice_moves {
    struct slice_move *move;
    size_t count;
    size_t room;
};

// The slab of the endgame that is being solved with its pawns on these squares, for one side to move.
struct own_slabs {
    void *context;
    int (*find)(void *context, const uint8_t *square, int side, const struct slab **slab);
};

// A batch of slices whose men move.
struct slice_batch {
    struct slab_shape shape;
    size_t slices;
    const uint8_t (*square)[FIXED_MAX]; // [slices] 0..63
    struct slabs *slabs;
    const struct own_slabs *own; // NULL: captures only
    struct backend *backend;
    struct slice_moves captured[COLOURS];   // by victim: a piece takes a man of that colour
    struct slice_moves pawn_moves[COLOURS]; // by mover
    struct thread_pool *pool;
};

// Lists the moves of one side (and what its pieces can take), wanting the slabs that they lead to. These must be made
// before slice_batch_zeroing() is used.
int slice_batch_list(struct slice_batch *batch, int mover);
void slice_batch_free(struct slice_batch *batch);

// `batch->backend` must be there.
void slice_batch_zeroing(struct slice_batch *batch, struct zeroing *zeroing);

// The fixed men's square codes for layout_init_slices(): [slices], malloc'ed; NULL without memory.
uint8_t (*slice_batch_codes(const struct slice_batch *batch))[FIXED_MAX];

#endif
