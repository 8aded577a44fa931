// vacant.h - the entries of a table that no legal position has
//
// Most don't-cares of a table are *vacant*: two men are on one square, the kings are neighbours, the side to move gives
// check, or another entry stands for the position, its mirror image. This can be seen from the men's squares, so a file
// need not say what is stored there.
#ifndef CLTB_INDEX_VACANT_H
#define CLTB_INDEX_VACANT_H

#include "index/entry.h"

// Sets mark[i], of entry `first` + i of a section with `side` to move, to `value` if the entry is vacant. Some entries
// without a position are not marked: of those with both kings on the diagonal without pawns, some that another entry
// stands for.
void entry_mark_vacant(const struct entry_order *order, int side, uint64_t section, uint64_t first, size_t count,
                       uint8_t value, uint8_t *mark);

#endif
