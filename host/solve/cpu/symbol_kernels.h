// symbol_kernels.h - from planes to symbols of a byte and back, 64 at a time: inner loops for each instruction set
//
// A run of words makes an array of symbols, in which symbol 64 * w + i is that of bit i of word w. So a symbol's number
// has the l digits of all pieces, and the last piece's, digit 0, is the lowest.
#ifndef CLTB_SOLVE_CPU_SYMBOL_KERNELS_H
#define CLTB_SOLVE_CPU_SYMBOL_KERNELS_H

#include "solve/solution.h"

// Don't-cares, as symbols besides the real ones. Those of a distance have two bytes if necessary.
enum {
    ANY_OUTCOME = 0xff,   //
    DRAW_OR_WORSE = 0xfe, // any outcome that is not better than a draw
    ANY_DISTANCE = 0xffff // as a byte: 0xff
};

enum { NARROW_PLANES = 7, NARROW_CODES = 2 << NARROW_PLANES };

// The meaning of codes of seven bits: [won << 7 | code].
struct symbol_codes {
    bool cursed;                    // some distance is longer than the 50-move rule allows:
    uint8_t late[NARROW_CODES];     // 0xff: this distance is, else 0
    uint8_t distance[NARROW_CODES]; // 0xff: none
};

// Where rows of 64 symbols in the order of codes are written: symbol `code[i]` of row r becomes number i of row
// `place[r]`.
struct symbol_rows {
    size_t rows;
    uint64_t kept;     // bits: the rows that are kept; others become don't-cares
    uint8_t place[64]; // [rows]
    uint8_t code[64];
    uint8_t free[64]; // 0xff: don't-cares, else 0
};

// The order of the bits of 64 rows of 64 symbols: column c of row r has
enum symbol_split {
    SPLIT_COLUMNS,   // bit r of word c
    SPLIT_BY_ROW,    // bit c % 8 of byte r % 8 of word 8 * (r / 8) + c / 8
    SPLIT_BY_COLUMN, // bit r % 8 of byte c % 8 of the same
};

struct symbol_kernels {
    const char *name;
    // Makes the outcomes (enum cltb_outcome + 2) of `words` words from number `first` on. Adds the number of positions
    // with each to counts[5]. `late`: [words] the bits of those that are won or lost later than the 50-move rule
    // allows; NULL: the codes tell.
    void (*outcomes)(const struct slice_side *planes, const struct symbol_codes *codes, const uint64_t *late,
                     size_t first, size_t words, uint8_t *symbols, uint64_t *counts);
    // Makes the distances in the same way, from codes of seven bits.
    void (*distances)(const struct slice_side *planes, const struct symbol_codes *codes, size_t first, size_t words,
                      uint8_t *symbols);
    // Exchanges digit 0 of the symbols' numbers with another digit.
    void (*exchange)(uint8_t *symbols, size_t words, int digit);
    // `to` may be `from` if the rows keep their places.
    void (*put_rows)(uint8_t *to, const uint8_t *from, const struct symbol_rows *rows);
    // Joins rows, a multiple of eight, of eight arrays that are `apart` bytes from each other: the eight symbols from
    // number 8 * r on of array u are those with the codes 8 * u, ..., 8 * u + 7 of row r. Writes row r, in the order of
    // squares, at to + place[r], a multiple of 64, unless that is UINT64_MAX. It is written past the cache if it is a
    // line of it. Squares with free[square] == 0xff become don't-cares; else it is 0.
    void (*join_rows)(uint8_t *to, const uint64_t *place, size_t rows, const uint8_t *from, size_t apart,
                      const uint8_t free[64]);
    // The opposite of outcomes and distances, without their meaning: splits symbols into their lowest `bits` bits, 3 or
    // 8, which come to planes[bits]. Column c of row r is from[row[r] + order[c]].
    void (*split)(const uint8_t *from, const uint64_t row[64], const uint8_t order[64], int bits, enum symbol_split how,
                  uint64_t (*planes)[64]);
};

// Do all codes have at most seven bits?
static inline bool planes_narrow(const struct slice_side *planes)
{
    bool narrow = true;
    for (int bit = NARROW_PLANES; bit < DISTANCE_PLANES_MAX; bit++)
        narrow &= planes->distance[bit] == NULL;
    return narrow;
}

// The kernels of the instruction set `name`, or the best of this processor if it is NULL. NULL if there are none.
const struct symbol_kernels *symbol_kernels_choose(const char *name);

#endif
