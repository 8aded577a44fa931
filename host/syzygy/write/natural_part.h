// natural_part.h - the part of an endgame in one sub-table of a file, and the natural order of its values
//
// A part of an endgame makes one sub-table of a file: without pawns it is the whole endgame, else the slices with the
// leading pawn on one file. Its values lie slice after slice in an order that a table file might have (index/entry.h),
// here called the natural one: the digits of the groups K Q R B N of Black and then of White, the last one lowest,
// because White's last piece is among the fastest men of most sub-tables. Without pawns the ten squares of the black
// king take the place of slices.
#ifndef CLTB_SYZYGY_WRITE_NATURAL_PART_H
#define CLTB_SYZYGY_WRITE_NATURAL_PART_H

#include "syzygy/shape.h"
#include "table/write/content.h"
#include "util/threads.h"

struct natural {
    const struct content *content;
    struct thread_pool *pool;
    struct entry_order order;
    uint64_t per_slice;
    uint32_t slices;  // in the part
    uint32_t *number; // [slices] their numbers in the endgame, in rising order
    int32_t *place;   // [slices of the endgame] the place of a slice in the part, or -1
    unsigned width;   // bytes of a distance in plies
    // Large arrays, used for all parts and sides in turn, because new memory is slow. natural_make() fills them:
    uint64_t most;      // entries of the largest part
    uint8_t *outcomes;  // [entries] leaves 0..4 and enum syzygy_free
    uint8_t *distances; // [width * entries] leaves and SYZYGY_ANY; in the end [entries]
    uint8_t *values;    // [entries] for values in the order of a sub-table, which has at most as many
};

// Symbols besides the distances, downwards from the largest of the width.
enum { ANY, QUIET_MATE, QUIET_CURSED, MARKS };

static inline unsigned natural_symbol(unsigned width, int mark)
{
    return (width == 1 ? 0xffU : 0xffffU) - (unsigned)mark;
}

// The side whose pawns lead: the one with fewer, White if both have as many.
int natural_leads(const struct material *material);

// A shape of the part of a material with the leading pawns on `file` (0 without pawns): pawns first, then single men.
// Each shape of a part has as many values. CLTB_E_USAGE if Syzygy files cannot have the material.
int natural_shape(struct syzygy_shape *shape, const struct material *material, int file);

// CLTB_E_MEMORY.
int natural_open(struct natural *natural, const struct content *content, struct thread_pool *pool);
void natural_close(struct natural *natural);

// Chooses the part with the leading pawns on `file` (0 without pawns).
void natural_choose(struct natural *natural, int file);

static inline uint64_t natural_entries(const struct natural *natural)
{
    return natural->slices * natural->per_slice;
}

#endif
