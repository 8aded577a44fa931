// plan_table.h - what a plan says of each table, and of all
#ifndef CLTB_MAKE_PLAN_TABLE_H
#define CLTB_MAKE_PLAN_TABLE_H

#include "index/material.h"
#include "make/ledger.h"
#include "make/options.h"
#include "make/plan_stream.h"

enum plan_state {
    PLAN_MAKE,    // to be made
    PLAN_REPLACE, // to be made, because the existing table is damaged, or lacks distances that others are made from
    // Present with an intact head; if the table is named or needed, its blocks are intact, too. Or, with a limit of
    // disk, only `gone`.
    PLAN_PRESENT
};

struct plan_table {
    struct material material; // standard colours
    enum plan_state state;
    bool named;    // requested, and not only a futurebase of another table
    bool needed;   // read by the making of another table
    bool source;   // of the distances to mate in another table that is made
    bool checked;  // the hashes of its blocks have been checked
    bool one_side; // PLAN_PRESENT: with the distances to mate of one side to move, not both
    bool reduce;   // in the end the file is reduced to the distances to mate of one side
    bool write;    // a file must be made; false: it is present, or the table is only solved
    bool syzygy;   // Syzygy files must be made
    // With a limit of disk (room.h):
    bool again;                // it has been made before; its file must then be the same
    bool gone;                 // it has been made before, and its file is not there
    bool may_go;               // its file may be removed, unless it is needed
    bool begun;                // an earlier run has left finished parts of it
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
    // With a limit of disk:
    struct ledger ledger;    // of the folder
    uint64_t disk_bytes;     // of all tables in the folder, now
    uint64_t disk_most;      // of files that are needed at once, with those of the table in work,
    struct material disk_at; // which is this one
    uint64_t disk_least;     // the least limit that can be held; 0: the given one can
    size_t made_again;       // tables that have been made before, or are made twice
};

#endif
