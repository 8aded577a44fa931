// natural.h - the values of a solved endgame as bytes, in the order in which they are easy to make
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

#include "syzygy/write/natural_part.h"

enum {
    SYZYGY_CLASSES = 4, // of distances: win, loss, cursed win, blessed loss
    SYZYGY_LIST_MAX = 1024
};

// How distances are coded in one sub-table.
struct syzygy_map {
    bool plies[2]; // wins, losses: counted in plies, not in moves
    bool mapped;   // leaves are ranks in the lists, not the values themselves
    uint16_t count[SYZYGY_CLASSES];
    uint16_t list[SYZYGY_CLASSES][SYZYGY_LIST_MAX];
};

// Does steps 1 to 3 for one side to move, and gives the meaning of the leaves of distances. `exact`: always in plies.
// CLTB_E_USAGE if a distance needs more than a byte.
int natural_make(struct natural *natural, int side, bool exact, struct syzygy_map *map);

// The bytes that natural_make() takes for `entries` entries, besides the two arrays.
uint64_t natural_bytes(uint64_t entries, unsigned width);

#endif
