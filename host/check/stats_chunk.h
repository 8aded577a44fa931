// stats_chunk.h - some words of a table's solved planes, by code and by outcome
#ifndef CLTB_CHECK_STATS_CHUNK_H
#define CLTB_CHECK_STATS_CHUNK_H

#include "make/statistics.h"
#include "table/table.h"

enum {
    CHUNK = 8,                  // words
    LONGEST_CODES = 2 * COLOURS // for each side: losses, blessed losses, cursed wins, wins
};

// The meaning of the codes of one side to move.
struct code_list {
    const solver_value (*value)[DISTANCE_CODES];
    int cursed; // the codes of cursed wins
    uint16_t cursed_code[DISTANCE_CODES];
    int longest; // the codes of the longest distances, if these are kept
    struct {
        bool won;
        uint16_t code;
        int outcome;
        int ply;
    } longest_code[LONGEST_CODES];
};

// `kept`: do the codes belong to the side whose longest lines are wanted?
void code_list_find(struct code_list *list, const solver_value (*value)[DISTANCE_CODES], bool kept);

// Some words of one side's planes.
struct chunk {
    uint64_t won[CHUNK]; // without illegal and overlap entries
    uint64_t lost[CHUNK];
    uint64_t draw[CHUNK];
    int planes;
    uint64_t plane[DISTANCE_PLANES_MAX][CHUNK];
};

void chunk_load(struct chunk *chunk, const struct slice_side *planes, size_t first);

// The lanes among `lanes` that have a code. Returns whether there are any.
uint64_t chunk_with_code(const struct chunk *chunk, unsigned code, const uint64_t lanes[CHUNK], uint64_t to[CHUNK]);

int chunk_outcome(const struct chunk *chunk, const struct code_list *list, int w, unsigned lane);

// Finds the mutual zugzwangs among the entries of both sides to move, and some losses against a cursed win that are not
// zugzwangs.
void chunk_zugzwangs(const struct chunk chunk[COLOURS], const struct code_list codes[COLOURS],
                     uint64_t zugzwang[CHUNK]);

#endif
