// stats.h - how many positions of a file of structures have which outcome and distance
#ifndef CLTB_STRUCTURES_CHECK_STATS_H
#define CLTB_STRUCTURES_CHECK_STATS_H

#include "chess/fen.h"
#include "structures/file.h"
#include "table/table.h"
#include "util/threads.h"

struct structure_longest {
    int plies; // -1: there is none
    char fen[FEN_MAX];
};

// By side to move and outcome + 2. Every position on the board counts once, without the right to capture en passant. If
// the outcome is proved but not the distance, the shorter distance counts.
struct structure_stats {
    uint64_t count[COLOURS][TABLE_OUTCOMES][TABLE_PLY_MAX + 1]; // [dtz]; draws: 0
    struct structure_longest longest[COLOURS][TABLE_OUTCOMES];
    uint64_t undecided[COLOURS]; // the outcome is not proved; these count nowhere else
    uint64_t bounds[COLOURS];    // the distance is not proved
};

int structure_stats_count(struct structure_stats *stats, struct structure_file *file, struct thread_pool *pool);

#endif
