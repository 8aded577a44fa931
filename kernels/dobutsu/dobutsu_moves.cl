// dobutsu_moves.cl - the moves of each cell of dobutsu, as lists; made once
//
// Index space: one item = one live cell (dobutsu.h). Any work-group shape; no local memory. Launched twice: without `moves` for the
// lengths of the lists, [cells] of `counts`; then, when the host has placed them, for the lists: move i of cell c at
//
//     starts[c / D_ACROSS] + i * D_ACROSS + c % D_ACROSS
//
// so that neighbouring items write and read neighbouring numbers. Sorts as it writes: about 100 exchanges an item.
#include "dobutsu.h"

kernel void dobutsu_moves(global uchar *counts, global uint *starts, global uint *moves,
                          global const struct dobutsu_tables *tables, uint cells)
{
    const uint cell = (uint)get_global_id(0);
    if (cell >= cells)
        return;
    if (moves == 0)
        counts[cell] = (uchar)dobutsu_cell_moves(tables, cell, 0);
    else
        dobutsu_cell_moves(tables, cell, moves + starts[cell / D_ACROSS] + cell % D_ACROSS);
}
