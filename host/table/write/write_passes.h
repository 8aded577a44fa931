// write_passes.h - how a section that does not fit in memory is made in several passes
//
// A section's entries are a number with the digits of the order's groups; its blocks are runs of 2^n entries. A pass makes
// some of the blocks, from the tiles whose u digits these blocks can have.
//
// A square's digit is its place on the board, but tiles know of its orbit u only. So blocks are taken orbit by orbit: all
// blocks in which the man of the outermost group stands on one of the 8 squares of an orbit, in whatever file or rank,
// need those tiles only in which he has this u, and no other blocks need them. Where 8 squares are too many or few enough to
// leave room, orbits of the second group (and the next) are told apart as well, or several orbits joined. Then all
// passes together look at each tile once.
//
// That takes groups of one man, with blocks that do not reach from one of his squares to the next. Else, or where even
// the blocks of one orbit of each such group are too many, a pass is a run of blocks, and some tiles are looked at in
// several passes.
#ifndef CLTB_TABLE_WRITE_WRITE_PASSES_H
#define CLTB_TABLE_WRITE_WRITE_PASSES_H

#include "index/entry.h"
#include "solve/tile_source.h"

struct write_pass {
    uint64_t first; // its blocks are block[first..first+count-1]
    uint64_t count;
    struct tile_filter filter;
};

struct write_passes {
    uint32_t *block;         // [blocks] of a section, in the order in which they are made
    uint64_t blocks;         //
    struct write_pass *pass; // [count]
    size_t count;            //
    uint64_t most;           // blocks of the largest pass
    double visits;           // how often a tile is looked at, on average
};

// The pieces that filters are about, as in a layout or a slab's shape.
struct write_pieces {
    int count;
    const uint8_t *type;
    const uint8_t *colour;
};

// Passes of at most `most` blocks of 2^block_bits entries (at least 1), alike for all sections.
int write_passes_plan(struct write_passes *passes, const struct entry_order *order, const struct write_pieces *pieces,
                      unsigned block_bits, uint64_t most);

// Are the same tiles wanted in each pass, and each tile once? Then two streams can share the passes.
bool write_passes_agree(const struct write_passes *a, const struct write_passes *b);

void write_passes_free(struct write_passes *passes);

#endif
