// table.h - reading a table file: what is stored for a position
//
// A table stores an outcome for every position of its material, and a distance for one side to move or both. Some
// stored symbols are don't-cares, so a symbol is not yet the value of the position:
//
//     outcome    the better one of the stored outcome and the best outcome that a legal capture leads to
//     distance   valid for an outcome other than a draw, unless the side to move wins by a capture (then it is 1, or
//                101 for a cursed win) or, except in older tables, by a pawn move or by mate (then it is 1)
//
// probe/ works out values. docs/format.md describes the file. Everything here is thread-safe once a table is open.
#ifndef CLTB_TABLE_TABLE_H
#define CLTB_TABLE_TABLE_H

#include "chess/value.h"
#include "index/entry.h"
#include "table/block_cache.h"

enum {
    TABLE_OUTCOMES = 5,
    TABLE_PLY_MAX = 2047 // the longest distance that a table can store
};

enum table_kind { TABLE_OUTCOME, TABLE_DISTANCE, TABLE_KINDS };

struct table;
struct container;
struct thread_pool;

struct table_info {
    struct material material; // in standard colours
    bool symmetric;           // both sides have the same men: only White to move is stored
    bool distance[COLOURS];   // is the distance stored for this side to move? (symmetric: [WHITE] only)
    uint64_t entries;         // for one side to move, including don't-cares
    // Legal positions by side to move and outcome + 2 (loss .. win): every placement of the men on 64 squares counts
    // once, with identical pieces interchangeable and no reduction by symmetry.
    uint64_t positions[COLOURS][TABLE_OUTCOMES];
    int longest[COLOURS][TABLE_OUTCOMES]; // the longest distance of each outcome in plies; -1: no position
    uint64_t file_bytes;
    uint64_t outcome_bytes[COLOURS];  // compressed
    uint64_t distance_bytes[COLOURS]; // compressed
    uint32_t block_entries;           // in a block
    char order[64];                   // the order of the men in the index, outermost first: "k R Q r K"
};

// Opens a table for the functions that look up single entries. `cache` may be shared by many tables and must outlive
// them. CLTB_E_MISSING, CLTB_E_FOREIGN (not a table, or another kind or version), CLTB_E_CORRUPT.
int table_open(struct table **table, const char *path, struct block_cache *cache);

// Opens a table without a cache, for table_read_units() and table_check_hashes(). CLTB_E_FOREIGN also if it is a table
// of another material.
int table_open_material(struct table **table, const char *path, const struct material *material);

// The same, but the table need not have distances: tables that exist only while others are built have only outcomes.
int table_open_outcomes(struct table **table, const char *path, const struct material *material);

void table_close(struct table *table); // NULL is allowed

// What the head of the file says; valid as long as the table is open.
const struct table_info *table_info(const struct table *table);

// CLTB_E_CORRUPT with a sentence: "PATH is not a valid table: WHAT".
int table_invalid(const struct table *table, const char *what);

// ---- by position: of the table's material, colours flipped or not ----

// `*outcome` is the stored one, an enum cltb_outcome.
int table_outcome(struct table *table, const struct position *position, int *outcome);

// The same in two steps, for callers that have other work to do meanwhile (block_cache.h).
struct cached_spot table_find_outcome(const struct table *table, const struct position *position);
struct cached_spot table_locate_outcome(const struct table *table, const struct position *position);
void table_hint_outcome(const struct table *table, const struct cached_spot *spot, bool data);
int table_read_outcome(struct table *table, const struct cached_spot *spot, int *outcome);

// Is the distance stored for this side to move?
bool table_has_distance(const struct table *table, const struct position *position);

// `outcome` is the position's true outcome: win, cursed win, blessed loss or loss. `*ply` is the distance in plies. If
// any distance may be stored and the stored one cannot be a win's, it is 1.
int table_distance(struct table *table, const struct position *position, int outcome, int *ply);

// ---- by entry, for programs that go through a whole table ----

// The name of the stream of this kind for this side to move: "outcome-w", "distance-b", ...
const char *table_stream_name(enum table_kind kind, int side);

// Tells a container which entries of a stream are vacant; the order must outlive it.
void table_mark_vacant(struct container *container, int stream, const struct entry_order *order, int side);

// The order of a stream's entries with `side` to move, in the table's colours; NULL if there is no such stream.
const struct entry_order *table_order(const struct table *table, enum table_kind kind, int side);

// The symbol of an entry (docs/format.md): an outcome + 2, or a distance in plies or as a place in a list.
int table_symbol(struct table *table, enum table_kind kind, int side, uint64_t entry, unsigned *value);

// What can be read of the entries of a section, a byte each.
enum table_reading {
    READ_OUTCOMES,   // outcomes + 2
    READ_CODES,      // bits 0 to 7 of the codes of distances to mate or conversion, ply / 2 + 1
    READ_HIGH_CODES, // the bits above these
    READ_VALUES      // the codes of losses and, plus TABLE_VALUE_WON, of wins; 0 for draws and vacant entries
};

enum { TABLE_VALUE_WON = 128, TABLE_READINGS_MAX = 3 };

enum table_kind table_reading_kind(enum table_reading reading);

// Sets reading[] to what gives the outcomes with codes of so many bits, which may be 0; returns the number.
int table_readings(const struct table *table, int side, int code_bits, enum table_reading reading[TABLE_READINGS_MAX]);

// The number of symbols of a section that can be decoded by themselves: unit i of a section has so many of them from
// entry i times that number on.
uint32_t table_unit(const struct table *table, enum table_reading reading, int side);

// Some units of a section.
struct table_units {
    int side;
    uint64_t section;
    const bool *wanted; // [units]; NULL: all
    uint64_t part;      // of `parts` parts of the section, the one that is read now
    uint64_t parts;     //
};

// Reads some units into symbols[order->per_section]; may also write others of the same part.
int table_read_units(const struct table *table, enum table_reading reading, const struct table_units *units,
                     uint8_t *symbols);

// The name of the stream with a table's statistics (check/stats_kept.h).
#define TABLE_STATISTICS "statistics"

// Their bytes, malloc'ed; NULL if the table has none.
int table_statistics(const struct table *table, uint8_t **data, size_t *bytes);

// The path that the table was opened by.
const char *table_file(const struct table *table);

// Are the distances of both sides to move stored, or is there only one because both have the same men?
bool table_has_all_distances(const struct table *table);

// The property that gives the side whose distances take fewer bytes, `w` or `b`.
#define TABLE_REDUCES_TO "reduces-to"

// The property that names a side to move whose distances to mate, of one byte, tell the outcomes, too: an odd one is
// that of a win, an even one that of a loss, and all other entries have 255.
#define TABLE_TELLS "tells-outcomes"

// Rewrites the file of a table with the distances of both sides to move, keeping those of one side. `*bytes` is its new
// size.
int table_keep_one_side(const char *path, const struct material *material, uint64_t *bytes);

// Checks the hash of every block without decompressing it.
int table_check_hashes(const struct table *table, struct thread_pool *pool);

// Checks and decompresses every block.
int table_check(struct table *table);

#endif
