// dobutsu_moves.cl - the moves of each cell of dobutsu, as lists; made once
//
// Index space: one item = one live cell (dobutsu.h). Any work-group shape; no local memory. Launched twice: without
// `lists` for their lengths, `counts` among the flags; then, when the host has placed the lists, for the lists: move i
// of cell c at
//
//     moves[starts[c / D_ACROSS] + i * D_ACROSS + c % D_ACROSS]
//
// so that neighbouring items write and read neighbouring numbers. Sorts as it writes: about 100 exchanges an item.
#include "dobutsu.h"

kernel void dobutsu_moves(global const struct dobutsu_tables *tables, global uint *flags, global uint *lists)
{
    const uint cell = (uint)get_global_id(0);
    if (cell >= D_CELLS)
        return;
    const struct dobutsu_planes all = dobutsu_planes_in(tables, 0, 0, flags, lists);
    if (all.moves == 0)
        all.counts[cell] = (uchar)dobutsu_cell_moves(tables, cell, 0);
    else
        dobutsu_cell_moves(tables, cell, dobutsu_list(&all, cell));
}
