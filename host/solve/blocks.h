// blocks.h - how a side's moves divide a plane into independent blocks
//
// A block fixes the u digits of the other side's men and holds all tiles that differ only in the u digits of the moving
// side (its locals), so all moves of that side stay inside. Without pawns the two sides' blocks are the rows and the
// columns of one grid: White's digits number the rows (blocks of Black's moves), the black king and Black's digits the
// columns (blocks of White's moves). Every tile is one cell of it.
//
//     tile = side_blocks_first(side, block) + offset[local]
//
// With pairs of kings, a step of a king leaves the other one on its square or, through a symmetry, on one of that
// square's images. So pairs have a class for each side: the number of the other side's king in the triangle, 0..9,
// which a block fixes. The pairs of the class, at most 58, are the highest digit of a local, and blocks have fewer
// locals where a class has fewer pairs. Blocks of this kind are no grid.
//
// In a layout of slices the slice is one of the digits that a block fixes.
#ifndef CLTB_SOLVE_BLOCKS_H
#define CLTB_SOLVE_BLOCKS_H

#include "index/layout.h"

enum { DIGITS_MAX = LAYOUT_PIECES_MAX + 1, HEAD_DIGIT = -1 };

// A digit of a tile's number: either blocks fix it, or their locals run over it.
struct tile_digit {
    int piece;       // its piece, the first of a group, or HEAD_DIGIT
    int men;         // 1, or the pieces of a group
    unsigned radix;  // 8, 10 or that of a group, or the number of slices / 8^d
    uint64_t stride; // in tiles
};

// The men of a tile, or those that are known.
struct tile_men {
    uint32_t head; // as in layout_tile(); of a block or a local, the value of its HEAD_DIGIT
    uint8_t u[LAYOUT_PIECES_MAX];
};

// The heads over which the locals of a block run, if the side's king is not a piece.
struct head_class {
    uint32_t heads;
    uint16_t head[KING_PAIRS_OF_SQUARE];
};

struct side_blocks {
    int side;
    bool king; // a king of the head moves with this side
    int fixed_count;
    struct tile_digit fixed[DIGITS_MAX]; // the last one is the lowest digit of a block's number
    int own_count;
    struct tile_digit own[DIGITS_MAX]; // likewise for a local's number
    uint64_t blocks;
    uint32_t locals;
    uint32_t king_locals; // locals from one head to the next
    uint64_t *offset;     // [classes][locals] tiles after the block's first tile
    struct tile_men *men; // [locals] of the moving side
    int classes;          // 1, or those of pairs of kings
    struct head_class class[TRIANGLE_SQUARES];
};

int side_blocks_make(struct side_blocks *blocks, const struct layout *layout, int side);
void side_blocks_free(struct side_blocks *blocks);

// The class of a block: 0, or with pairs of kings its HEAD_DIGIT.
static inline int side_blocks_class(const struct side_blocks *blocks, const struct tile_men *men)
{
    return blocks->classes == 1 ? 0 : (int)men->head;
}

// The first tile of a block, and the men that the block fixes (`men` may be NULL).
uint64_t side_blocks_first(const struct side_blocks *blocks, uint64_t block, struct tile_men *men);

// The number of locals from one value of an own digit to the next.
uint32_t side_blocks_stride(const struct side_blocks *blocks, int digit);

// The block of a tile, and the tile's local in it. Not with pairs of kings.
void side_blocks_find(const struct side_blocks *blocks, uint64_t tile, uint64_t *block, uint32_t *local);

#endif
