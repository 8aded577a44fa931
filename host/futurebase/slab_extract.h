// slab_extract.h - from the stored outcomes of a section to the bits of a slab
#ifndef CLTB_FUTUREBASE_SLAB_EXTRACT_H
#define CLTB_FUTUREBASE_SLAB_EXTRACT_H

#include "index/order_map.h"
#include "solve/slabs.h"

enum { EXTRACT_PLANES = 8 };

// How the men of a shape stand in a file. The pieces to place are all but blanks and, without pawns, the kings: these
// are placed first because the symmetry depends on them.
struct slab_map {
    const struct slab_shape *shape;
    bool flip;             // the file has the colours flipped
    int code_bit;          // symbols are the eight bits of the slabs' codes from this one on; -1: symbols are outcomes
    struct order_map file; //
    int count;             // pieces to place
    int piece[LAYOUT_PIECES_MAX];             // [count] their numbers in the shape
    bool aligned;                             // the last one to place has the slab's last digits
    bool tiled;                               // and the last but one has the digits before
    int inner;                                // which of the last two is alone in the file's last group, or -1
    int third;                                // another piece that is, or -1:
    int third_place;                          // just before the last two, or -1: it is a king, which comes first
    uint64_t bit[LAYOUT_PIECES_MAX][SQUARES]; // by piece and square code: its part of the bit's number
};

// What one thread needs for extracting.
struct slab_work {
    const struct slab_map *map;
    const uint8_t *symbols; // of the section or the slice
    // Planes: won, lost, cursed_won, blessed_lost (the last two may be NULL), or bits of codes (any may be NULL).
    uint64_t *plane[EXTRACT_PLANES];
    struct order_parts image[2];
    int images;                          // 1, or 2 images, of which the smaller entry counts
    const struct order_parts *use[2];    //
    uint64_t allowed[LAYOUT_PIECES_MAX]; // the square codes allowed to a piece to place
    uint64_t lanes_before[8]; // for each u of the last piece but one, the lanes that its allowed codes leave in a word
    uint64_t lanes_last[8];   // the same for the last piece
    uint64_t kings;           // the codes on which the white king is placed last, or 0
    uint8_t code[LAYOUT_PIECES_MAX]; // by piece, if it is placed
};

// `flip`: the file has the colours flipped. Symbols are taken as outcomes; for codes, set `code_bit` afterwards. In a
// shape without pawns the kings may be fixed.
void slab_map_init(struct slab_map *map, const struct slab_shape *shape, const struct entry_order *order, bool flip);

// Without pawns: extracts the part of a slab with the black king on one square, from its section. With map->aligned,
// different threads may extract parts of one slab.
void slab_extract_king(const struct slab_map *map, struct slab_work *work, const struct stored_slab *slab,
                       int black_king, const uint8_t *symbols);

unsigned slab_king_section(int black_king);

// The same with the white king on some squares only.
void slab_extract_kings(const struct slab_map *map, struct slab_work *work, const struct stored_slab *slab,
                        int black_king, uint64_t white_kings, const uint8_t *symbols);

// Without pawns: sets wanted[entry / each] for all entries of a section that a slab can ask for, and perhaps more.
void slab_extract_section_wants(const struct slab_map *map, const struct stored_slab *slab, unsigned section,
                                uint32_t each, bool *wanted);

// With pawns: the same for a slice.
void slab_extract_wants(const struct slab_map *map, const struct stored_slab *slab, bool mirror, bool both,
                        uint32_t each, bool *wanted);

// With pawns: extracts the whole slab from its slice; `mirror` and `both` as in pawns.h.
void slab_extract_slice(const struct slab_map *map, struct slab_work *work, const struct stored_slab *slab,
                        const uint8_t *symbols, bool mirror, bool both);

#endif
