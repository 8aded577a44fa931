// quiet.h - wins that a quiet move of a piece brings at once
#ifndef CLTB_SYZYGY_WRITE_QUIET_H
#define CLTB_SYZYGY_WRITE_QUIET_H

#include "syzygy/write/natural_part.h"

// Changes natural->distances, the plies with `winner` to move: a win in 1 by a quiet mate becomes QUIET_MATE, and one
// in 101 by a quiet move to a loss in 100 becomes QUIET_CURSED. `*loss_100`, `*win_100`: does the other side have
// losses in 100, or wins in 100 that no capture brings?
int quiet_mark(struct natural *natural, int winner, bool *loss_100, bool *win_100);

#endif
