// write_passes.h - how a section that does not fit in memory is made in several passes
//
// A section's entries are a number with the digits of the order's groups; its blocks are runs of 2^n entries. A pass
// makes some of the blocks, from the tiles whose u digits these blocks can have.
//
// A digit is a square of the board, but a tile only determines the square's orbit u. Therefore a pass has the blocks of
// one orbit: those in which the man of the outermost group stands on one of its 8 squares. They need only the tiles in
// which that man has this u, and no other blocks need these. If an orbit has too many blocks, it is divided by the
// orbits of the second group, and of the next ones; if it has few, several orbits are joined. All passes together look
// at each tile once.
//
// This requires groups of one man, and blocks that do not contain parts of two of its squares. Otherwise, or if even
// the blocks of one orbit of each such group are too many, a pass is a run of blocks, and several passes look at some
// tiles.
//
// For example, a section of KQvKR in the order "k Q r K" has 64 blocks of 2^12 symbols, one for each square of Q. If 16
// blocks fit in memory, there are four passes, each with the blocks of two orbits of Q.
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
    uint64_t most;           // blocks in the largest pass
    double visits;           // how often a tile is looked at, on average
};

// The pieces of filters, as in a layout or a slab's shape.
struct write_pieces {
    int count;
    const uint8_t *type;
    const uint8_t *colour;
};

// Plans passes of at most `most` blocks (at least 1) of 2^block_bits entries, which are the same for all sections.
int write_passes_plan(struct write_passes *passes, const struct entry_order *order, const struct write_pieces *pieces,
                      unsigned block_bits, uint64_t most);

// Do both want the same tiles in each pass, and each tile once? If so, two streams can share the passes.
bool write_passes_agree(const struct write_passes *a, const struct write_passes *b);

void write_passes_free(struct write_passes *passes);

#endif
