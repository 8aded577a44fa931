// slice_moves.h - the captures and pawn moves of a batch of slices, as imports of slabs
#ifndef CLTB_SOLVE_SLICE_MOVES_H
#define CLTB_SOLVE_SLICE_MOVES_H

#include "solve/slabs.h"
#include "solve/zeroing.h"

// What a move is worth.
enum slice_worth {
    WORTH_SLAB, // the value in its slab
    WORTH_WIN,  // a win at once,
    WORTH_DRAW, // or a draw, by a rule
    WORTH_NONE, // it does not exist, or external() gives its worth
    WORTH_OWN   // a quiet move that stays within the endgame that is being solved
};

// One way to leave a slice: the source of the bits, and the entries that they are for.
struct slice_move {
    uint32_t slice; // number in the batch
    uint8_t where;  // enum import_where
    int8_t man;     // of the batch's layout, as in struct slab_import
    uint8_t at;
    uint8_t worth;  // enum slice_worth, except WORTH_OWN
    uint64_t empty; // as in struct slab_import
    bool capture;
    bool converts;               // a capture or promotion
    const struct slab *slab;     // if the worth is not WORTH_SLAB, only its illegal entries are known
    const struct slab *reply[2]; // after a double push: the en passant captures that it allows, or NULL
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

// A quiet move of a fixed piece within the endgame, from one slice of the batch to another.
struct slice_hop {
    uint32_t from;
    uint32_t to;
    uint64_t empty; // as in struct slab_import
};

struct slice_hops {
    struct slice_hop *hop;
    size_t count;
    size_t room;
};

struct slice_batch;

// ---- rules of endgames that are not all of chess (rules/slice_rules.h) ----

// A piece or fixed man that is limited to certain squares has a set of them. Pieces of the same colour and type that
// have sets are a group: a position belongs to the endgame if each can be given a set of its group. All other entries
// are outside; a quiet move of a piece to one of them leaves the endgame.

// A move of a man, for which the worth is wanted.
struct slice_question {
    int mover;             // colour
    int type;              // of the man that moves
    int captured;          // type, KING: none
    int promoted;          // type, KING: none
    int to;                // target square, if the move neither captures nor promotes
    const uint8_t *square; // for such a move of a fixed man: where the fixed men stand after it; NULL: a piece leaves
    bool replies;          // a double push that may be captured en passant
};

struct slice_group {
    int pieces;
    uint8_t piece[LAYOUT_PIECES_MAX]; // numbers in the shape
    uint64_t set[LAYOUT_PIECES_MAX];  // squares
    bool alike; // all sets are equal; otherwise a move out of them has the same worth on every square
};

struct slice_rules {
    void *context;
    enum slice_worth (*worth)(void *context, const struct slice_question *question);
    // The slice of the batch with the pawns of slice `slice` and the fixed men on these squares. Fixed pieces of the
    // same kind may be exchanged.
    uint32_t (*slice_of)(void *context, uint32_t slice, const uint8_t *square);
    int groups; // with sets
    struct slice_group group[LAYOUT_PIECES_MAX];
    bool stalemate_wins[COLOURS]; // by the side that has no move: it is not a draw
    bool stalemate_loses[COLOURS];
    // Adds what the rules decide on planes to batch->zeroing: slice_rules_zeroing(). NULL: nothing.
    int (*zeroing)(struct slice_batch *batch);
    // plane |= the entries with `side` to move whose best external move wins, or loses, in exactly `ply` plies; ply -1:
    // those that have an external move. NULL: there are none. Below: the next such ply from `ply` on; INT_MAX: none.
    int (*external)(void *context, const struct slice_batch *batch, struct plane *plane, int side, bool won, int ply);
    int (*next_external)(void *context, int side, bool won, int ply);
};

// ---- batches ----

// A batch of slices and the moves of its men.
struct slice_batch {
    struct slab_shape shape;
    size_t slices;
    const uint8_t (*square)[FIXED_MAX]; // [slices] 0..63
    struct slabs *slabs;
    const struct own_slabs *own; // NULL: only captures
    struct backend *backend;
    uint8_t (*codes)[FIXED_MAX];            // [slices] of the backend's layout
    const struct slice_rules *rules;        // NULL: those of chess, where of the fixed men only pawns move
    struct slice_moves captured[COLOURS];   // by victim: captures by pieces of men of that colour
    struct slice_moves pawn_moves[COLOURS]; // by mover: moves of pawns and other fixed men
    struct slice_hops hops[COLOURS];        // by mover
    struct zeroing zeroing;
    struct thread_pool *pool;
};

// The squares of a set by their codes, as in struct slab_import.
uint64_t slice_codes(uint64_t squares);

// The number in the layout of a man of the shape. Fixed men follow the pieces.
static inline int slice_man(const struct slab_shape *shape, int man)
{
    return man + (shape->pieces < SLICE_LANE_DIGITS ? SLICE_LANE_DIGITS - shape->pieces : 0);
}

// Lists the pawn moves and captures of one side and asks for the slabs that they lead to. These must be made before
// slice_batch_zeroing() is used.
int slice_batch_list(struct slice_batch *batch, int mover);

// Closes the backend, if it is open, and frees the lists.
void slice_batch_free(struct slice_batch *batch);

// Makes the layout of a batch, for batch->backend. It keeps using batch->codes.
int slice_batch_layout(struct slice_batch *batch, struct layout *layout);
void slice_batch_close(struct slice_batch *batch);

// Sets batch->zeroing. The backend must be open.
void slice_batch_zeroing(struct slice_batch *batch);

// plane |= the bits of these captures, or of the moves of one side's fixed men.
int slice_batch_import(const struct slice_batch *batch, struct plane *plane, const struct slice_moves *moves,
                       enum zeroing_bits which, bool captures_only);

#endif
