// word_symbols.h - the symbols that a table stores for the 64 entries of a word of planes
#ifndef CLTB_TABLE_WRITE_WORD_SYMBOLS_H
#define CLTB_TABLE_WRITE_WORD_SYMBOLS_H

#include "solve/cpu/symbol_kernels.h"
#include "table/table.h"

// The meaning of the codes of some planes.
struct code_book {
    const solver_value (*value)[DISTANCE_CODES];
    struct symbol_codes narrow;                  // codes of seven bits, distances of a byte
    uint16_t distance[COLOURS * DISTANCE_CODES]; // [won * DISTANCE_CODES + code], ANY_DISTANCE if there is none
    bool late[COLOURS * DISTANCE_CODES];         // longer than the 50-move rule allows
};

// `first_free`: wins in 1 have no distance, unless distances are to mate. `lists`: distances are their places in these
// (table/pattern_code.h); NULL: plies.
void code_book_make(struct code_book *book, const solver_value (*value)[DISTANCE_CODES], bool first_free,
                    enum metric metric, const struct ply_lists *lists);

// Makes the outcomes (enum cltb_outcome + 2) of `words` words from number `first` on: symbols[64 * words]. Adds the
// number of positions with each outcome to `counts`.
void word_outcomes(const struct symbol_kernels *kernels, const struct slice_side *planes, const struct code_book *book,
                   size_t first, size_t words, uint8_t *symbols, uint64_t counts[TABLE_OUTCOMES]);

// Makes the distances in the same way: symbols of 1 or 2 bytes.
void word_distances(const struct symbol_kernels *kernels, const struct slice_side *planes, const struct code_book *book,
                    size_t first, size_t words, unsigned bytes, void *symbols);

#endif
