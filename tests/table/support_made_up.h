// support_made_up.h - an endgame with pawns whose values are a hash of the placement
#ifndef CLTB_TESTS_TABLE_SUPPORT_MADE_UP_H
#define CLTB_TESTS_TABLE_SUPPORT_MADE_UP_H

#include "support/support.h"

#include "table/write/slice_sections.h"

// What codes stand for: wins count plies from 1 up, losses from the largest code down. All except few_codes have cursed
// wins and blessed losses. Distances of long_codes fit into lists only, those of far_codes take two bytes.
struct codes {
    int plies;
    unsigned largest;
    unsigned planes;
};

extern const struct codes few_codes;
extern const struct codes many_codes;
extern const struct codes long_codes;
extern const struct codes far_codes;

struct made_up {
    struct slices_source source;
    struct pawn_slices *slices;
    struct slab_shape shape;
    int pawns;
    const struct codes *codes;
    int longest[COLOURS][5];
    solver_value value[COLOURS][DISTANCE_CODES]; // [won][code]
    uint64_t *planes;                            // what made_up_load() gave last
};

// `pieces`: "KkRr", the order of the slabs.
void make_up(struct made_up *made, const char *name, const char *pieces, const struct codes *codes);
void forget(struct made_up *made);

// `load` of the source.
int made_up_load(void *context, int side, const uint32_t *slices, size_t count, struct slice_view *views);

enum { ILLEGAL = -3 };

struct truth {
    int outcome; // ILLEGAL, or enum cltb_outcome
    int ply;
    bool resolved;
};

// square[] in the order of the shape, pawns on the slice's squares; `both` as in pawns.h.
struct truth truth_of(const struct made_up *made, uint32_t slice, bool both, int side, const uint8_t *square);

#endif
