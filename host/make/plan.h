// plan.h - which tables a build has to make, in what order, and what that takes
//
// The futurebases of an endgame are those that a capture or a promotion leads to; theirs are needed as well (a promotion
// that captures leads to a futurebase of a futurebase), down to three men. A plan holds each of them once, every table
// behind its own futurebases and as close to them as the walk allows, so that what it reads was written or read lately.
// Only one table is in memory at a time.
//
// Figures are estimates, but for the numbers of entries and what is said of tables that are there.
#ifndef CLTB_MAKE_PLAN_H
#define CLTB_MAKE_PLAN_H

#include "make/options.h"
#include "make/plan_stream.h"

enum { PLAN_FUTUREBASES_MAX = 18 }; // a capture of each kind of man but kings, 4 promotions of each side

// The rates that estimates are made with.
struct plan_rates {
    double solve[2];        // entries of the solver's index (both sides to move) a second of one processor; [1: pawns]
    double write[2];        // entries of the file a second of one processor
    double write_best;      // how many times longer writing takes with build_options.best
    double table_seconds;   // of every table: files opened and synced
    double more_processors; // what each processor after the first adds, as a part of it
    double table_bytes;     // of every file
    double file_bits[2][2]; // bits of the file for each of its entries: [1: pawns][1: one side is far stronger]
    double disk;            // bytes a second of the scratch files' disk
    double disk_plies;      // dense plies that move as much as a table does in all (planes on disk)
    double work_bits;       // bits of the work file for each entry of the index (tables with pawns)
};

extern const struct plan_rates plan_measured_rates;

enum plan_state {
    PLAN_MAKE,    // to be made
    PLAN_REPLACE, // there is a table, but damaged: to be made
    PLAN_PRESENT  // there is a table with a sound head; all its blocks are sound if it is named or needed
};

struct plan_table {
    struct material material; // standard colours
    enum plan_state state;
    bool named;                // asked for, not only somebody's futurebase
    bool needed;               // read by the making of another table
    bool checked;              // the hashes of its blocks are right
    bool write;                // a file is to be made; false: it is there, or is only to be solved
    char *reason;              // PLAN_REPLACE: what is wrong with the file
    uint64_t entries;          // of the solver's index, both sides to move
    struct plan_stream stream; // without pawns
    uint64_t memory;           // bytes while it is made
    uint64_t work_bytes;       // of the work file or the scratch files, which are there until the table is made
    uint64_t file_bytes;       // of the table's file; exact if it is there
    double seconds;            // wall; 0 if nothing is to be done
};

struct plan {
    struct plan_table *table; // [count] in the order in which they are made
    size_t count;             //
    size_t to_make;           // tables, those to be solved only included
    size_t to_write;          //
    uint64_t memory;          // of the table that needs most
    uint64_t work_bytes;      //
    uint64_t file_bytes;      // of all tables to be written
    uint64_t present_bytes;   // of all tables that are there
    double seconds;           //
};

// The plan for some materials (standard colours; one may come twice). Looks at the folders and writes nothing. A table of
// another endgame or version under one of these names, or no table at all, is an error.
int plan_make(struct plan **plan, const struct material *materials, size_t count, const struct build_options *options);

// The same; what a plan made just before for the same has read and found sound is not read again (NULL: all is).
int plan_make_again(struct plan **plan, const struct material *materials, size_t count,
                    const struct build_options *options, const struct plan *before);
void plan_free(struct plan *plan);

// Can all of it be made? CLTB_E_MEMORY or CLTB_E_USAGE with a sentence that names the first table that cannot.
int plan_check(const struct plan *plan, const struct build_options *options);

// The materials (standard colours, 3 men at least) that a capture or a promotion leads to; returns how many.
int plan_futurebases(const struct material *material, struct material futurebases[PLAN_FUTUREBASES_MAX]);

// Placements of the pawns without mirror images; `*most`: of those with equal total advance, at most (may be NULL).
uint64_t plan_slices(const struct material *material, uint64_t *most);

// Which distances the solver keeps: those of the stronger side, with which to move a distance stream is as a rule two
// to three times smaller (docs/performance.md), or of both sides where both are to be stored, or the smaller stream is
// to be found by trying. With the same men on both sides only White to move is stored.
struct plan_distances {
    bool keep[COLOURS];
    int last_attacker; // struct solver_options
};
struct plan_distances plan_distances(const struct material *material, const struct build_options *options);

// Bytes while solving; `write`: for a file.
uint64_t plan_memory_bytes(const struct material *material, const struct build_options *options, bool write);

#endif
