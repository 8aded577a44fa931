// restricted_round.cl - one round of a slice of a restricted endgame for one side to move
//
// The kernel looks at an open entry if it is marked, or if its external code has ply step.ply and step.wake is not 0.
// The entry takes its code if this ply decides it, and marks the entries before it (restricted.h). Its own mark is
// removed. The other side's values do not change meanwhile.
//
// Index space: one item = one entry. Any work-group shape; no local memory. An item reads its mark of 1 B (and its
// external code of 2 B where wake is not 0). One that looks at its entry reads 2 B at each entry that a quiet move
// leads to, anywhere in the values of the other side; if the entry changes it writes 2 B, and a byte for each entry
// before it. The tables of 6 KB stay in the caches.
#include "restricted.h"

#ifndef COUNTERS
#define COUNTERS 1024 // words that the items' counts are spread over
#endif

kernel void restricted_round(global const struct restricted_tables *tables, global u16_t *own,
                             global const u16_t *other, global const u16_t *external, global u8_t *visit,
                             global u8_t *marks, global uint *counters, struct restricted_step step)
{
    if (get_global_id(0) >= step.entries)
        return;
    const uint entry = (uint)get_global_id(0);
    const uint marked = visit[entry];
    if (marked != 0)
        visit[entry] = 0;
    if (marked == 0 && (step.wake == 0 || external[entry] / 2 != step.ply + 1))
        return;
    if (restricted_round_entry(tables, own, other, external, marks, step.side, step.ply, entry) != 0)
        atomic_inc(&counters[get_group_id(0) % COUNTERS]);
}
