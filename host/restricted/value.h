// value.h - values of a restricted endgame as codes of 16 bits, for the solver, the table and probing
//
//     0         draw (while solving: undecided)
//     1         draw, where 0 means "no move" (external codes of restricted/make/external.h)
//     0xffff    not a position: two men on one square, or the side not to move is in check
//     else      value_code() of exact DTZ, 0..1023 plies
#ifndef CLTB_RESTRICTED_VALUE_H
#define CLTB_RESTRICTED_VALUE_H

#include "chess/value.h"

#include <stdint.h>

enum { RESTRICTED_OPEN = 0, RESTRICTED_DRAW = 1, RESTRICTED_ILLEGAL = 0xffff };

#endif
