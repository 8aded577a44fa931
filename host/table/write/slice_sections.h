// slice_sections.h - solved slices in the order of a file, some sections at a time
#ifndef CLTB_TABLE_WRITE_SLICE_SECTIONS_H
#define CLTB_TABLE_WRITE_SLICE_SECTIONS_H

#include "index/pawns.h"
#include "solve/slices.h"
#include "table/write/sections.h"

// One slice, one side to move.
struct slice_view {
    struct slice_side planes;
    const solver_value (*value)[DISTANCE_CODES]; // [won][code]
};

// A solved endgame with pawns, whether in memory or in a file.
struct slices_source {
    struct material material;         // in standard colours
    const struct pawn_slices *slices; //
    const struct slab_shape *shape;   // the pieces in the order of the planes' digits
    bool kept[COLOURS];               // distances, by side to move
    const int (*longest)[5];          // [side to move], as in struct slices_result
    void *context;                    //
    // Gets some slices for one side to move; they are valid until the next call. Called by one thread at a time.
    int (*load)(void *context, int side, const uint32_t *slices, size_t count, struct slice_view *views);
};

// `context` is a const struct slices_source, and a section is a run of slices.
section_fill slice_sections_fill;

#endif
