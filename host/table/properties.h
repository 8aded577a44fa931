// properties.h - the text of a container: one property a line, `key value`
#ifndef CLTB_TABLE_PROPERTIES_H
#define CLTB_TABLE_PROPERTIES_H

#include "table/container.h"

// Copies the rest of the line that starts with `key` and a blank into `value`; false if there is no such line or it is
// too long.
bool property_text(const char *text, const char *key, char *value, size_t size);

// Removes the line that starts with `key` and a blank, if there is one.
void property_remove(char *text, const char *key);

// A value of decimal digits only; false if it is missing, too large, or not a number.
bool property_number(const char *text, const char *key, uint64_t *number);

// CLTB_E_FOREIGN, with a sentence that names both games, unless the text says that this is a table of `game`;
// CLTB_E_CORRUPT if it names no game. `path` is used in the sentence.
int property_check_game(const char *text, const char *game, const char *path);

// Reads the figures of a chess table by side to move (White first) and outcome + 2 (loss .. win): the number of
// positions with that outcome, and the longest distance. CLTB_E_CORRUPT if one is missing; `container` is used in the
// sentence.
int properties_figures(const char *text, const struct container *container, uint64_t positions[2][5],
                       int longest[2][5]);

#endif
