// vacant.h - the entries of a table that no legal position has
//
// Most don't-cares of a table are *vacant*: two men are on one square, the kings are neighbours, the side to move gives
// check, or another entry stands for the position, its mirror image. This can be seen from the men's squares, so a file
// need not say what is stored there.
#ifndef CLTB_INDEX_VACANT_H
#define CLTB_INDEX_VACANT_H

#include "index/entry.h"

// Where a scan begins: at entry `first` of a section, with `side` to move.
struct vacant_start {
    const struct entry_order *order;
    int side;
    uint64_t section;
    uint64_t first;
};

// A scan looks at the entries of a section in their order.
struct vacant_scan {
    const struct entry_order *order;
    int side;
    uint64_t slice;                   // or the number of the black king's square
    uint64_t white_king;              // squares with which an entry stands for its position
    uint64_t digit[ENTRY_GROUPS_MAX]; //
    uint8_t first[ENTRY_GROUPS_MAX];  // [group] number of its first man, the one on the highest square
    struct man man[MATERIAL_MEN_MAX]; // the mover (vacant.c) is the last one
    int men;
};

// Begins at entry start->first of a section.
void vacant_scan_begin(struct vacant_scan *scan, const struct vacant_start *start);

// Goes on by `count` entries, and sets mark[i] of the i-th of them as below. With NULL it passes over them, which is
// much faster.
void vacant_scan_next(struct vacant_scan *scan, size_t count, uint8_t value, uint8_t *mark);

// The squares that must be empty if this man on `from` is to attack `to`; all bits if it never does.
uint64_t vacant_way(int colour, int type, int from, int to);

// The squares of the white king with which an entry of a slice, or of a square of the black king, stands for its
// position.
uint64_t vacant_white_king(const struct entry_order *order, uint64_t slice);

// Sets mark[i], of entry `first` + i of a section with `side` to move, to `value` if the entry is vacant. Some entries
// without a position are not marked: of those with both kings on the diagonal without pawns, some that another entry
// stands for.
void entry_mark_vacant(const struct entry_order *order, int side, uint64_t section, uint64_t first, size_t count,
                       uint8_t value, uint8_t *mark);

#endif
