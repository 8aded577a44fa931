// stats.h - how many positions of a material have which outcome and distance, found by probing every one
#ifndef CLTB_BUILD_STATS_H
#define CLTB_BUILD_STATS_H

#include <cltb/cltb.h>

#include "index/material.h"
#include "store/table.h"
#include "util/threads.h"

#include <stdio.h>

struct stats_bin {
    uint64_t count;    // legal positions: placements on the whole board, like men interchangeable
    uint64_t diagonal; // of `count`, classes under symmetry with every man on one long diagonal: those have 4
                       // positions, not 8
};

// A longest win and where it is: `plies` for the side that loses or wins, whichever is longer (-1: there is none).
struct stats_longest {
    int plies;
    char fen[96]; // board, side, castling and en passant
};

struct stats {
    struct material material;                                         // in standard colours
    struct stats_bin bin[COLOURS][TABLE_OUTCOMES][TABLE_PLY_MAX + 1]; // [side to move][outcome + 2][dtz; 0 for draws]
    struct stats_longest longest[COLOURS][2];                         // [who wins][1: cursed]
};

// Probes every legal position of a pawnless material. Free with stats_free().
int stats_count(struct stats **stats, cltb_tables *tables, const struct material *material, struct thread_pool *pool);
void stats_free(struct stats *stats);

// The number of a bin as the Syzygy generator counts: classes under the board's 8 symmetries, like men told apart.
uint64_t stats_classes(const struct stats *stats, const struct stats_bin *bin);

// "material stm outcome dtz count", one line for each bin that is not empty: White to move, then Black; wins, draws,
// losses, each by distance. `header`: the names of the columns first.
void stats_write_tsv(const struct stats *stats, FILE *file, bool header);

// As published with the Syzygy tables.
void stats_write_syzygy(const struct stats *stats, FILE *file);

#endif
