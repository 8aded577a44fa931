// values.h - outcomes and distances as the commands print them
#ifndef CLTB_CLI_VALUES_H
#define CLTB_CLI_VALUES_H

#include <cltb/cltb.h>

#include "chess/position.h"
#include "table/table.h"

#include <stdbool.h>
#include <stdint.h>

extern const char *const colour_name[COLOURS]; // "white", "black"

static inline bool has_dtz(struct cltb_value value)
{
    return value.outcome != CLTB_DRAW;
}

// "outcome": "win", "dtz": 12
void json_value(struct cltb_value value);

// A line for each outcome (+ 2) that there is: its positions and, but for draws, the longest distance.
void text_outcomes(const uint64_t positions[TABLE_OUTCOMES], const int longest[TABLE_OUTCOMES]);

// The same with shares in per cent of `all`.
void text_shares(const uint64_t positions[TABLE_OUTCOMES], const int longest[TABLE_OUTCOMES], uint64_t all);

// "win": {"positions": 12, "longest": 3}, ... `unit`: what is counted.
void json_outcomes(const char *unit, const uint64_t positions[TABLE_OUTCOMES], const int longest[TABLE_OUTCOMES]);

// An element of a list: so many positions with an outcome (+ 2) and distance. `comma` stands before it and is ", " behind it.
void json_count(const char **comma, int slot, int plies, uint64_t count);

// And: the longest win or loss of a side to move.
void json_longest(const char **comma, int side, int slot, int plies, const char *fen);

#endif
