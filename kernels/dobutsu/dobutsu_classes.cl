// dobutsu_classes.cl - what the codes of dobutsu say by themselves: invalid, won at once, open
//
//     open = ~(invalid | won)        not_won = ~won        of mirror images only one cell is open
//
// Index space: one item = one live cell of 256 codes (dobutsu.h). Any work-group shape; no local memory. Writes 64 B of
// planes an item; reads tables of 0.9 MB, which stay in the caches.
#include "dobutsu.h"

#ifndef COUNTERS
#define COUNTERS 1024 // words over which the items' counts are spread
#endif

kernel void dobutsu_classes(global const struct dobutsu_tables *tables, global lanes_t *planes, global uint *counters)
{
    const uint cell = (uint)get_global_id(0);
    if (cell >= D_CELLS)
        return;
    const struct dobutsu_planes all = dobutsu_planes_in(tables, planes, 0, 0, 0);
    const uint won = dobutsu_class_cell(&all, cell);
    if (won > 0)
        atomic_add(&counters[get_group_id(0) % COUNTERS], won);
}
