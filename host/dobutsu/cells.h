// cells.h - what the code of a dobutsu position says by itself, for a cell of 256 codes at once
//
// A set of codes of a cell is 256 bits: bit op % 64 of word op / 64. The sets come from the same formulas as the
// solver's kernels (kernels/dobutsu/dobutsu.h).
#ifndef CLTB_DOBUTSU_CELLS_H
#define CLTB_DOBUTSU_CELLS_H

#include "dobutsu/code.h"
#include "kernels/dobutsu/dobutsu.h"

struct dobutsu_cell {
    uint64_t invalid[4]; // two men on one square, or a rooster in hand
    uint64_t won[4];     // valid, and Sente wins at once
    uint64_t kept[4];    // neither of these, and not a duplicate: a table keeps their values
};

// `cell` < DOBUTSU_CELLS.
void dobutsu_cell(uint32_t cell, struct dobutsu_cell *sets);

static inline bool dobutsu_has(const uint64_t set[4], uint32_t op)
{
    return (set[op / 64] >> op % 64 & 1) != 0;
}

// How many codes of a cell are kept.
uint32_t dobutsu_cell_kept(const struct dobutsu_cell *sets);

// The code under which a table keeps the value of a valid code that is not won at once: the smallest code of the
// position and its mirror image.
uint32_t dobutsu_kept_code(uint32_t code);

// What the squares of a cell mean. The tables are made on first use and shared by all callers. Thread-safe.
const struct dobutsu_tables *dobutsu_tables(void);

#endif
