// values.h - outcomes and distances of chess positions as the commands print them
#ifndef CLTB_SHOW_VALUES_H
#define CLTB_SHOW_VALUES_H

#include <cltb/cltb.h>

#include "chess/position.h"
#include "chess/value.h"
#include "show/json.h"
#include "table/table.h"

#include <stdio.h>

extern const char *const colour_word[COLOURS]; // "white", "black"

static inline bool has_dtz(struct cltb_value value)
{
    return value.outcome != CLTB_DRAW && value.outcome != CLTB_UNKNOWN && value.dtz != DTZ_UNKNOWN;
}

// Writes "outcome": "win", "dtz": 12. Both are null if the outcome is unknown; "dtz_max": 13 follows if the distance is
// rounded. The distance's key is "dtz", "dtm" or "dtc".
void json_value(struct json *json, const char *key, struct cltb_value value);

// Writes only the distance, null if there is none.
void json_distance(struct json *json, const char *key, struct cltb_value value);

// Prints the distance, if there is one, after the text `before`; if it is rounded, `between` and the other possible
// distance follow.
void text_dtz(FILE *to, const char *before, struct cltb_value value, const char *between);

// Prints, after the text `before`, what a number counts: "mate in 35 (69 plies)", "conversion in 12 (23 plies)",
// "DTZ 31" or "DTZ 31 or 32". Nothing if there is no distance.
void text_distance(FILE *to, const char *before, enum metric metric, struct cltb_value value);

// Prints "win", "cursed win" and so on; with colours on a terminal, unless NO_COLOR is set or TERM is "dumb".
void text_outcome(FILE *to, int outcome);

// Prints "win, DTZ 23", "cursed win, DTZ 130 or 131", "loss, mate in 4 (8 plies)", "draw".
void text_value(FILE *to, enum metric metric, struct cltb_value value);

// Prints the figures in a file's head for one side to move, by outcome + 2: a line for each outcome that occurs, with
// its number of positions and, except for draws, the longest distance.
void text_outcomes(enum metric metric, const uint64_t positions[TABLE_OUTCOMES], const int longest[TABLE_OUTCOMES]);

// Writes "outcomes": {"win": {"positions": 12, "longest": 3}, ... `unit`: what is counted.
void json_outcomes(struct json *json, const char *unit, const uint64_t positions[TABLE_OUTCOMES],
                   const int longest[TABLE_OUTCOMES]);

// The statistics of a table of any kind.
struct counts {
    const void *stats;
    // The number of positions with a side to move, an outcome (+ 2) and a distance (draws: 0).
    uint64_t (*count)(const void *stats, int side, int slot, int ply);
    // The longest distance and a position with it; -1 if there is none.
    int (*longest)(const void *stats, int side, int slot, const char **fen);
    // May some of these positions have a distance of one ply more? NULL: no.
    bool (*rounded)(const void *stats, int side, int slot, int ply);
    enum metric metric;
};

// TSV: "material stm outcome dtz count" (dtz is "27-28" if some are rounded), one line for each count that is not 0:
// White to move, then Black; wins, draws, losses, each by distance. And "material stm outcome dtz fen": a position of
// the longest of each outcome. Other distances have "dtm" or "dtc" in place of "dtz".
void tsv_counts(const char *name, const struct counts *counts);
void tsv_longest(const char *name, const struct counts *counts);

// Text: a summary for each side to move, then the longest of each outcome. JSON: "white": [...], "black": [...], and
// the list "longest_by_side".
void text_counts(const char *name, const struct counts *counts);
void json_counts(struct json *json, const struct counts *counts);
void json_longest_by_side(struct json *json, const struct counts *counts);

// Prints eight ranks and a line of files, with the letters of FEN and the colour `bottom` at the bottom; the side to
// move is named beside its first rank.
void text_board(const struct position *p, int bottom);

#endif
