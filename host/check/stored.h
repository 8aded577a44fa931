// stored.h - where a table has the placements of some men: entry_index() for many placements of the same men
#ifndef CLTB_CHECK_STORED_H
#define CLTB_CHECK_STORED_H

#include "check/grid.h"
#include "index/square.h"
#include "table/table.h"

struct stored_group {
    int count;
    uint8_t man[MATERIAL_MEN_MAX]; // numbers of the men
    uint64_t stride;
};

struct stored {
    struct table *table;
    enum table_kind kind;
    int side;       // to move, in the table's colours
    int white_king; // numbers of men, in the table's colours
    int black_king;
    const struct entry_order *order;
    uint64_t first; // with pawns: the slice's first entry
    int turn;       // with pawns: the symmetry that takes them to the slice
    bool both;      // the slice is its own mirror image
    int groups;
    struct stored_group group[ENTRY_GROUPS_MAX];
    uint64_t add[SYMMETRIES][MATERIAL_MEN_MAX][SQUARES]; // of men that are a group by themselves
};

// What is the same for all squares of one man.
struct stored_row {
    int symmetry; // -1: two images, or it depends on the man
    uint64_t base;
    int group; // the man's
};

// The stream of this kind for the shape's men and side to move; `*there` is false if the table has none. Three men at
// least.
int stored_open(struct stored *stored, cltb_tables *tables, const struct grid_shape *shape, enum table_kind kind,
                bool *there);

// For placements that differ in the square of man `inner`: square[men], that of `inner` does not count yet.
void stored_row(const struct stored *stored, const uint8_t *square, int inner, struct stored_row *row);
int stored_symbol(const struct stored *stored, const struct stored_row *row, const uint8_t *square, unsigned *value);

#endif
