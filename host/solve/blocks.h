// blocks.h - how a side's moves divide a plane into independent blocks
//
// A block fixes the u digits of the other side's men and holds all tiles that differ only in the u digits of the moving
// side (its locals), so all moves of that side stay inside. Without pawns the two sides' blocks are the rows and the
// columns of one grid: White's digits number the rows (blocks of Black's moves), the black king and Black's digits the
// columns (blocks of White's moves). Every tile is one cell of it.
//
//     tile = side_blocks_first(side, block) + offset[local]
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
    uint32_t head; // the black king's square 0..9, or slice / 8^d
    uint8_t u[LAYOUT_PIECES_MAX];
};

struct side_blocks {
    int side;
    bool king; // the triangle's black king moves with this side
    int fixed_count;
    struct tile_digit fixed[DIGITS_MAX]; // the last one is the lowest digit of a block's number
    int own_count;
    struct tile_digit own[DIGITS_MAX]; // likewise for a local's number
    uint64_t blocks;
    uint32_t locals;
    uint32_t king_locals; // locals from one square of the black king to the next
    uint64_t *offset;     // [locals] tiles after the block's first tile
    struct tile_men *men; // [locals] of the moving side
};

int side_blocks_make(struct side_blocks *blocks, const struct layout *layout, int side);
void side_blocks_free(struct side_blocks *blocks);

// The first tile of a block, and the men that the block fixes (`men` may be NULL).
uint64_t side_blocks_first(const struct side_blocks *blocks, uint64_t block, struct tile_men *men);

// The number of locals from one value of an own digit to the next.
uint32_t side_blocks_stride(const struct side_blocks *blocks, int digit);

// The factor of layout_tile_weight() that some men of a tile make, all others being 0: groups, and with `king` the
// black king. The weight of a tile is the product for the block's men and those of the local.
unsigned blocks_weight(const struct layout *layout, const struct tile_men *men, bool king);

// The block of a tile, and the tile's local in it.
void side_blocks_find(const struct side_blocks *blocks, uint64_t tile, uint64_t *block, uint32_t *local);

#endif
