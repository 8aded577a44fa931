// dobutsu_round.cl - one ply of dobutsu for each cell: new losses (odd) or new wins (even)
//
//     odd     lost  = open & ~lead(not_won)
//     even    won   = open & lead(lost in the round before)        not_won &= ~won
//
// A plane that is read at other cells is not written in the same ply. What a ply finds goes to `found` of its own
// parity, with a flag in `fresh` (cleared before), and is read in the next ply. `round`: x is the ply; y is 0 if only
// marked cells are looked at (their marks are removed); z is 1 if the cells before a changed one are marked for the
// next ply.
//
// Index space: one item = one live cell (dobutsu.h). Any work-group shape; no local memory. An item reads its 32 B of
// `open`, and if any is set, its moves, 20 on average (one 128-byte line for 32 items), and 32 B at each cell that one
// leads to, anywhere in a plane of 43 MB: in an even round only those that are fresh. If it finds something it writes
// 64 to 96 B of planes, a word of 32 B of values for each set bit of the ply, and a byte for each cell before it.
#include "dobutsu.h"

#ifndef COUNTERS
#define COUNTERS 1024 // words over which the items' counts are spread
#endif

kernel void dobutsu_round(global const struct dobutsu_tables *tables, global lanes_t *planes, global lanes_t *bits,
                          global uint *flags, global uint *lists, global uint *counters, uint4 round)
{
    const uint cell = (uint)get_global_id(0);
    const uint ply = round.x;
    const uint odd = ply & 1;
    if (cell >= D_CELLS)
        return;
    const struct dobutsu_planes all = dobutsu_planes_in(tables, planes, bits, flags, lists);
    if (round.y == 0) {
        global uchar *mark = &all.marks[odd * D_CELLS + cell];
        if (*mark == 0)
            return;
        *mark = 0;
    }
    if (!lanes_any(all.open[cell]))
        return;
    const global uint *list = odd && round.y != 0 ? 0 : dobutsu_list(&all, cell);
    const uint found =
        dobutsu_round_cell(&all, ply, round.z != 0, cell, list, all.counts[cell], all.fresh + (1 - odd) * D_FLAG_WORDS);
    if (found > 0)
        atomic_add(&counters[get_group_id(0) % COUNTERS], found);
}
