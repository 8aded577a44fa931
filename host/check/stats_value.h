// stats_value.h - what the two ways of counting share
#ifndef CLTB_CHECK_STATS_VALUE_H
#define CLTB_CHECK_STATS_VALUE_H

#include "check/tally.h"

// tally_note() for the position `p`, whose men stand on `square` (in the order of men->man). Finds out whether the value
// is that of a capture or pawn move.
int stats_note(struct tally *tally, const struct tally_men *men, cltb_tables *tables, struct position *p,
               const uint8_t *square, struct cltb_value value);

#endif
