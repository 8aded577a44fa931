// block_code.h - blocks of outcomes or distances (context_code.h), each with the model of its stream
#ifndef CLTB_TABLE_BLOCK_CODE_H
#define CLTB_TABLE_BLOCK_CODE_H

#include "table/context_code.h"

// Reads the model of a stream from a container; false if it is invalid or there is no memory for it.
bool context_model_read(struct context_model *model, bool distances, const uint8_t *data, size_t bytes);
void context_model_free(struct context_model *model);

// Units first..last-1 of a block, or of these the ones that are set in wanted[last - first].
struct context_range {
    unsigned first;
    unsigned last;
    const bool *wanted; // NULL: all
    size_t enough;      // symbols of the range, which is one unit; 0: all (cold outcomes of KRPvKR: 49 to 69 thousand a
                        // second, with only the rows up to the wanted one 71 to 97)
};

enum { CONTEXT_SLACK = 4 * CONTEXT_ROW + 4 }; // what a row and its kind can take at most, and two bytes more

// Decodes units of a block of `count` symbols. If they are distances, CONTEXT_SLACK bytes behind data[bytes] must be
// readable; their values do not matter. symbols[] and given[] begin with the range's first unit and have room for all
// of the range, of which units that are not wanted may be written, too. `given`: the outcomes, and VACANT at vacant
// entries (pattern_code.h), or NULL if nothing is given. False if the block is invalid.
bool context_decode(const struct context_model *model, const uint8_t *data, size_t bytes, size_t count,
                    struct context_range range, const uint8_t *given, uint8_t *symbols);

#endif
