// natural.h - the part of an endgame in one sub-table of a file, and its values as bytes in the natural order
//
// A part of an endgame makes one sub-table of a file: without pawns it is the whole endgame, else the slices with the
// leading pawn on one file. Its values lie slice after slice in an order that a table file might have (index/entry.h),
// here called the natural one: the digits of the groups K Q R B N of Black and then of White, the last one lowest,
// because White's last piece is among the fastest men of most sub-tables. Without pawns the ten squares of the black
// king take the place of slices. If White's last piece is a single one, the white king's digit then comes first, and
// there are only blocks for the 462 pairs of kings that may stand so, and one more for all others, whose values are
// free.
//
// From the planes to leaves:
//
//     1. A win in 1 that no capture brings, and a cursed win in 101, may be stored as anything if a pawn move brings
//        it, since readers look at zeroing moves; but not if a quiet move does. The quiet moves are found backwards,
//        from the mates and from the losses in 100 of the other side.
//     2. Outcomes and distances are filled in as for a .cltb file, don't-cares included (table/write/sections.h), some
//        sections at a time. Outcomes are kept, distances are counted. Cursed wins by a capture may be stored as any
//        outcome up to that; without pawns they are those in 101 that no quiet move brings.
//     3. Distances become leaves: the unit is a ply or a move, for each class of outcome by itself, and a leaf is the
//        rank of the value in the class's list, which is sorted by falling frequency. The sections are filled in again.
//
// With little memory, outcomes and distances take turns in one array.
//
// For example, a win in 55 plies is 27 in moves. If 11 values are more frequent among the wins, its leaf is 11.
#ifndef CLTB_SYZYGY_WRITE_NATURAL_H
#define CLTB_SYZYGY_WRITE_NATURAL_H

#include "syzygy/shape.h"
#include "table/write/content.h"
#include "util/threads.h"

struct conversion; // from values to leaves

struct natural {
    const struct content *content;
    struct thread_pool *pool;
    struct entry_order order;                  // of the sections
    uint64_t per_slice;                        //
    bool pairs;                                // of kings have blocks
    uint64_t block;                            // entries of a block, or of a slice
    uint32_t slices;                           // in the part
    uint32_t *number;                          // [slices] their numbers in the endgame, in rising order
    int32_t *place;                            // [slices of the endgame] the place of a slice in the part, or -1
    uint64_t entries;                          // of the part
    uint64_t start[TRIANGLE_SQUARES][SQUARES]; // [black king][white king] of a block, if pairs have them
    unsigned width;                            // bytes of a distance in plies
    struct conversion *conversion[COLOURS];
    int held; // the side whose distances are there, or -1
    bool lean;
    // Large arrays, used for all parts and sides in turn, because new memory is slow. The first two are the same one if
    // memory is short, and the third is missing:
    uint64_t most;      // entries of the largest part
    uint8_t *outcomes;  // [entries] leaves 0..4 and enum syzygy_free
    uint8_t *distances; // [entries] leaves and SYZYGY_ANY
    uint8_t *values;    // [entries] for values in the order of a sub-table, which has at most as many
};

// The side whose pawns lead: the one with fewer, White if both have as many.
int natural_leads(const struct material *material);

// A shape of the part of a material with the leading pawns on `file` (0 without pawns): pawns first, then single men.
// Each shape of a part has as many values. CLTB_E_USAGE if Syzygy files cannot have the material.
int natural_shape(struct syzygy_shape *shape, const struct material *material, int file);

// `lean`: memory is short. CLTB_E_MEMORY.
int natural_open(struct natural *natural, const struct content *content, bool lean, struct thread_pool *pool);
void natural_close(struct natural *natural);

// Chooses the part with the leading pawns on `file` (0 without pawns).
void natural_choose(struct natural *natural, int file);

// ---- where a placement's entry lies, as a sum of parts ----
//
// Under a symmetry that carries the placement to the image that is kept, each group of identical pieces adds its digit
// times its stride. Without pawns the black king is one more group, but both kings' parts are 0, and the pair has one.
// Pawns are not a group: the caller adds the slice's part.
//
// A group is known by the combination of its squares before the symmetry: for squares s1 < s2 < ... the sum of C(s_i,
// i), as in entry_digit().

enum { ADDRESS_GROUPS_MAX = ENTRY_GROUPS_MAX + 1 };

struct address {
    bool pawns;
    int groups;
    uint8_t type[ADDRESS_GROUPS_MAX];
    uint8_t colour[ADDRESS_GROUPS_MAX];
    uint8_t count[ADDRESS_GROUPS_MAX];
    uint64_t *part[SYMMETRIES][ADDRESS_GROUPS_MAX]; // [combination]; with pawns only symmetries 0 and 1
    uint64_t *space;                                // memory of all parts
    // Without pawns: the symmetries that lead to the image that is kept; if there are two, the smaller entry counts.
    struct {
        uint8_t count;
        uint8_t symmetry[2];
    } turn[SQUARES][SQUARES];        // [black king][white king]
    uint64_t pair[SQUARES][SQUARES]; // the same; with pawns 0
};

int address_open(struct address *address, const struct natural *natural);
void address_close(struct address *address);

int address_group(const struct address *address, int colour, int type);

// The sum of all groups' parts under a symmetry, and `more`, that of the pair or of the slice.
static inline uint64_t address_sum(const struct address *address, int symmetry, const uint32_t *combination,
                                   uint64_t more)
{
    uint64_t sum = more;
    for (int g = 0; g < address->groups; g++)
        sum += address->part[symmetry][g][combination[g]];
    return sum;
}

// ---- values ----

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

// Does steps 1 and 2 for one side to move, and gives the meaning of the leaves of distances; unless memory is short,
// step 3 as well. `exact`: always in plies. CLTB_E_USAGE if a distance needs more than a byte.
int natural_make(struct natural *natural, int side, bool exact, struct syzygy_map *map);

// Does step 3 for one side to move, unless its distances are there.
int natural_distances(struct natural *natural, int side);

// An upper bound of the entries of a part with so many slices and of the values of its sub-table, and the bytes that
// making them takes besides the arrays.
uint64_t natural_most(const struct material *material, uint64_t slices);
uint64_t natural_bytes(const struct material *material, uint64_t slices, unsigned width);

// quiet.c: wins that a quiet move of a piece brings at once.
enum { QUIET_MATE = 1, QUIET_CURSED = 2 };

// Sets bits of marks[entries] with `winner` to move: QUIET_MATE if a quiet move mates, QUIET_CURSED if one leads to a
// loss in 100. `*loss_100`, `*win_100`: does the other side have losses in 100, or wins in 100 that no capture brings?
int quiet_mark(const struct natural *natural, uint8_t *marks, int winner, bool *loss_100, bool *win_100);

#endif
