// table.h - reading a table file: what is stored for a position
//
// A table stores, for every position of its material, an outcome; and for one side to move or both, a distance. Entries
// that the rules give for nothing are free (any value may stand there), so what is stored is not yet the answer:
//
//     outcome    the true outcome is the better one of what is stored and the best outcome that a legal capture of the
//     side to
//                move leads to
//     distance   valid for a true outcome other than a draw, unless the side to move wins by a capture (then the
//     distance is 1)
//
// probe/ works out the answer. The file format is in docs/format.md. Everything here is thread-safe after table_open().
#ifndef CLTB_TABLE_TABLE_H
#define CLTB_TABLE_TABLE_H

#include "chess/position.h"
#include "chess/value.h"
#include "index/material.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TABLE_OUTCOMES = 5, TABLE_PLY_MAX = 1023 };

struct table;
struct block_cache;

struct table_info {
    struct material material; // in standard colours
    int version;
    bool symmetric;         // both sides have the same men: only White to move is stored
    bool distance[COLOURS]; // is the distance stored for this side to move? (symmetric: [WHITE] only)
    uint64_t entries;       // of one side to move, free ones included
    // Legal positions by side to move and outcome + 2 (loss .. win): every placement of the men on 64 squares counts
    // once, identical pieces interchangeable, no reduction by symmetry.
    uint64_t positions[COLOURS][TABLE_OUTCOMES];
    int longest[COLOURS][TABLE_OUTCOMES]; // the largest distance of each outcome; -1: there is none
    uint64_t file_bytes;
    uint64_t outcome_bytes[COLOURS];  // compressed
    uint64_t distance_bytes[COLOURS]; // compressed
    uint32_t block_entries;           // of a block, decompressed
    char order[64];                   // the order of the men in the index, outermost first, as in "k R Q r K"
};

// `cache` may be shared by many tables and must outlive them.
int table_open(struct table **table, const char *path, struct block_cache *cache);
void table_close(struct table *table);
const struct table_info *table_info(const struct table *table);

// What is stored for a position of the table's material, colours exchanged or not. `*outcome` is an enum cltb_outcome.
int table_outcome(struct table *table, const struct position *position, int *outcome);

// Is the distance stored for this side to move?
bool table_has_distance(const struct table *table, const struct position *position);

// `outcome` is the position's true outcome: win, cursed win, blessed loss or loss. `*ply` is the distance in plies.
int table_distance(struct table *table, const struct position *position, int outcome, int *ply);

// Checks every byte of the file against its checksums.
int table_check(struct table *table);

// A cache of decompressed blocks: at most `bytes` of them (at least one a thread that probes).
int block_cache_open(struct block_cache **cache, size_t bytes);
void block_cache_close(struct block_cache *cache);

#endif
