// sections_inside.h - what the parts that put values into a file's order share
//
//     sections.c         requests, tiles value by value
//     section_entries.c  entries as sums of parts
//     section_words.c    tiles word by word
#ifndef CLTB_TABLE_WRITE_SECTIONS_INSIDE_H
#define CLTB_TABLE_WRITE_SECTIONS_INSIDE_H

#include "solve/solution.h"
#include "table/write/sections.h"

#include <cltb/cltb.h>

enum {
    VALUE_COUNTS = 2 * (SOLVER_PLY_MAX + 2),
    MIRROR = 4 // the symmetry that exchanges files and ranks
};

// More than any entry, also if two of them are added: men who do not stand on the board of the order.
#define OFF_BOARD (UINT64_C(1) << 62)

// How one order sees the tiles of a layout.
struct order_view {
    const struct entry_order *order; // NULL: not wanted
    int group_of[LAYOUT_PIECES_MAX];
    bool split; // identical pieces on both sides of the cut: no sum of two parts
};

// Scratch of one worker.
struct worker_memory {
    solver_value *value; // [lanes]
    uint64_t *illegal;   // [lanes / 64]
    // Parts of entries, by which order.
    uint64_t *upper[2];        // [lanes of the upper pieces]
    uint64_t lower[2][64];     //
    uint64_t *mirror_upper[2]; // of the mirror images
    uint64_t mirror_lower[2][64];
    uint64_t counts[VALUE_COUNTS];
    uint64_t sum[TABLE_OUTCOMES]; // and of section_scatter_words(), by outcome + 2
};

// What is stored of a position, by a key: its code, then its won bit, then its resolved bit.
enum { BITS_FEW = 6, BITS_MANY = 8, KEYS_MAX = 4 << BITS_MANY };

struct symbols {
    unsigned bits; // of a code
    uint8_t outcome[KEYS_MAX];
    uint16_t distance[KEYS_MAX];
    solver_value value[KEYS_MAX];
    bool cursed; // is any value?
};

struct scatter {
    const struct tile_source *source;
    const struct section_request *request;
    const struct layout *layout;
    unsigned king;
    struct order_view view[2];     // outcome, distance
    bool by_words;                 // word by word, see section_scatter_words()
    bool mirrored;                 // with the parts of mirror images
    struct symbols few;            // for codes of BITS_FEW bits,
    struct symbols many;           // and of BITS_MANY
    struct worker_memory **memory; // [threads], those that had work
};

struct tile_view {
    const struct layout *layout;
    uint8_t u[LAYOUT_PIECES_MAX];
    uint8_t square[LAYOUT_PIECES_MAX][8];
};

// ---- symbols ----

static inline int section_outcome(solver_value value)
{
    return solver_value_outcome(value) + 2;
}

static inline uint64_t section_entry_place(const struct section_target *target, uint64_t entry)
{
    return target->order == NULL || entry >= target->order->per_section ? NO_PLACE : section_place(target, entry);
}

static inline unsigned section_outcome_symbol(solver_value value, bool resolved)
{
    if (resolved && value == 0)
        return FREE_TO_DRAW;
    return resolved && solver_value_won(value) ? FREE_ANY : (unsigned)section_outcome(value);
}

static inline unsigned section_distance_symbol(solver_value value, bool resolved)
{
    return value == 0 || (resolved && solver_value_won(value)) ? FREE_DISTANCE : (unsigned)solver_value_ply(value);
}

static inline void section_put(const struct section_target *target, uint64_t entry, unsigned symbol)
{
    const uint64_t place = section_entry_place(target, entry);
    if (place == NO_PLACE)
        return;
    if (target->bytes == 1)
        ((uint8_t *)target->symbols)[place] = (uint8_t)symbol;
    else
        ((uint16_t *)target->symbols)[place] = (uint16_t)symbol;
}

// ---- section_entries.c ----

// All but the last two, or of three and less but the last one.
int section_upper_pieces(const struct layout *layout);

void section_view_order(struct order_view *view, const struct entry_order *order, const struct layout *layout);

// The part of an entry's index (without the king's) that pieces first..last-1 give, for one lane. Squares after
// `symmetry`.
uint64_t section_part_of(const struct tile_view *tile, const struct order_view *view, uint64_t lane, int first,
                         int last, int symmetry);

// Identical pieces in any order are one entry, which the lane with rising squares writes. Identical pieces 0 and 1 of a pair tile
// come in one order of u only, so for these two any order will do.
bool section_identical_rise(const struct tile_view *tile, uint64_t lane);

// Are there identical pieces other than the two of a pair?
bool section_has_more_like(const struct layout *layout);

// With the black king on the diagonal: is this lane the image that the file keeps? 1 yes, 0 no, -1: compare the
// indices.
int section_diagonal_image(const struct tile_view *tile, uint64_t lane);

// Are all groups of one man each, or is there no order?
bool section_single_or_none(const struct order_view *view);

// The parts of a tile in order number `which`: memory->upper, lower.
void section_make_parts(struct worker_memory *memory, const struct tile_view *tile, const struct order_view *view,
                        int which);

// Only where all groups are of one man.
void section_make_mirrored_parts(struct worker_memory *memory, const struct tile_view *tile,
                                 const struct order_view *view, int which);

// ---- section_words.c ----

// Is every word one square each of the upper pieces, with sums of two parts on the whole board?
bool section_can_scatter_words(const struct scatter *scatter);

// value[1: won][code], codes of so many bits.
void section_list_symbols(struct symbols *symbols, unsigned bits, const solver_value value[COLOURS][DISTANCE_CODES]);

// Those for codes of as many bits as there are planes; NULL: too many.
const struct symbols *section_symbols_for(const struct scatter *scatter, const struct slice_side *planes);

// `first`: the tile's first word in the planes. With the black king on the diagonal the white king's square tells which image
// a lane is; if he is a lower piece that is the same in all words, else in all lanes of a word.
void section_scatter_words(const struct scatter *scatter, const struct symbols *symbols, const struct tile_view *tile,
                           struct worker_memory *memory, const struct slice_side *planes, size_t first, bool counted);

// ---- sections.c ----

// Every placement counts: the king's square stands for 8 or 4, a pair's tile with different u digits for both orders.
uint64_t section_weight(const struct scatter *scatter, const struct tile_view *tile);

// Any lane, at any cost: every group worked out, both images compared.
void section_put_slowly(const struct scatter *scatter, const struct tile_view *tile, uint64_t lane, solver_value value,
                        bool resolved, bool compare);

#endif
