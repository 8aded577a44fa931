// support_syzygy.h - small Syzygy files: two official ones, and one that is made byte by byte
#ifndef CLTB_TESTS_SYZYGY_SUPPORT_SYZYGY_H
#define CLTB_TESTS_SYZYGY_SUPPORT_SYZYGY_H

#include "syzygy/shape.h"

#include <stddef.h>
#include <stdint.h>

// White wins always. Black to move loses but for nine positions: with the list K k R, indices 3913 to 3919 and 2 more.
extern const uint8_t krvk_rtbw[208];
// All draws: each sub-table has a single value.
extern const uint8_t knvk_rtbz[80];

// A file that grows: bytes are added at its end.
struct made_file {
    uint8_t bytes[1 << 14];
    size_t size;
};

void make_bytes(struct made_file *file, const char *hex); // "71 E8 23"; blanks are passed over
void make_multiple(struct made_file *file, size_t of);    // zeros up to a multiple of it

// The distances of KPvK, whose placements all have the same leaf in a sub-table (leaf and side differ from file to
// file of the pawn):
//
//     a   White to move, 8-bit lists: wins 7 9, losses 3, cursed wins 5, blessed losses 2 4; leaf 1
//     b   Black to move, 16-bit lists: wins 300, losses 2, cursed wins 301, blessed losses none; leaf 0
//     c   White to move, no lists, wins and losses in plies; leaf 12
//     d   White to move, a single value
void make_kpvk_rtbz(struct made_file *file);

// The squares of an index, which must be less than `values`. syzygy_index() turns them back into this index.
void syzygy_placement(const struct syzygy_shape *shape, uint64_t index, uint8_t *square);

#endif
