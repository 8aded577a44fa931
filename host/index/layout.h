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
// Identical pieces (a group) come first, or after the white king, and only tiles with sorted u digits are kept:
// u0 <= u1 <= ... The n digits of a group are replaced by one of base C(n + 7, n), the sum of C(ui + i, i + 1) for
// i = 0..n-1: of two pieces, u1 * (u1 + 1) / 2 + u0 < 36. A placement is looked up with its pieces sorted; pieces with
// equal u digits (tied ones) have all of their orders in the tile. For example, three pieces with the digits 0, 2, 2
// are number 0 + 3 + 4 = 7 of 120. The tile has both orders of the last two, and stands for three orders of all digits
// (its weight).
//
// Endgames of three men are padded to k = 3 with a blank piece, which has no square, never moves and comes first, so
// that every kernel can rely on tiles of 512 bits.
//
// With LAYOUT_KINGS both kings come first, as one of 462 pairs of squares (kings.h), where the other men are enough:
//
//     index = [pair of kings 0..461] [u of piece 0] ... [u of piece k-1]   [l of piece 0] ... [l of piece k-1]
//
// Such a layout can be shown as one of the first kind whose piece 0 is the white king (layout_init_shown()): a tile of
// it is eight tiles of the pairs, one after another. Futurebases have the shown form, too.
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

#include "index/kings.h"
#include "index/material.h"

enum {
    LAYOUT_PIECES_MAX = MATERIAL_MEN_MAX - 1,
    BLANK = PIECE_TYPES,                       // the type of a padding piece
    SLICE = PIECE_TYPES + 1,                   // the type of an l digit that belongs to the slice's number
    PAIR_TILES = 36,                           // u0 <= u1
    LIKE_MAX = LAYOUT_PIECES_MAX - 1,          // identical pieces; one is the white king
    LAYOUT_GROUPS_MAX = LAYOUT_PIECES_MAX / 2, //
    FIXED_MAX = 16,                            // fixed men of a slice
    SLICE_LANE_DIGITS = 4,                     // least number of l digits in a layout of slices
    KINGS_PIECES_LEAST = 3                     // least number of other pieces in a layout of pairs of kings
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

// Identical pieces with sorted u digits.
struct like_pieces {
    int first;
    int count;
    unsigned tiles; // the values of their digit
};

struct layout {
    struct material material;
    int pieces;                        // k, padding included
    uint8_t type[LAYOUT_PIECES_MAX];   // enum piece_type or BLANK
    uint8_t colour[LAYOUT_PIECES_MAX]; //
    int groups;                        // of identical pieces with sorted u digits, one after another
    struct like_pieces group[LAYOUT_GROUPS_MAX];
    bool pair;                          // the only group is a pair, pieces 0 and 1
    bool kings;                         // the head is a pair of kings
    int white_king;                     // their numbers among the men
    int black_king;                     //
    uint64_t tile_lanes;                // 8^k, bits in a tile
    uint64_t tiles;                     // of a plane
    uint64_t king_stride;               // tiles from one head, black king's square or pair of kings, to the next
    uint64_t stride[LAYOUT_PIECES_MAX]; // tiles from one u digit, or digit of the group, to the next
    // Only in a layout of slices:
    int slice_digits;                       // d
    uint64_t slices;                        // 0: a layout without pawns; else a multiple of 8^d
    uint64_t slices_used;                   // the others are padding
    int fixed;                              // fixed men
    uint8_t fixed_type[FIXED_MAX];          //
    uint8_t fixed_colour[FIXED_MAX];        //
    const uint8_t (*fixed_code)[FIXED_MAX]; // [slices_used] square codes; owned by the caller, must outlive the layout
    uint64_t slice_stride;                  // tiles from one slice / 8^d to the next
};

// Which identical pieces become groups, if there are five men or more. Without LAYOUT_ALIKE further ones are stored in
// every order.
enum layout_flags {
    LAYOUT_PAIR = 1,  // one pair
    LAYOUT_ALIKE = 2, // all
    LAYOUT_KINGS = 4  // both kings are the head, if there are KINGS_PIECES_LEAST other pieces
};

// Only for material without pawns, 3 to 8 men; CLTB_E_USAGE otherwise.
int layout_init(struct layout *layout, const struct material *material, unsigned flags);

// The same for an explicit order of pieces, without groups. The black king is not among the pieces.
int layout_init_pieces(struct layout *layout, int pieces, const uint8_t *type, const uint8_t *colour);

// A layout of pairs of kings in its shown form; any other as it is.
void layout_init_shown(struct layout *shown, const struct layout *layout);

// The layout of what is left after the capture of a piece, in the same order: of a futurebase. Pieces that are left of
// groups are groups if they still come first, k >= 4, and the layout has pairs of kings or more than a pair. (The
// kernels of devices look up futurebases in every order.)
int layout_init_without(struct layout *sub, const struct layout *layout, int captured);

// A layout of slices: the shape's pieces (without SLICE, which is added), and `slices` placements of its fixed men.
// CLTB_E_USAGE for more pieces than LAYOUT_PIECES_MAX or more fixed men than FIXED_MAX.
int layout_init_slices(struct layout *layout, const struct slab_shape *shape, uint64_t slices,
                       const uint8_t (*fixed_code)[FIXED_MAX]);

// The number of bits of one slice: 64^n for n pieces.
static inline uint64_t layout_slab_bits(const struct layout *layout)
{
    return UINT64_C(1) << 6 * (layout->pieces - layout->slice_digits);
}

// The number of men. They are numbered: the pieces first (including SLICE and BLANK, which are not men), then the white
// king if the head is a pair of kings, and the black king of a layout without pawns, or the fixed men of a layout of
// slices.
static inline int layout_men(const struct layout *layout)
{
    return layout->pieces + (layout->slices > 0 ? layout->fixed : layout->kings ? 2 : 1);
}

static inline bool layout_is_man(const struct layout *layout, int man)
{
    return man >= layout->pieces || layout->type[man] < PIECE_TYPES;
}

static inline int layout_colour_of(const struct layout *layout, int man)
{
    if (man < layout->pieces)
        return layout->colour[man];
    if (layout->slices > 0)
        return layout->fixed_colour[man - layout->pieces];
    return layout->kings && man == layout->pieces ? WHITE : BLACK;
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
    return side == WHITE ? layout->white_king : layout->black_king;
}

// Without slices: the square of a man that is not among the pieces, by the head of a tile.
static inline int layout_head_square(const struct layout *layout, unsigned head, int man)
{
    if (!layout->kings)
        return triangle_square[head];
    return man == layout->pieces ? pair_white[head] : triangle_square[pair_black(head)];
}

// The factor of layout_tile_weight() for a head: are its mirror images in other tiles?
static inline unsigned layout_head_weight(const struct layout *layout, unsigned head)
{
    return (layout->kings ? pair_on_diagonal(head) : square_on_diagonal(triangle_square[head])) ? 1 : 2;
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

// What the u digit of number i of identical pieces adds: C(u + i, i + 1).
unsigned like_part(int i, unsigned u);

// The number of u digits of `count` identical pieces, in rising order; and back.
unsigned like_number(const uint8_t *u, int count);
void like_digits(unsigned number, int count, uint8_t *u);

// The values of their digit.
unsigned like_tiles(int count);

// The group that begins with a piece; NULL: none does.
static inline const struct like_pieces *layout_group_at(const struct layout *layout, int piece)
{
    for (int g = 0; g < layout->groups; g++) {
        if (layout->group[g].first == piece)
            return &layout->group[g];
    }
    return NULL;
}

// The number of the first piece after the groups.
static inline int layout_grouped(const struct layout *layout)
{
    return layout->groups == 0 ? 0 : layout->group[layout->groups - 1].first + layout->group[layout->groups - 1].count;
}

// Does the piece have a u digit of its own?
static inline bool layout_is_single(const struct layout *layout, int piece)
{
    return piece >= layout->slice_digits + layout_grouped(layout) ||
           (layout->groups > 0 && piece < layout->group[0].first);
}

// In how many orders the groups' pieces can have these u digits.
unsigned layout_orders(const struct layout *layout, const uint8_t *u);

// The tile with these digits: head, u[pieces]. The head is the black king's square 0..9, or the pair of kings 0..461,
// or in a layout of slices slice / 8^d; then the u digits of SLICE pieces are ignored (layout_digits() gives 0). A
// group's digits must be in order.
uint64_t layout_tile(const struct layout *layout, unsigned head, const uint8_t *u);

// The digits of a tile.
void layout_digits(const struct layout *layout, uint64_t tile, unsigned *head, uint8_t *u);

// How many placements on the 64 squares each entry of a tile stands for, in units of LAYOUT_WEIGHT, with identical
// pieces told apart. If an entry's mirror image or other order is in the same tile, each of them is counted by itself.
// Not for layouts of slices.
enum { LAYOUT_WEIGHT = 4 };
unsigned layout_tile_weight(const struct layout *layout, uint64_t tile);

// The index of a placement: the black king's square, and the other men's in the order of their numbers (the blank's is
// ignored). All symmetries and all orders of a group give the same index, except mirror images with the king, or both
// kings of a pair, on the diagonal, and the orders of tied pieces. Kings of a pair must not touch. Not for layouts of
// slices.
uint64_t layout_index(const struct layout *layout, int black_king, const uint8_t *squares);

// The placement of an index. The squares may coincide: that is an overlap entry (docs/solver.md). Not for layouts of
// slices.
void layout_placement(const struct layout *layout, uint64_t index, int *black_king, uint8_t *squares);

#endif
