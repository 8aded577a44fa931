// stats_chunk.h - some words of a table's solved planes, by code and by outcome
#ifndef CLTB_CHECK_STATS_CHUNK_H
#define CLTB_CHECK_STATS_CHUNK_H

#include "solve/backend_bulk.h"
#include "solve/solution.h"
#include "table/table.h"

enum {
    CHUNK = PICK_UNIT,                 // words
    LONGEST_CODES = TABLE_OUTCOMES - 1 // losses, blessed losses, cursed wins, wins
};

struct longest_code {
    bool won;
    uint16_t code;
    int outcome;
    int ply;
};

enum { SOME_PLAIN = 1, SOME_CURSED = 2 }; // kinds of wins

// The meaning of the codes of one side to move.
struct code_list {
    const solver_value (*value)[DISTANCE_CODES];
    uint8_t kinds[2 * DISTANCE_CODES]; // of the wins whose codes begin with the bits of a node (stats_chunk.c)
    int longest;                       // the codes of the longest lines
    struct longest_code longest_code[LONGEST_CODES];
};

// `longest`: as in struct solution. If a side's distances are not kept, only its wins in 1 ply, and cursed wins in 101,
// are listed, if they are the longest.
void code_list_find(struct code_list *list, const solver_value (*value)[DISTANCE_CODES], bool kept,
                    const int longest[TABLE_OUTCOMES]);

// The classes of codes by which a backend picks the words that may have a mutual zugzwang or a longest line.
void code_list_classes(const struct code_list codes[COLOURS], uint8_t classes[COLOURS][BACKEND_CODES / 2]);

// Some words of one side's planes.
struct chunk {
    uint64_t won[CHUNK]; // without illegal and overlap entries
    uint64_t lost[CHUNK];
    uint64_t draw[CHUNK];
    int planes;
    uint64_t plane[DISTANCE_PLANES_MAX][CHUNK];
};

// Loads CHUNK words of all planes, from word `first` on.
void chunk_load(struct chunk *chunk, const struct slice_side *planes, size_t first);

// The lanes among `lanes` that have a code. Returns whether there are any.
uint64_t chunk_with_code(const struct chunk *chunk, unsigned code, const uint64_t lanes[CHUNK], uint64_t to[CHUNK]);

// The outcome of an entry: bit `lane` (0..63) of word `w` (0..CHUNK - 1).
int chunk_outcome(const struct chunk *chunk, const struct code_list *list, int w, unsigned lane);

// Finds the mutual zugzwangs among the entries of both sides to move, and some losses against a cursed win that are not
// zugzwangs.
void chunk_zugzwangs(const struct chunk chunk[COLOURS], const struct code_list codes[COLOURS],
                     uint64_t zugzwang[CHUNK]);

#endif
