// show.h - a position with its moves and the least and greatest values, as `cltb solve` and `cltb probe` print it
#ifndef CLTB_STRUCTURES_CLI_SHOW_H
#define CLTB_STRUCTURES_CLI_SHOW_H

#include "show/json.h"
#include "structures/answer.h"

// Prints the outcome, whether it is proved and by which move; all moves; the best line.
int text_structure_answer(const struct structure_answer *answer, const struct structure_values *values);

// The columns after the FEN, with the end of the line.
void tsv_structure_answer(const struct structure_answer *answer);

// Fields of an object.
int json_structure_answer(struct json *json, const struct structure_answer *answer,
                          const struct structure_values *values);

#endif
