// slice_moves.h - the captures and pawn moves of a batch of slices, as imports of slabs
#ifndef CLTB_SOLVE_SLICE_MOVES_H
#define CLTB_SOLVE_SLICE_MOVES_H

#include "solve/slabs.h"
#include "solve/zeroing.h"

// One way to leave a slice: where the bits come from, and which entries they are for.
struct slice_move {
    uint32_t slice; // within the batch
    uint8_t where;  // enum import_where
    int8_t man;     // of the batch's layout, as in struct slab_import
    uint8_t at;
    uint8_t empty;
    bool capture;
    const struct slab *slab;
    const struct slab *reply[2]; // of a double push: the en passant captures that it allows, or NULL
};

struct slice_moves {
    struct slice_move *move;
    size_t count;
    size_t room;
};

// Finds the slab of the endgame that is being solved with its pawns on these squares, for one side to move.
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

// Lists the pawn moves and captures of one side and wants the slabs that they lead to. These must be made before
// slice_batch_zeroing() is used.
int slice_batch_list(struct slice_batch *batch, int mover);
void slice_batch_free(struct slice_batch *batch);

// `batch->backend` must be open.
void slice_batch_zeroing(struct slice_batch *batch, struct zeroing *zeroing);

// The layout of a batch. `codes` are the fixed men's square codes, malloc'ed, which the layout keeps using.
int slice_batch_layout(const struct slice_batch *batch, struct layout *layout, uint8_t (**codes)[FIXED_MAX]);

#endif
