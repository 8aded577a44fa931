// disk_order.h - the order of tables of which not all files fit on the disk together
#ifndef CLTB_MAKE_DISK_ORDER_H
#define CLTB_MAKE_DISK_ORDER_H

#include "make/plan_table.h"
#include "util/units.h"

// What must stand while a table is made: its futurebases, and what these are completed with when they are read. Tables
// are named by their first place in the plan.
struct disk_reads {
    size_t *place; // [plan->count] the first place of the same table
    size_t *from;  // [plan->count + 1] the list of the table with first place i is read[from[i] .. from[i + 1])
    size_t *read;
    size_t room; // of `read`
};

int disk_reads_open(struct disk_reads *reads, const struct plan *plan);
void disk_reads_close(struct disk_reads *reads);

// Puts the tables of a plan into an order that keeps files below `limit`; what is made again has another place in it.
// If that cannot be, plan->disk_least is the limit that can. Sets the other disk_... fields, too.
int disk_order(struct plan *plan, uint64_t limit);

// A size as an option takes it, "38.2G", rounded up.
struct unit_text disk_size(uint64_t *bytes);

#endif
