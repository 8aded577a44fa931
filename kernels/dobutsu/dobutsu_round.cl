// dobutsu_round.cl - one ply of dobutsu for each cell: new losses (odd) or new wins (even)
//
//     odd     lost  = open & ~lead(not_won)
//     even    won   = open & lead(lost in the round before)        not_won &= ~won
//
// The planes that are read at other cells are not written in that ply: what it finds goes to `now`, with a bit in `fresh_now` (cleared
// before), and is `last` in the next one. `visit`: flags of the cells to look at (taken off), or all of them where `all` is not 0;
// `marks`: flags of the cells before a changed one, for the next ply, set where `mark` is not 0.
//
// Index space: one item = one live cell (dobutsu.h). Any work-group shape; no local memory. An item reads its 32 B of `open`, and if
// any is set, its moves, 20 on average (one 128-byte line for 32 items), and 32 B at each cell that one leads to, anywhere in a plane
// of 43 MB: in an even round only those with a bit in `fresh_last`. If it finds something it writes 64 to 96 B of planes, a word of 32
// B of values for each set bit of `ply`, and a byte for each cell before it.
#include "dobutsu.h"

#ifndef COUNTERS
#define COUNTERS 1024 // words that the items' counts are spread over
#endif

kernel void dobutsu_round(global lanes_t *open, global lanes_t *not_won, global lanes_t *last, global lanes_t *now,
                          global uint *fresh_last, global uint *fresh_now, global lanes_t *bits, global uchar *counts,
                          global uint *starts, global uint *moves, global const struct dobutsu_tables *tables,
                          global uchar *visit, global uchar *marks, global uint *counters, uint ply, uint all,
                          uint mark, uint cells)
{
    const uint cell = (uint)get_global_id(0);
    const uint odd = ply & 1;
    if (cell >= cells)
        return;
    if (all == 0) {
        if (visit[cell] == 0)
            return;
        visit[cell] = 0;
    }
    if (!lanes_any(open[cell]))
        return;
    const struct dobutsu_planes planes = {open,
                                          not_won,
                                          {odd ? last : now, odd ? now : last},
                                          {odd ? fresh_last : fresh_now, odd ? fresh_now : fresh_last},
                                          bits,
                                          counts,
                                          starts,
                                          moves};
    const uint found = dobutsu_round_cell(&planes, tables, mark != 0 ? marks : 0, ply, all != 0, cell,
                                          dobutsu_list(&planes, cell), counts[cell], fresh_last);
    if (found > 0)
        atomic_add(&counters[get_group_id(0) % COUNTERS], found);
}
