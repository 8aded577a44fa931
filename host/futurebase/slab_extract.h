// slab_extract.h - from the stored outcomes of a section to the bits of a slab
#ifndef CLTB_FUTUREBASE_SLAB_EXTRACT_H
#define CLTB_FUTUREBASE_SLAB_EXTRACT_H

#include "index/order_map.h"
#include "solve/slabs.h"

enum { EXTRACT_PLANES = 8 };

// How the men of a shape stand in a file. The pieces to place are all but blanks and, without pawns, the kings, whose
// squares come first because the symmetry depends on them.
struct slab_map {
    const struct slab_shape *shape;
    bool flip;                    // the file has the colours flipped
    int code_bit;                 // symbols are eight bits of the slabs' codes from this one on; -1: they are outcomes
    struct order_map file;        //
    int count;                    // pieces to place
    int piece[LAYOUT_PIECES_MAX]; // [count] their numbers in the shape
    bool aligned;                 // the last one to place has the slab's last digits
    bool tiled;                   // and the one before it those before
    int inner;                    // of the last two the place of the one that is alone in the file's last group, or -1
    uint64_t bit[LAYOUT_PIECES_MAX][SQUARES]; // parts of the bit's number: by piece and square code
};

// What one thread needs to extract.
struct slab_work {
    const struct slab_map *map;
    const uint8_t *symbols; // of the section or the slice
    // Won, lost, cursed_won, blessed_lost, of which the last two may be NULL; or bits of codes, some NULL.
    uint64_t *plane[EXTRACT_PLANES];
    struct order_parts image[2];
    int images;                          // in use at a time: of two the smaller entry is taken
    const struct order_parts *use[2];    //
    uint64_t allowed[LAYOUT_PIECES_MAX]; // the square codes that a piece to place may have
    uint64_t lanes_before[8];            // and for each u of the last two the lanes that this leaves in a word
    uint64_t lanes_last[8];              //
    uint8_t code[LAYOUT_PIECES_MAX];     // by piece: of those that are placed
};

// `flip`: the file has the colours flipped. For outcomes; set `code_bit` for others. The kings of a shape without pawns
// may be fixed.
void slab_map_init(struct slab_map *map, const struct slab_shape *shape, const struct entry_order *order, bool flip);

// Without pawns: the part of a slab that one section (square of the black king) determines. With map->aligned different
// sections may work on one slab at the same time.
void slab_extract_section(const struct slab_map *map, struct slab_work *work, const struct stored_slab *slab,
                          unsigned section, const uint8_t *symbols);

// With pawns: the first and the last entry of the slice that a slab can ask for.
struct slab_range {
    uint64_t first;
    uint64_t last;
};

struct slab_range slab_extract_range(const struct slab_map *map, const struct stored_slab *slab, bool mirror,
                                     bool both);

// With pawns: the whole slab from its slice; `mirror` and `both` as in pawns.h.
void slab_extract_slice(const struct slab_map *map, struct slab_work *work, const struct stored_slab *slab,
                        const uint8_t *symbols, bool mirror, bool both);

#endif
