// plan_material.h - what a plan knows of a table from its material alone
#ifndef CLTB_MAKE_PLAN_MATERIAL_H
#define CLTB_MAKE_PLAN_MATERIAL_H

#include "index/material.h"
#include "make/options.h"

enum {
    PLAN_FUTUREBASES_MAX = 18,               // a capture of each kind of man but kings, 4 promotions of each side
    PLAN_CAPTURE_BASES_MAX = 2 * (5 + 4 * 4) // a capture of each kind of man; 4 promotions that capture each of 4
};

// The materials (standard colours, at least 3 men) that a capture or a promotion leads to. Returns how many.
int plan_futurebases(const struct material *material, struct material futurebases[PLAN_FUTUREBASES_MAX]);

// Those that captures lead to, promotions by capture included: a table that is read is completed with them
// (table/table.h).
int plan_capture_bases(const struct material *material, struct material bases[PLAN_CAPTURE_BASES_MAX]);

// Placements of the pawns, mirror images counted once. *most: the largest number of them with equal total advance (may
// be NULL).
uint64_t plan_slices(const struct material *material, uint64_t *most);

// Entries of the solver's index, both sides to move. `layout`: flags of layout_init(), for one without pawns.
uint64_t plan_index_entries(const struct material *material, unsigned layout);

// Entries of the file: identical pieces are stored once, and with the same men on both sides so is one side to move.
double plan_file_entries(const struct material *material);

// Bytes of the file, an estimate.
double plan_file_bytes(const struct material *material);

// The same for its two Syzygy files.
double plan_syzygy_bytes(const struct material *material);

// Which distances the solver keeps: those of the stronger side, whose stream is usually two to three times smaller
// (docs/performance.md), or of the other one where that loses little, or of both sides if both are to be stored or the
// smaller stream is to be found by trying. With the same men on both sides only White to move is stored. Syzygy files
// need both; what may be in the .cltb file, whose bytes do not depend on them, is known with `syzygy` false.
struct plan_distances {
    bool keep[COLOURS];
    int kept;          // the side whose distances are kept in any case
    int last_attacker; // struct solver_options
};
struct plan_distances plan_distances(const struct material *material, const struct build_options *options, bool syzygy);

// What is written of a table; a sum of these is `files`, and 0 means that it is only solved.
enum {
    PLAN_TABLE = 1, // NAME.cltb
    PLAN_SYZYGY = 2 // NAME.rtbw and NAME.rtbz
};

#endif
