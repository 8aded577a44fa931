// weight.h - which entries of a restricted endgame are the same position
//
// An entry (restricted/index.h) places the spec's men. Several entries may be one position: men of one colour and type
// may exchange squares on which both may stand, and the symmetric images of a position are one position for the index
// but several on the board.
#ifndef CLTB_RESTRICTED_CHECK_WEIGHT_H
#define CLTB_RESTRICTED_CHECK_WEIGHT_H

#include "restricted/index.h"

// The number of positions on the board that an entry with men on these squares stands for, legal or not: itself and
// its symmetric images; 0 if another entry stands for them.
unsigned restricted_weight(const struct restricted_index *index, const uint8_t *stand);

// Exchanges the squares of two men in `where` if they have the same colour and type and may both stand there. Pawns are
// never exchanged.
bool restricted_exchange(const struct restricted_index *index, int a, int b, uint8_t where[SPEC_MEN_MAX]);

#endif
