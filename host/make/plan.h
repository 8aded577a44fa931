// plan.h - the tables that a build has to make, their order, and the resources that they take
//
// The futurebases of an endgame are the tables that a capture or a promotion leads to. Theirs are needed as well (a
// promotion by capture leads to a futurebase of a futurebase), down to three men. A plan lists each table once, in
// dependency order: after its own futurebases and as close to them as possible, so that the files it reads were written
// or read recently. Several tables are made at the same time if threads and memory allow it, or on several devices
// (share.h).
//
// Figures are estimates, except for numbers of entries and figures of tables that are present.
#ifndef CLTB_MAKE_PLAN_H
#define CLTB_MAKE_PLAN_H

#include "index/material.h"
#include "make/options.h"
#include "make/plan_stream.h"

enum plan_state {
    PLAN_MAKE,    // to be made
    PLAN_REPLACE, // to be made, because the existing table is damaged, or lacks distances that others are made from
    PLAN_PRESENT  // present with an intact head; if the table is named or needed, its blocks are intact, too
};

extern const char *const plan_state_name[]; // by enum plan_state: "make", "replace", "present"

struct plan_table {
    struct material material; // standard colours
    enum plan_state state;
    bool named;                // requested, and not only a futurebase of another table
    bool needed;               // read by the making of another table
    bool source;               // of the distances to mate in another table that is made
    bool checked;              // the hashes of its blocks have been checked
    bool one_side;             // PLAN_PRESENT: with the distances to mate of one side to move, not both
    bool reduce;               // in the end the file is reduced to the distances to mate of one side
    bool write;                // a file must be made; false: it is present, or the table is only solved
    bool syzygy;               // Syzygy files must be made
    char *reason;              // PLAN_REPLACE: what is wrong with the file
    uint64_t entries;          // of the solver's index, both sides to move
    struct plan_stream stream; // of a pawnless table
    uint64_t memory;           // bytes needed to make it
    uint64_t work_bytes;       // of the work file or the scratch files, which exist until the table is made
    uint64_t file_bytes;       // of the table's file; exact if it is present
    uint64_t syzygy_bytes;     // of its Syzygy files, if they must be made
    double seconds;            // wall time; 0 if there is nothing to do
    double solve_seconds;      // part of them
};

struct plan {
    struct plan_table *table; // [count] in dependency order
    size_t count;             //
    size_t room;              // of `table`
    size_t to_make;           // tables, including those that are only solved
    size_t to_write;          //
    size_t to_reduce;         // of those that are present
    int at_once;              // tables that may be made at the same time, also on one device
    uint64_t at_once_memory;  // if together they need no more than this
    uint64_t memory;          // of the table that needs most
    uint64_t work_bytes;      // of the table that needs most, and of all tables that are removed in the end
    uint64_t file_bytes;      // of all files to be written, Syzygy files included
    uint64_t present_bytes;   // of all tables that are present
    double seconds;           //
};

// Makes the plan for some materials (standard colours; repetitions are allowed). Looks at the folders and writes
// nothing. It is an error if a file with one of these names is a table of another endgame or version, or not a table.
// Tables that an earlier plan for the same materials has read and found intact are not read again (`before` == NULL:
// all are read).
int plan_make(struct plan **plan, const struct material *materials, size_t count, const struct build_options *options,
              const struct plan *before);
void plan_free(struct plan *plan);

// How many of so many tables of at most `men` men are made at a time on one device with `memory` bytes (0: unknown), by
// so many threads. A table of up to five men is taken to need PLAN_DEVICE_TABLE bytes there.
#define PLAN_DEVICE_TABLE ((uint64_t)2 << 30)
int plan_on_device(size_t tables, int men, int threads, uint64_t memory);

// The bytes that may be used. Without a limit, a little is left to other programs.
uint64_t plan_memory(const struct build_options *options);

// Can everything be made? CLTB_E_MEMORY or CLTB_E_USAGE with a sentence that names the first table that cannot.
int plan_check(const struct plan *plan, const struct build_options *options);

#endif
