// properties.h - the text of a container: one property a line, `key value`
#ifndef CLTB_TABLE_PROPERTIES_H
#define CLTB_TABLE_PROPERTIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The rest of the line that starts with `key` and a blank, into `value`; false if there is none or it is too long.
bool property_text(const char *text, const char *key, char *value, size_t size);

// A value of decimal digits only; false if it is missing, anything else, or too large.
bool property_number(const char *text, const char *key, uint64_t *number);

// Is this a table of another game than `game`? Then CLTB_E_FOREIGN, with a sentence that names both; CLTB_E_CORRUPT if it
// does not say. `path` is for the sentence.
int property_check_game(const char *text, const char *game, const char *path);

#endif
