// dobutsu_round.cl - one ply of dobutsu for each cell: new losses (odd) or new wins (even)
//
//     odd     lost    |= open & ~any_move(not_won)
//     even    not_won &= ~(open & any_move(lost in cells that are fresh))
//
// The planes that are read at other cells are not written in that ply. `visit`: flags of the cells to look at (taken off), or all of
// them where `all` is not 0; `marks`: flags of the cells before a changed one, for the next ply, set where `mark` is not 0.
//
// Index space: one item = one live cell (dobutsu.h). Any work-group shape; no local memory. An item reads its 32 B of `open`, and if any
// is set, 32 B at each cell that a move leads to, some 25 of them anywhere in the plane of 43 MB; writes 64 B, a byte for each new
// value, and a byte for each cell before it.
#include "dobutsu.h"

#ifndef COUNTERS
#define COUNTERS 1024 // words that the items' counts are spread over
#endif

kernel void dobutsu_round(global lanes_t *open, global lanes_t *not_won, global lanes_t *lost, global u8_t *fresh,
                          global u8_t *values, global const struct dobutsu_tables *tables, global u8_t *visit,
                          global u8_t *marks, global uint *counters, uint ply, uint all, uint mark, uint cells)
{
    const uint cell = (uint)get_global_id(0);
    if (cell >= cells)
        return;
    if (all == 0) {
        if (visit[cell] == 0)
            return;
        visit[cell] = 0;
    }
    const struct dobutsu_planes planes = {open, not_won, lost, fresh, values};
    const uint found = dobutsu_round_cell(&planes, tables, mark != 0 ? marks : 0, ply, cell);
    if (found > 0)
        atomic_add(&counters[get_group_id(0) % COUNTERS], found);
}
