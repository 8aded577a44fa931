// block_code.h - blocks of outcomes or distances (context_code.h), each with the model of its stream
#ifndef CLTB_TABLE_BLOCK_CODE_H
#define CLTB_TABLE_BLOCK_CODE_H

#include "table/context_code.h"

// Reads the model of a stream from a container; false if it is invalid or there is no memory for it.
bool context_model_read(struct context_model *model, enum context_content content, const uint8_t *data, size_t bytes);
void context_model_free(struct context_model *model);

// Decodes units first..last-1 of a block of `count` symbols into symbols[], which has room for these units. `given`:
// the outcomes of these units, and VACANT at vacant entries (pattern_code.h), or NULL if nothing is given. False if the
// block is invalid.
bool context_decode(const struct context_model *model, const uint8_t *data, size_t bytes, size_t count, unsigned first,
                    unsigned last, const uint8_t *given, uint8_t *symbols);

#endif
