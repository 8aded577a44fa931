// slab_extract.h - from the stored outcomes of a section to the bits of a slab
//
// A section of a file is one square of the black king (without pawns) or holds a slice (index/entry.h). For given
// symmetry every piece adds its own part to the entry, and to the slab's bit. Without pawns the symmetry depends on the
// squares of both kings; with pawns all entries of a slab have the same one, or, if the pawns are their own mirror
// image, one of two by the file of the white king.
#ifndef CLTB_FUTUREBASE_SLAB_EXTRACT_H
#define CLTB_FUTUREBASE_SLAB_EXTRACT_H

#include "index/entry.h"
#include "solve/slab.h"

// How the men of a shape stand in a file.
struct slab_map {
    const struct slab_shape *shape;
    const struct entry_order *order; // the file's
    bool flip;                       // the file has the colours exchanged
    int king[COLOURS];               // the pieces that are the file's kings
    bool apart;                      // the kings' squares are chosen before the others' (no pawns)
    bool aligned;                    // the last piece is placed last: eight lanes of a word at once
    bool tiled;                      // so is the last but one: whole words of 64 lanes at once
    int count;                       // pieces to place
    int piece[LAYOUT_PIECES_MAX];    // [count] numbers in the shape
    int group[LAYOUT_PIECES_MAX];    // [count] of the file
    int like[LAYOUT_PIECES_MAX];     // [count] place of the one before it in the same group, or -1
    int pair[LAYOUT_PIECES_MAX];     // [count] second one of two identical pieces: number of its table, else -1
    bool early[LAYOUT_PIECES_MAX];   // [count] another one of its group comes behind it
    uint64_t bit[LAYOUT_PIECES_MAX][SQUARES]; // of the slab by square code, [pieces of the shape]
};

enum { SLAB_PAIRS_MAX = LAYOUT_PIECES_MAX / 2 };

// Parts of the entry under one symmetry.
struct slab_image {
    int symmetry;
    uint32_t fixed;                                  // of the groups that only have fixed men
    uint32_t part[LAYOUT_PIECES_MAX][SQUARES];       // by place and square code; 0 for all but the last of a group
    uint32_t pair[SLAB_PAIRS_MAX][SQUARES][SQUARES]; // by code of the first, code of the second
};

// What one thread needs to extract.
struct slab_work {
    const struct slab_map *map;
    const uint8_t *square;  // of the fixed men, 0..63
    const uint8_t *symbols; // of the section or the slice
    uint64_t *plane[4];     // won, lost, cursed_won, blessed_lost; the last two may be NULL
    struct slab_image image[2];
    int images;                      // in use at a time: with 2 the smaller entry is taken
    struct slab_image *use[2];       //
    int half;                        // place of the king that is kept to `allowed`, or -1
    uint64_t allowed;                // bit = square code
    uint8_t code[LAYOUT_PIECES_MAX]; // of the pieces placed
};

// `flip`: the file has the colours exchanged.
void slab_map_init(struct slab_map *map, const struct slab_shape *shape, const struct entry_order *order, bool flip);

// Without pawns: the part of a slab that one section (square of the black king) decides. With map->aligned different
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
