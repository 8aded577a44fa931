// lane_kernels.h - the inner loops of the CPU backend, one set per instruction set and lane width
//
// A lane word is 64 or 512 bits of a tile. Its bits are the l digits of the last 2 or 3 pieces of the layout (the word
// digits, number 0 the lowest); the l digits of the other pieces choose the word within the tile.
//
// All pointers to planes point at lane words of the set in use and are aligned to them. Nothing here knows chess beyond
// how pieces move, and nothing allocates.
#ifndef CLTB_SOLVE_CPU_LANE_KERNELS_H
#define CLTB_SOLVE_CPU_LANE_KERNELS_H

#include "index/layout.h"
#include "solve/cpu/row_kernels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WORD_DIGITS_MAX = 3,
    LANE_BYTES_MAX = 64,
    NOT_IN_WORD = -1,
    BLOCKERS_MAX = LAYOUT_PIECES_MAX + 1 + 8 * FIXED_MAX,
    PLANES_AT_ONCE = 10 // planes of distances that one finish can write
};

// Another man, as the group of a moving piece sees it.
struct blocker {
    int digit;    // the word digit that has its l; NOT_IN_WORD: it stands on `code` in every lane
    uint8_t code; // square code; with a word digit the l part is 0
    bool fixed;   // a fixed man: stands on `code` in the lanes in which word digit `digit`, the slice's, is `l`
    uint8_t l;    //
};

// Where the tiles of a group have the moving piece's l. Of identical pieces with sorted u digits the moving one may be
// any, so they have as many places.
struct sweep_place {
    int digit;     // the word digit, or NOT_IN_WORD
    size_t stride; // [lane words] from one l to the next; with a word digit: along the digit that replaces it
    size_t offset; // [lane words] of this setting of the l digits
};

// One sweep of one piece over one group: the 8 tiles that differ in its u digit, for one setting of the l digits that
// are neither in the word nor the piece's own. If the piece is one of several identical ones, the others' l digits come
// in their order at the group's later digits, whatever the place of the moving one is in a tile:
//
//     place 0, 1, 2 in the tile    m a b    a m b    a b m
//     as the sweep sees it         m a b    m a b    m a b
struct sweep_call {
    int type;   // enum piece_type
    int places; // more than 1: of identical pieces
    struct sweep_place place[LIKE_MAX];
    uint8_t first[8], last[8]; // by u: the places; the result counts for all of them, and they read the same
    bool invert;               // read ~in
    const void *in[8];         // the tiles; NULL: all zero (also when inverted)
    void *out[8];              // OR target; NULL: not wanted
    int blockers;
    struct blocker blocker[BLOCKERS_MAX];
};

// A symmetry as a permutation of the bits of a lane word: bit x of the result is bit `from` of the source, digit by
// digit.
struct lane_permutation {
    uint8_t map[WORD_DIGITS_MAX][8]; // [word digit][l of the result] = l of the source
    uint8_t bytes[64];               // the same as a shuffle of bytes for digits 2 and 1,
    uint64_t matrix;                 // and as a bit matrix for digit 0: row 7 - i gives bit i
};

struct finish_call {
    size_t words;      // lane words
    bool invert;       // `moves` are those that avoid loss: new = ~moves & ~closed; otherwise new = moves & ~closed
    const void *moves; //
    void *closed;      // |= new
    void *fresh;       // = new; NULL: not wanted
    int planes;        //
    void *plane[PLANES_AT_ONCE]; // |= new
};

struct lane_kernels {
    const char *name;
    unsigned word_bits;
    unsigned word_digits;
    // After a load with the piece's l in word digit t, digit `d` of the tile's words is at place[t][d], and taken[t] is
    // the digit that has replaced it.
    int place[WORD_DIGITS_MAX][WORD_DIGITS_MAX];
    int taken[WORD_DIGITS_MAX];
    const struct row_kernels *rows;

    // out |= sweep(in). Returns the set of u whose result is not empty.
    unsigned (*sweep)(const struct sweep_call *call);
    // Finds the attacks on a king, as a sweep whose input is 1 exactly where the king stands.
    void (*attack)(const struct sweep_call *call, struct blocker king);
    // out[v] |= permuted in[map[v]], v < words (first inverted if requested). Without `lanes`: out[v] |= in[v].
    void (*permute)(void *out, const void *in, size_t words, const uint16_t *map, const struct lane_permutation *lanes,
                    bool invert);
    // Are there new bits?
    bool (*any_new)(const struct finish_call *call);
    // Applies the new bits and returns their number.
    uint64_t (*finish)(const struct finish_call *call);
};

// Fills `bytes` and `matrix` from `map`.
void lane_permutation_finish(struct lane_permutation *lanes);

// The kernels for words of 64 or 512 bits: those of the instruction set `name` ("avx512", "avx2", "generic"), or the
// best of this processor if `name` is NULL. NULL if this processor does not have it.
const struct lane_kernels *lane_kernels_choose(unsigned word_bits, const char *name);

#endif
