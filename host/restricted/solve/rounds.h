// rounds.h - what both backends of restricted endgames share: the tables of the kernels, the loop over rounds
#ifndef CLTB_RESTRICTED_SOLVE_ROUNDS_H
#define CLTB_RESTRICTED_SOLVE_ROUNDS_H

#include "kernels/restricted/restricted.h"
#include "restricted/solve/solve.h"

// Fills in what the kernels need to know of an index; restricted_tables_slice() adds a slice's pawns.
void restricted_tables_make(struct restricted_tables *tables, const struct restricted_index *index);
void restricted_tables_slice(struct restricted_tables *tables, const struct restricted_index *index, uint32_t slice);

// Runs one round, first for the entries with White to move, then for those with Black to move. wake[side]: some entries
// of that side have an external code of this ply. *found: how many entries were decided.
typedef int restricted_round(void *context, int ply, const bool wake[COLOURS], uint64_t *found);

// Runs rounds until the values of a slice are final, and sets slice->plies. Skips rounds in which nothing can happen.
int restricted_rounds(struct restricted_slice *slice, restricted_round *round, void *context,
                      int (*stop)(void *context), void *stop_context);

#endif
