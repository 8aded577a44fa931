// slab_place.h - from symbols in a file's order to the bits of a slab
#ifndef CLTB_FUTUREBASE_SLAB_PLACE_H
#define CLTB_FUTUREBASE_SLAB_PLACE_H

#include "index/order_map.h"
#include "solve/cpu/symbol_kernels.h"
#include "solve/slabs.h"
#include "table/table.h"

enum { EXTRACT_PLANES = 9 };

// How the men of a shape stand in a file. The pieces to place are all but blanks and, without pawns, the kings: these
// are placed first because the symmetry depends on them.
struct slab_map {
    const struct slab_shape *shape;
    bool flip;                  // the file has the colours flipped
    enum table_reading reading; // of the symbols
    const struct symbol_kernels *kernels;
    struct order_map file;
    int count;                                // pieces to place
    int piece[LAYOUT_PIECES_MAX];             // [count] their numbers in the shape
    bool aligned;                             // the last one to place has the slab's last digits
    bool tiled;                               // and the last but one has the digits before
    int inner;                                // which of the last two is alone in the file's last group, or -1
    int third;                                // another piece that is, or -1:
    int third_place;                          // just before the last two, or -1: it is a king, which comes first
    uint64_t bit[LAYOUT_PIECES_MAX][SQUARES]; // by piece and square code: its part of the bit's number
    bool after[LAYOUT_PIECES_MAX];            // by piece: its u digit is not below that of the piece before
};

// What one thread needs for extracting.
struct slab_work {
    const struct slab_map *map;
    const uint8_t *symbols; // of the section or the slice
    // Planes, some of which may be NULL. Outcomes: won, lost, cursed_won, blessed_lost. Codes: eight bits. Values:
    // seven bits of codes, won, lost.
    uint64_t *plane[EXTRACT_PLANES];
    struct order_parts image[2];
    int images;                          // 1, or 2 images, of which the smaller entry counts
    const struct order_parts *use[2];    //
    uint64_t allowed[LAYOUT_PIECES_MAX]; // the square codes allowed to a piece to place
    uint64_t lanes_before[8]; // for each u of the last piece but one, the lanes that its allowed codes leave in a word
    uint64_t lanes_last[8];   // the same for the last piece
    uint64_t kings;           // the codes on which the white king is placed last, or 0
    uint8_t code[LAYOUT_PIECES_MAX]; // by piece, if it is placed
    uint8_t *packed;                 // entries of up to EXTRACT_TOGETHER slabs, or NULL
};

// `reading`: of the symbols. In a shape without pawns the kings may be fixed.
void slab_map_init(struct slab_map *map, const struct slab_shape *shape, const struct entry_order *order, bool flip,
                   enum table_reading reading);

// Bits are numbered as in a layout of the same pieces with groups: of each tile with identical men the one with sorted
// digits is filled.
void slab_map_group(struct slab_map *map, const struct layout *layout);

// Begins with a slab. `place`: the piece for which only `codes` are allowed, or -1.
void slab_place_begin(struct slab_work *work, const struct slab_map *map, const struct stored_slab *slab,
                      const uint8_t *symbols, int place, uint64_t codes);

// Puts map->piece[] on all their squares. The sums of the other men's parts: entry[], by image, and bit.
void slab_place(struct slab_work *work, const uint64_t entry[2], uint64_t bit);

#endif
