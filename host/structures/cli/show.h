// show.h - a position with its moves and the least and greatest values, as `cltb solve` and `cltb probe` print it
#ifndef CLTB_STRUCTURES_CLI_SHOW_H
#define CLTB_STRUCTURES_CLI_SHOW_H

#include "show/json.h"
#include "structures/value.h"

enum { VERDICT_MAX = 40 };

// The outcome, as "win", or both ends, as "between a draw and a win". `text` may be used for it.
const char *verdict_outcomes(const struct verdict_value *value, char text[VERDICT_MAX]);

// Prints a sentence with the outcome, whether and by which move it is proved; the best line; and all moves. `source`:
// the table that has the position, or NULL.
int text_structure_answer(const struct structure_answer *answer, const struct structure_values *values,
                          const char *source);

// Prints the columns after the FEN, with the line ending.
void tsv_structure_answer(const struct structure_answer *answer);

// Writes fields of an object.
int json_structure_answer(struct json *json, const struct structure_answer *answer,
                          const struct structure_values *values);

#endif
