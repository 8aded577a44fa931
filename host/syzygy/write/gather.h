// gather.h - values from the natural order into that of a sub-table
//
// A row of a sub-table is the values with one placement of all men except those of the fastest group. That group is
// listed before all slower ones, so the squares of their men depend on where its men stand: a digit counts the squares
// that are left. For each row:
//
//     1. The digits of the row's number give the squares of the groups that are listed before the fastest one, and the
//        squares that are left for it.
//     2. Its men, except the one on the lowest square, are placed, in rising order of their digits, and the groups
//        listed after it by their digits, with the lowest man on the first square.
//     3. The lowest man walks over the free squares. Whenever a man of a later group stands on the next one, the two
//        change places: that man's number among the squares left now belongs to the square that becomes free.
//     4. Under the symmetry that carries the placement to the natural order's image, the men's parts add up to an
//        address (natural.h), where the value is. If two images may be kept, the one with the smaller address counts.
//     5. A few walks later, when it has come from memory, the value is copied.
//
// A whole sub-table is made by walks of another group if that is not in group 0: the one whose entries are neighbours
// in the natural order. A walk then reads one or two lines of the cache and uses all of them, and the walks of a work
// item write neighbours in turn.
//
// If group 0 has three men and is the fastest, the third one walks in the same way, for each placement of the other
// two; with both of these on the diagonal, the wanted values are picked out. If two kings or pawns are the fastest, the
// fastest of the other groups walks, over a block of rows, for each of their digits; values of a part of a block are
// looked up one by one.
//
// The cost is some 200 operations a row, and a load, an addition and a load for each value; some 200 operations for a
// value that is looked up by itself.
//
// For example, take a board of 5 squares 0..4, with group 0 on square 2, then A and B, A the fastest: 4 values a row.
// B's digit 1 means the second square that A leaves free. In that row A walks over 0, 1, 3, 4. With A on 0, B is on 3;
// A on 1: the same; A steps to 3, where B is: B goes to 1; A on 4: the same.
#ifndef CLTB_SYZYGY_WRITE_GATHER_H
#define CLTB_SYZYGY_WRITE_GATHER_H

#include "syzygy/write/natural.h"

struct gather_tables; // data shared by all orders of one part

// `natural` must outlive the tables. CLTB_E_MEMORY.
int gather_open(struct gather_tables **tables, const struct natural *natural);
void gather_close(struct gather_tables *tables);

// Gathers values first..first+count-1 of a sub-table. Both numbers are multiples of gather_unit(): 1 if group 0 has
// three men and is the fastest, or rows are very long; otherwise a row. `from`: in the natural order. Thread-safe.
void gather_values(const struct gather_tables *tables, const struct syzygy_shape *shape, const uint8_t *from,
                   uint64_t first, uint64_t count, uint8_t *to);
uint64_t gather_unit(const struct syzygy_shape *shape);

// The number of values in a block. Whole blocks are gathered faster.
uint64_t gather_block_values(const struct syzygy_shape *shape);

// Gathers many values, in an order in which adjacent values are read together: all, or a window of them, which begins
// at a multiple of gather_window() and has as many, or those that are left.
int gather_all(const struct gather_tables *tables, const struct syzygy_shape *shape, const uint8_t *from,
               uint64_t first, uint64_t count, uint8_t *to, struct thread_pool *pool);

// At most `most` values, unless the fastest group takes more.
uint64_t gather_window(const struct gather_tables *tables, const struct syzygy_shape *shape, uint64_t most);

#endif
