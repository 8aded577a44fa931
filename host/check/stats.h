// stats.h - how many positions of a material have which outcome and distance, its longest lines and mutual zugzwangs
//
// A mutual (reciprocal) zugzwang is a placement, legal whichever side is to move, in which each side would do better if
// the other one had to move: White to move does not win and Black to move loses (or does worse), or vice versa.
// "Full-point" ones are lost for whoever moves. Here "better" goes by all five outcomes; to count under the 50-move
// rule alone, or without that rule, add up the counts.
#ifndef CLTB_CHECK_STATS_H
#define CLTB_CHECK_STATS_H

#include "check/placements.h"
#include "check/tally.h"
#include "util/threads.h"

#include <stdio.h>

struct stats_longest {
    int plies;               // -1: there is none; may be one ply more if some positions of its bin are rounded
    bool zeroing;            // all positions of that length are won by a capture or pawn move
    uint64_t key;            // tally.h
    int file;                // of the first pawn in Syzygy's order, 0..3; 0 without pawns
    char fen[STATS_FEN_MAX]; // board, side, castling and en passant
};

struct stats {
    struct material material;                                         // in standard colours
    struct stats_bin bin[COLOURS][TABLE_OUTCOMES][TABLE_PLY_MAX + 1]; // [side to move][outcome + 2][dtz; 0 for draws]
    struct stats_longest longest[COLOURS][TABLE_OUTCOMES];            // [side to move][outcome + 2]
    // Mutual zugzwangs by White's outcome with White to move and Black's with Black to move (+ 2), counting placements
    // on the whole board.
    uint64_t zugzwangs[TABLE_OUTCOMES][TABLE_OUTCOMES];
    size_t zugzwang_count; // classes
    struct stats_zugzwang *zugzwang;
};

// Loads the Syzygy files of a material, and of the materials that one capture or promotion leads to, before all
// positions are probed. Skips missing files.
int load_syzygy(cltb_tables *tables, const struct material *material, struct thread_pool *pool);

// Probes every legal position of a material. Free the result with stats_free(). `progress`, if not NULL, is called with
// the pool by threads_watch() from then on, for threads_share().
int stats_count(struct stats **stats, cltb_tables *tables, const struct material *material, struct thread_pool *pool,
                int (*progress)(void *pool));
void stats_free(struct stats *stats);

// Counts the values of placements that somebody else finds.
struct stats_counter;

enum { STATS_ILLEGAL = CLTB_WIN + 1 }; // in place of an outcome: the side to move could take the king

// For values that `workers` workers (0..workers - 1) add at the same time. CLTB_E_MEMORY.
int stats_counter_open(struct stats_counter **counter, cltb_tables *tables, const struct material *material,
                       int workers);

// value[side to move]. For every placement that placements_each() visits, by its worker.
int stats_counter_add(struct stats_counter *counter, const struct placement *placement,
                      const struct cltb_value value[COLOURS], int worker);

// Frees the counter, and unless `code` says that counting failed, makes the statistics. Returns `code`, or an error of
// its own.
int stats_counter_close(struct stats_counter *counter, int code, struct stats **stats);

// Fills in what follows from the key of a longest line, if there is one.
void stats_place(struct stats_longest *longest, const struct tally_men *men, int side);

// May some distances be rounded, as in Syzygy files?
bool stats_rounded(const struct stats *stats);

void stats_zugzwang_fen(const struct stats *stats, size_t number, char fen[STATS_FEN_MAX]);

// ---- output ----

// Writes "material white black fen", with the outcomes of both sides to move: one line for each class.
void stats_write_zugzwangs_tsv(const struct stats *stats, FILE *file);

// Writes the statistics in the form published with the Syzygy tables.
void stats_write_syzygy(const struct stats *stats, FILE *file);

#endif
