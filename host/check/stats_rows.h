// stats_rows.h - ranks and counts the rows of a part of a material (the method is at the head of stats_slabs.c)
//
// A row is all squares of the last free man: 64 entries, bit = square code. It is a man of side A, if one is free. For
// example, in KPvK, where the distances of White to move are stored, a part has the pawn on one square, the black king
// chooses the row, and the white king the bit in it.
//
// The number of a row has a digit of 64 for the square code of each other free man, the first one highest, so that
// consecutive rows lie close together in planes. Ranks are in this order, row by row.
#ifndef CLTB_CHECK_STATS_ROWS_H
#define CLTB_CHECK_STATS_ROWS_H

#include "check/tally.h"
#include "index/order_map.h"
#include "solve/futurebase.h"
#include "solve/slabs.h"

enum {
    STATS_FREE_MAX = 4, // free men: a part has 64^4 entries
    PROMOTIONS = 4
};

// Ranks are higher for better values of the side to move: the distance for losses, RANK_WIN less the distance for wins.
enum { RANK_DRAW = 2000, RANK_WIN = 4000, RANK_NONE = INT16_MAX };

// A pawn move of side B; also of A, if wins in 1 have no distance.
struct pawn_push {
    int pawn;
    int to;
    uint64_t path;                       // squares that must be empty
    bool probe;                          // the answer may be en passant
    int moves;                           // 1, or the number of promotions
    const struct slab *slab[PROMOTIONS]; // of the positions after it
};

struct stats_part {
    uint8_t fixed[FIXED_MAX];                    // squares of the fixed men
    bool both;                                   // the slice is its own mirror image
    uint64_t first;                              // entry of the stored distances
    const struct slab *slab[COLOURS];            // by side to move; only with pawns
    const uint64_t *plane[COLOURS][SLAB_PLANES]; // by side to move
    // By side to move, [rows][64]. Ranks, if distances are stored. For side B the least rank that a quiet move leads
    // to, which is undefined where men share a square.
    int16_t *rank[COLOURS];
    bool probes[COLOURS]; // a pawn move of this side must be probed
    int pushes;
    struct pawn_push push[2 * PAWNS_MAX];
};

// The tasks for rows, in this order. The first one is done only if wins in 1 have no distance.
enum stats_task {
    STATS_MATES,   // finds the mates in one of the ranked side
    STATS_RANKS,   // ranks it
    STATS_REPLIES, // finds the moves of one man of side B
    STATS_COUNT    // counts both sides
};

// The data of one thread: the parts of sums (order_map.h) for one part and side A, by symmetry.
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
    bool replies[COLOURS];      // which side is a side B that is counted
    struct order_map map[COLOURS];
    uint16_t *plies[COLOURS];      // the stored distances of some sections
    uint64_t plies_first[COLOURS]; // the first entry of these
    size_t plies_room[COLOURS];    // bytes
    // The men: first the free ones in the order of their digits, then the fixed ones.
    struct slab_shape shape; // pieces: the free men, perhaps after a blank if there are no pawns
    int blanks;
    int free;
    struct man man[MATERIAL_MEN_MAX];
    int like[MATERIAL_MEN_MAX];            // the identical free man before this one, or -1
    int king[COLOURS];                     // numbers of men
    uint8_t from[MATERIAL_MEN_MAX];        // the number here of each of the tally's men
    uint64_t add[STATS_FREE_MAX][SQUARES]; // the amount that a free man's square code adds to an entry
    uint64_t step[STATS_FREE_MAX];         // ranks from one square code of a free man to the next
    uint64_t entries;                      // of a part
    uint64_t items;                        // in a part: 64 rows each
    uint64_t above[SQUARES];               // codes of squares above this square
    uint64_t diagonal;                     // codes of squares on a1-h8
    // The source of outcomes:
    struct slabs *slabs;
    struct futurebase base;
    int flip; // of the base's colours
    // The parts of the current batch:
    enum stats_task task;
    int ranked; // the side being ranked, or side B
    int mover;  // the man whose moves are replies
    struct stats_part *part;
    size_t parts;
};

// Does the task, unless it is STATS_REPLIES, for rows first..first+count-1 of a part. `worker` is a thread's number.
int stats_rows(const struct stats_parts *parts, size_t part, uint64_t first, uint64_t count, int worker);

// Clears the replies of side B in a part.
void stats_replies_clear(const struct stats_parts *parts, size_t part);

// Takes the moves of parts->mover into account in 64 rows: those that differ only in its square, or for the last free
// man, consecutive ones.
void stats_replies(const struct stats_parts *parts, size_t part, uint64_t item);

#endif
