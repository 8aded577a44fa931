// natural.h - the values of a solved endgame as bytes, in the order in which they are easy to have
//
// A part of an endgame is what one sub-table of a file is made of: all of it without pawns, else the slices with the
// leading pawn on one file. Its values lie slice after slice in an order that a table file might have (index/entry.h),
// here called the natural one: the digits of the groups K Q R B N of Black and then of White, the last one lowest,
// because White's last piece is among the fastest men of most sub-tables. Without pawns the ten squares of the black
// king take the place of slices.
//
// From the planes to leaves:
//
//     1. Outcomes and distances are filled in as for a .cltb file, don't-cares included (table/write/sections.h).
//     2. A win in 1 that no capture brings, and a cursed win in 101, may be stored as anything if a pawn move brings
//        it, since readers look at zeroing moves; but not if a quiet move does. The quiet moves are found backwards,
//        from the mates and from the losses in 100 of the other side.
//     3. Distances become leaves: the unit is a ply or a move, for each class of outcome by itself, and a leaf is the
//        rank of the value in the class's list, which is sorted by falling frequency.
//
// For example, a win in 55 plies is 27 in moves. If 11 values are more frequent among the wins, its leaf is 11.
#ifndef CLTB_SYZYGY_WRITE_NATURAL_H
#define CLTB_SYZYGY_WRITE_NATURAL_H

#include "syzygy/shape.h"
#include "table/write/content.h"
#include "util/threads.h"

enum {
    SYZYGY_CLASSES = 4, // of distances: win, loss, cursed win, blessed loss
    SYZYGY_LIST_MAX = 1024
};

struct natural {
    const struct content *content;
    struct thread_pool *pool;
    struct entry_order order;
    uint64_t per_slice;
    uint32_t slices;  // of the part
    uint32_t *number; // [slices] in the endgame, rising
    int32_t *place;   // [slices of the endgame] the place of a slice in the part, or -1
    unsigned width;   // bytes of a distance in plies
    // What natural_make() makes, in large arrays for one side after the other:
    uint8_t *outcomes;  // [entries] leaves 0..4 and enum syzygy_free
    uint8_t *distances; // [width * entries] leaves and SYZYGY_ANY, in the end [entries]
};

// How distances are coded in one sub-table.
struct syzygy_map {
    bool plies[2]; // wins, losses: in plies, else in moves
    bool mapped;   // leaves are ranks in the lists; else the values themselves
    uint16_t count[SYZYGY_CLASSES];
    uint16_t list[SYZYGY_CLASSES][SYZYGY_LIST_MAX];
};

// The part of leading pawns on `file` (0 without pawns).
int natural_open(struct natural *natural, const struct content *content, int file, struct thread_pool *pool);
void natural_close(struct natural *natural);

static inline uint64_t natural_entries(const struct natural *natural)
{
    return natural->slices * natural->per_slice;
}

// Steps 1 to 3 for one side to move, and what the leaves of distances mean. `exact`: in plies always.
// CLTB_E_USAGE if a distance needs more than a byte.
int natural_make(struct natural *natural, int side, bool exact, struct syzygy_map *map);

#endif
