// frame.h - the men of a restricted endgame as pieces and fixed men of slices
//
// A kind is all men of one colour and type. Pawns are fixed men. So are the pieces of kinds with small sets: each
// placement of theirs is a slice of its own, and their moves lead from slice to slice. The kings and all other kinds
// are pieces of the slices, on 64 squares each; the solver knows their sets by masks (solve/rules/slice_rules.h).
//
// For each placement of the pawns the fixed pieces' placements, `combos`, are numbered: kind by kind, each in the order
// of its list, and the last one's number changes fastest. Combos in which two fixed men share a square are not slices.
//
// Example: K[e1-h3] R[e3,g3] P[f2] v K Q. The rook is a fixed piece, with two combos: e3 and g3. The kings and the
// queen are pieces, so each of the two slices has 64^3 entries.
#ifndef CLTB_RESTRICTED_MAKE_FRAME_H
#define CLTB_RESTRICTED_MAKE_FRAME_H

#include "restricted/index.h"
#include "solve/rules/slice_rules.h"

enum { FRAME_NO_SLICE = 0xffffffff };

struct frame_kind {
    uint8_t colour;
    uint8_t type;
    int men;                    //
    int piece[SPEC_MEN_MAX];    // [men] their numbers among the index's pieces
    uint64_t set[SPEC_MEN_MAX]; // [men] their squares
    uint64_t all;               // squares of all sets
    bool alike;                 // the sets are equal
    bool fixed;                 //
    int place[SPEC_MEN_MAX];    // [men] their places among the shape's pieces, or among its fixed men
    uint64_t *placement;        // [placements] for a fixed kind: the sets of squares, in rising order
    size_t placements;          //
    size_t room;                // for placements
};

struct frame {
    const struct restricted_index *index;
    struct slab_shape shape; // its fixed men are the pawns as in the index, then the fixed pieces
    int kinds;
    struct frame_kind kind[COLOURS * PIECE_TYPES];
    size_t combos;
    int groups; // of pieces with sets
    struct slice_group group[LAYOUT_PIECES_MAX];
};

// CLTB_E_USAGE if there are too many pieces with large sets; CLTB_E_MEMORY.
int frame_open(struct frame *frame, const struct restricted_index *index);
void frame_close(struct frame *frame);

// Gives the squares of the fixed men, with the pawns of a slice of the index. False: two share a square.
bool frame_place(const struct frame *frame, uint32_t slice, size_t combo, uint8_t square[FIXED_MAX]);

// The combo with the fixed men on these squares, or (`by_man`) with the men of the spec; SIZE_MAX: none.
size_t frame_combo(const struct frame *frame, const uint8_t *square, bool by_man);

// The bits that a piece of the shape on a square adds to the number of a slab's entry.
size_t frame_part(const struct frame *frame, int piece, int square);

#endif
