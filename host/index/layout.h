// layout.h - the solver's index of a pawnless endgame: tiles and lanes
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
// Two identical pieces (`pair`) come first, and only tiles with u0 <= u1 are kept: their two digits are replaced by one
// of base 36, u1 * (u1 + 1) / 2 + u0. A placement with u0 > u1 is looked up with the two pieces swapped; one with u0
// == u1 has both of its orders in the tile.
//
// Endgames of three men are padded to k = 3 with a blank piece, which has no square, never moves and comes first, so
// that every kernel can rely on tiles of 512 bits.
//
// Everything is 64-bit: eight men have 10 * 64^7 = 4.4e13 entries.
//
// A layout of slices (layout_init_slices) is for endgames with fixed men, above all pawns. It holds a batch of slices,
// which differ in the squares of the fixed men; both kings are pieces like the others, on 64 squares:
//
//     index = [slice / 8^d] [u of piece d] ... [u of piece k-1]   [slice % 8^d] [l of piece d] ... [l of piece k-1]
//
// The d leading "pieces" of type SLICE have no u digit, and their l digits are octal digits of the slice's number, the
// highest first. Their number is the smallest that gives a tile four l digits, and so at least 4096 lanes. A slice by
// itself, without slice digits, is a slab: 64^n bits in the order [u digits] [l digits].
#ifndef CLTB_INDEX_LAYOUT_H
#define CLTB_INDEX_LAYOUT_H

#include "index/material.h"
#include "index/square.h"

enum {
    LAYOUT_PIECES_MAX = MATERIAL_MEN_MAX - 1,
    BLANK = PIECE_TYPES,     // the type of a padding piece
    SLICE = PIECE_TYPES + 1, // the type of an l digit that belongs to the slice's number
    PAIR_TILES = 36,         // u0 <= u1
    FIXED_MAX = 16,          // fixed men of a slice
    SLICE_DIGITS_MAX = 2,
    SLICE_LANE_DIGITS = 4 // least number of l digits in a layout of slices
};

// The men of a layout of slices, or of a family of slabs. The colours may be flipped relative to the stored table's.
struct slab_shape {
    int pieces; // in the order of their digits, including both kings
    uint8_t type[LAYOUT_PIECES_MAX];
    uint8_t colour[LAYOUT_PIECES_MAX];
    int fixed;
    uint8_t fixed_type[FIXED_MAX];
    uint8_t fixed_colour[FIXED_MAX];
};

struct layout {
    struct material material;
    int pieces;                         // k, padding included
    uint8_t type[LAYOUT_PIECES_MAX];    // enum piece_type or BLANK
    uint8_t colour[LAYOUT_PIECES_MAX];  //
    bool pair;                          // pieces 0 and 1 are identical, and there are only tiles with u0 <= u1
    int white_king;                     // its number among the pieces
    uint64_t tile_lanes;                // 8^k, bits in a tile
    uint64_t tiles;                     // of a plane
    uint64_t king_stride;               // tiles from one black-king square to the next
    uint64_t stride[LAYOUT_PIECES_MAX]; // tiles from one u digit to the next; [0] is that of the pair, if there is one
    // Only in a layout of slices:
    int slice_digits;                       // d
    uint64_t slices;                        // 0: a layout without pawns; else a multiple of 8^d
    uint64_t slices_used;                   // the others are padding
    int fixed;                              // fixed men
    uint8_t fixed_type[FIXED_MAX];          //
    uint8_t fixed_colour[FIXED_MAX];        //
    const uint8_t (*fixed_code)[FIXED_MAX]; // [slices_used] square codes; owned by the caller, must outlive the layout
    uint64_t slice_stride;                  // tiles from one slice / 8^d to the next
    int black_king;                         // its number among the pieces
};

enum layout_flags { LAYOUT_PAIR = 1 }; // keep one order of a pair of identical pieces, if there is one and k >= 4

// Only for material without pawns, 3 to 8 men; CLTB_E_USAGE otherwise.
int layout_init(struct layout *layout, const struct material *material, unsigned flags);

// The same for an explicit order of pieces (a futurebase in the order of its parent), without a pair. The black king is
// not among the pieces.
int layout_init_pieces(struct layout *layout, int pieces, const uint8_t *type, const uint8_t *colour);

// A layout of slices: the shape's pieces (without SLICE, which is added), and `slices` placements of its fixed men.
// CLTB_E_USAGE for more pieces than LAYOUT_PIECES_MAX or more fixed men than FIXED_MAX.
int layout_init_slices(struct layout *layout, const struct slab_shape *shape, uint64_t slices,
                       const uint8_t (*fixed_code)[FIXED_MAX]);

// The number of bits of one slice: 64^n for n pieces.
static inline uint64_t layout_slab_bits(const struct layout *layout)
{
    return UINT64_C(1) << 6 * (layout->pieces - layout->slice_digits);
}

// The number of men. They are numbered: the pieces first (including SLICE and BLANK, which are not men), then the black
// king of a layout without pawns, or the fixed men of a layout of slices.
static inline int layout_men(const struct layout *layout)
{
    return layout->pieces + (layout->slices == 0 ? 1 : layout->fixed);
}

static inline bool layout_is_man(const struct layout *layout, int man)
{
    return man >= layout->pieces || layout->type[man] < PIECE_TYPES;
}

static inline int layout_colour_of(const struct layout *layout, int man)
{
    if (man < layout->pieces)
        return layout->colour[man];
    return layout->slices == 0 ? BLACK : layout->fixed_colour[man - layout->pieces];
}

static inline int layout_type_of(const struct layout *layout, int man)
{
    if (man < layout->pieces)
        return layout->type[man];
    return layout->slices == 0 ? KING : layout->fixed_type[man - layout->pieces];
}

// The number of a side's king among the men.
static inline int layout_king(const struct layout *layout, int side)
{
    if (side == WHITE)
        return layout->white_king;
    return layout->slices == 0 ? layout->pieces : layout->black_king;
}

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

// The tile with these digits: king 0..9, u[pieces]. A pair's digits must be in order. In a layout of slices `king` is
// slice / 8^d, and the u digits of SLICE pieces are ignored (layout_digits() gives 0).
uint64_t layout_tile(const struct layout *layout, unsigned king, const uint8_t *u);

// The digits of a tile.
void layout_digits(const struct layout *layout, uint64_t tile, unsigned *king, uint8_t *u);

// How many placements on the 64 squares each entry of a tile stands for, in units of LAYOUT_WEIGHT, with identical
// pieces told apart. If an entry's mirror image or other order is in the same tile, each of them is counted by itself.
// Not for layouts of slices.
enum { LAYOUT_WEIGHT = 4 };
unsigned layout_tile_weight(const struct layout *layout, uint64_t tile);

// The index of a placement: the black king's square, and the other men's in the order of `type` (the blank's is
// ignored). All symmetries and both orders of a pair give the same index, except mirror images with the king on the
// diagonal and the two orders of a pair in one tile. Not for layouts of slices.
uint64_t layout_index(const struct layout *layout, int black_king, const uint8_t *squares);

// The placement of an index. The squares may coincide: that is an overlap entry (docs/solver.md). Not for layouts of
// slices.
void layout_placement(const struct layout *layout, uint64_t index, int *black_king, uint8_t *squares);

#endif
