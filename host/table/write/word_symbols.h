// word_symbols.h - what a table stores for the 64 entries of a word of planes
#ifndef CLTB_TABLE_WRITE_WORD_SYMBOLS_H
#define CLTB_TABLE_WRITE_WORD_SYMBOLS_H

#include "solve/solution.h"
#include "table/table.h"

// Don't-cares: symbols beside the real ones, which block_symbols.h replaces. Those of a distance have two bytes if
// needed.
enum {
    ANY_OUTCOME = 0xff,   //
    DRAW_OR_WORSE = 0xfe, // any outcome that is not better than a draw
    ANY_DISTANCE = 0xffff // as a byte: 0xff
};

// What the codes of some planes mean.
struct code_book {
    const solver_value (*value)[DISTANCE_CODES];
    bool cursed;                                 // some distance is longer than the 50-move rule allows
    uint16_t narrow[256];                        // distances by codes of seven bits: [won * 128 + code]
    uint16_t distance[COLOURS * DISTANCE_CODES]; // [won * DISTANCE_CODES + code], ANY_DISTANCE where there is none
};

void code_book_make(struct code_book *book, const solver_value (*value)[DISTANCE_CODES]);

// The outcomes (enum cltb_outcome + 2) of word w, whose lanes `any` have a code (planes_any_code()). Adds to `counts`
// how many positions have each.
void word_outcomes(const struct slice_side *planes, const struct code_book *book, size_t w, uint64_t any,
                   uint8_t symbols[64], uint64_t counts[TABLE_OUTCOMES]);

// The distances of word w, likewise, in plies: 64 symbols of 1 or 2 bytes.
void word_distances(const struct slice_side *planes, const struct code_book *book, size_t w, uint64_t any,
                    unsigned bytes, void *symbols);

#endif
