// sections.h - a request for values in the order of a file: some sections, or a part of one
#ifndef CLTB_TABLE_WRITE_SECTIONS_H
#define CLTB_TABLE_WRITE_SECTIONS_H

#include "index/entry.h"
#include "solve/backend_bulk.h"
#include "solve/coder.h"
#include "solve/tile_source.h"
#include "table/context_code.h"
#include "table/write/word_symbols.h"
#include "util/threads.h"

#define NO_SLOT  UINT32_MAX
#define NO_PLACE UINT64_MAX

// A wanted stream, and the place of its symbols: those of whole sections, or of those blocks of one section that have a
// slot.
struct section_target {
    const struct entry_order *order; // NULL: not wanted
    unsigned bytes;                  // of a symbol, 1 or 2
    void *symbols;                   // [sections * per_section], or [slots << block_bits]
    const uint32_t *slot;            // [blocks of a section] 0..slots-1 or NO_SLOT; NULL: whole sections
    uint32_t slots;                  //
    unsigned block_bits;             // a block has 2^block_bits symbols
    symbols_take *take;              // of whole sections: gets some blocks at a time, in their order, if a device makes
    void *take_context;              // the symbols; `symbols` is then left alone. NULL: it is filled
    const struct context_model *model; // with take(): the blocks are coded with this model,
    coded_take *take_coded;            // and the device may do that, too
    const struct ply_lists *lists;     // distances are their places in these (table/pattern_code.h); NULL: plies
};

// Both orders divide a table into the same sections. An order may be thinned (entry_order_thin()); entries that it
// does not have then have no place.
struct section_request {
    int side;
    struct section_target outcome;  // enum cltb_outcome + 2, ANY_OUTCOME or DRAW_OR_WORSE
    struct section_target distance; // plies or places, or ANY_DISTANCE
    bool first_free;                // ANY_DISTANCE for all wins in 1, not only for those by captures
    // With slots: the u digits that the pieces may have in the blocks with a slot. The pieces are those of the layout,
    // or of the slices' shape. NULL: anything.
    const struct tile_filter *filter;
    // Receives the legal positions by outcome + 2, each counted once for every placement on 64 squares, with identical
    // pieces, but not identical pawns, told apart. If several requests together give each block of a section one slot
    // for its outcomes, their counts add up to those of the section. NULL: not wanted; always NULL if `outcome` is not
    // wanted.
    uint64_t *counts; // [TABLE_OUTCOMES]
};

// Fills sections first..first+count-1; count is 1 if there are slots. Implemented by king_sections.c without pawns and
// slice_sections.c with pawns.
typedef int section_fill(const void *context, const struct section_request *request, uint64_t first, uint64_t count,
                         struct thread_pool *pool);

// `context` is a const struct tile_source, and a section is a square of the black king.
section_fill king_sections_fill;

// The place of entry `entry` of a section among a target's symbols, or NO_PLACE.
static inline uint64_t section_place(const struct section_target *target, uint64_t entry)
{
    if (target->slot == NULL)
        return entry;
    const uint32_t slot = target->slot[entry >> target->block_bits];
    return slot == NO_SLOT ? NO_PLACE
                           : (uint64_t)slot << target->block_bits | (entry & ((UINT64_C(1) << target->block_bits) - 1));
}

// Marks all symbols of a target as don't-cares.
int section_clear(const struct section_target *target, uint64_t sections, struct thread_pool *pool);

#endif
