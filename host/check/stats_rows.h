// stats_rows.h - ranks and counts the rows of a part of a material (the method is at the head of stats_slabs.c)
//
// A row is all squares of the last free man: 64 entries, bit = square code. For example, in KPvK, a part has the pawn
// on one square, the white king chooses the row, and the black king the bit in it.
#ifndef CLTB_CHECK_STATS_ROWS_H
#define CLTB_CHECK_STATS_ROWS_H

#include "check/tally.h"
#include "index/order_map.h"
#include "solve/futurebase.h"
#include "solve/slabs.h"

enum {
    STATS_FREE_MAX = 4, // free men: 64^4 entries of a part
    PROMOTIONS = 4
};

// A pawn move of B; of A, too, where wins in 1 have no distance.
struct pawn_push {
    int pawn;
    int to;
    uint64_t path;                       // squares that must be empty
    bool probe;                          // the answer may be en passant
    int moves;                           // 1, or the promotions
    const struct slab *slab[PROMOTIONS]; // after it
};

struct stats_part {
    uint8_t fixed[FIXED_MAX];                    // squares of the fixed men
    bool both;                                   // the slice is its own mirror image
    uint64_t first;                              // entry of the stored distances
    const struct slab *slab[COLOURS];            // by side to move, with pawns
    const uint64_t *plane[COLOURS][SLAB_PLANES]; // by side to move
    uint16_t *rank[COLOURS];                     // by side to move, where stored
    int pushes;
    struct pawn_push push[2 * PAWNS_MAX];
};

// What is done with rows. In this order, the first one only where wins in 1 have no distance.
enum stats_task {
    STATS_MATES, // finds the mates in one of the ranked side
    STATS_RANKS, // ranks it
    STATS_COUNT  // counts both sides
};

// What one thread keeps: the sums' parts (order_map.h) for one part and side A, by symmetry.
struct stats_seat {
    struct order_parts *parts[SYMMETRIES];
    bool made[SYMMETRIES];
    const struct stats_part *part;
    int side;
};

struct stats_parts {
    cltb_tables *tables;
    struct table *table;
    const struct tally_men *men;
    struct tally *tally;     // [threads]
    struct stats_seat *seat; // [threads]
    struct thread_pool *pool;
    struct pawn_slices *slices; // NULL: no pawns
    bool stored[COLOURS];       // distances, by side to move
    struct order_map map[COLOURS];
    // The men: those that are free, in the order of their digits, then those that are fixed.
    struct slab_shape shape; // pieces: the free men, and without pawns perhaps a blank before them
    int blanks;
    int free;
    struct man man[MATERIAL_MEN_MAX];
    int like[MATERIAL_MEN_MAX];            // the identical free man before this one, or -1
    int king[COLOURS];                     // numbers of men
    uint8_t from[MATERIAL_MEN_MAX];        // tally's man number i is ours number from[i]
    uint64_t add[STATS_FREE_MAX][SQUARES]; // what a square code of a free man adds to an entry
    uint64_t entries;                      // of a part
    uint64_t items;                        // of a part: ROWS_PER_ITEM rows each
    uint64_t above[SQUARES];               // codes of squares above this square
    uint64_t diagonal;                     // codes of squares on a1-h8
    // Where outcomes come from.
    struct slabs *slabs;
    struct futurebase base;
    int flip; // of the base's colours
    // The parts of a batch.
    enum stats_task task;
    int ranked; // the side that is being ranked
    struct stats_part *part;
    size_t parts;
};

// Does the task for rows first..first+count-1 of a part. `worker` is a thread's number.
int stats_rows(const struct stats_parts *parts, size_t part, uint64_t first, uint64_t count, int worker);

#endif
