// layout.h - the solver's index of a pawnless endgame: tiles and lanes (seed 001)
//
// The black king stands on one of 10 squares; the other k men ("pieces", the white king among them) have two octal
// digits each (square.h). From the most significant part down:
//
//     index = [black king 0..9] [u of piece 0] ... [u of piece k-1]   [l of piece 0] ... [l of piece k-1]
//             '------------------- tile -------------------------'   '------------- lane -------------'
//
// A tile is the 8^k bits that share the king's square and all u digits; within it a lane is the number made of the l
// digits. Pieces are ordered white, black, white, black, ... so that both sides have digits at every height.
//
// Two like pieces (`pair`) come first, and only tiles with u0 <= u1 are kept: their two digits are replaced by one of
// base 36, u1 * (u1 + 1) / 2 + u0. A placement with u0 > u1 is looked up with the two pieces exchanged; one with u0 ==
// u1 has both of its orders in the tile.
//
// Endgames of three men are padded to k = 3 with a blank piece, which stands nowhere, never moves and comes first:
// every kernel can then count on 512 bits a tile.
//
// Everything is 64-bit: eight men have 10 * 64^7 = 4.4e13 entries.
#ifndef CLTB_INDEX_LAYOUT_H
#define CLTB_INDEX_LAYOUT_H

#include "index/material.h"
#include "index/square.h"

enum {
    LAYOUT_PIECES_MAX = MATERIAL_MEN_MAX - 1,
    BLANK = PIECE_TYPES, // the type of a padding piece
    PAIR_TILES = 36      // u0 <= u1
};

struct layout {
    struct material material;
    int pieces;                         // k, padding included
    uint8_t type[LAYOUT_PIECES_MAX];    // enum piece_type or BLANK
    uint8_t colour[LAYOUT_PIECES_MAX];  //
    bool pair;                          // pieces 0 and 1 are like, and kept for u0 <= u1 only
    int white_king;                     // its number among the pieces
    uint64_t tile_lanes;                // 8^k, bits in a tile
    uint64_t tiles;                     // of a plane
    uint64_t king_stride;               // tiles from one black-king square to the next
    uint64_t stride[LAYOUT_PIECES_MAX]; // tiles from one u digit to the next; [0] is the pair's where there is one
};

enum layout_flags { LAYOUT_PAIR = 1 }; // keep one order of a pair of like pieces, where there is one and k >= 4

// Only for material without pawns, 3 to 8 men; CLTB_E_USAGE otherwise.
int layout_init(struct layout *layout, const struct material *material, unsigned flags);

// The same for an explicit order of pieces (a futurebase in the order of its parent). The black king is not among them;
// no pair.
int layout_init_pieces(struct layout *layout, int pieces, const uint8_t *type, const uint8_t *colour);

// The number of bits of a plane: tiles * tile_lanes.
static inline uint64_t layout_bits(const struct layout *layout)
{
    return layout->tiles * layout->tile_lanes;
}

// The bit position of piece i's l digit within a lane number.
static inline unsigned layout_lane_shift(const struct layout *layout, int piece)
{
    return 3U * (unsigned)(layout->pieces - 1 - piece);
}

// The tile with these digits: king 0..9, u[pieces]. A pair's digits must be in order.
uint64_t layout_tile(const struct layout *layout, unsigned king, const uint8_t *u);

// The digits of a tile.
void layout_digits(const struct layout *layout, uint64_t tile, unsigned *king, uint8_t *u);

// The index of a placement: the black king's square, and the other men's in the order of `type` (the blank's is
// ignored). Any symmetry and either order of a pair give the same index, but for the mirror images of a king on the
// diagonal and the two orders of a pair in one tile.
uint64_t layout_index(const struct layout *layout, int black_king, const uint8_t *squares);

// The placement of an index. The squares may coincide: that is an overlap entry (docs/solver.md).
void layout_placement(const struct layout *layout, uint64_t index, int *black_king, uint8_t *squares);

#endif
