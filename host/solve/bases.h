// bases.h - the futurebases of an endgame without pawns, one for each type and colour of man that can be captured
#ifndef CLTB_SOLVE_BASES_H
#define CLTB_SOLVE_BASES_H

#include "solve/backend.h"
#include "solve/futurebase.h"

enum { FUTUREBASES_MAX = 2 * PIECE_TYPES };

struct base_entry {
    int type; // of the captured man
    int colour;
    bool bare; // only two kings remain: all draws
    struct layout layout;
    struct futurebase base;
};

struct bases {
    const struct layout *layout; // of the endgame
    struct backend *backend;
    int count;
    struct base_entry entry[FUTUREBASES_MAX];
};

// Can this piece of the layout be captured?
bool base_wanted(const struct layout *layout, int piece);

// The entry for capturing that piece, or NULL. Two identical pieces share an entry only if the remaining men are in the
// same order: with three identical pieces, capturing the first may leave another order than capturing the last.
struct base_entry *base_for(struct bases *bases, int captured);

#endif
