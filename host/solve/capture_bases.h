// capture_bases.h - the futurebases of a pawnless endgame: what each capture leaves
#ifndef CLTB_SOLVE_CAPTURE_BASES_H
#define CLTB_SOLVE_CAPTURE_BASES_H

#include "solve/backend.h"
#include "solve/futurebase.h"
#include "solve/zeroing.h"

enum { FUTUREBASES_MAX = 2 * PIECE_TYPES };

struct base_entry {
    int type;
    int colour;
    bool bare; // two kings are left: all draws
    struct layout layout;
    struct futurebase base;
};

// The futurebases of a pawnless endgame.
struct bases {
    struct backend *backend;
    const struct layout *layout;
    int count;
    struct base_entry entry[FUTUREBASES_MAX];
};

// Loads them all; `zeroing` then asks `bases`, which stays where it is until bases_close(). That is due also after an error.
int bases_open(struct bases *bases, struct backend *backend, const struct futurebase_source *source,
               struct zeroing *zeroing);
void bases_close(struct bases *bases);

#endif
