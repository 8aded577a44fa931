// build.h - making tables: futurebases first, solve, write
#ifndef CLTB_MAKE_BUILD_H
#define CLTB_MAKE_BUILD_H

#include "index/material.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum build_event_kind {
    BUILD_PRESENT, // a sound table that was asked for is there already: nothing to do
    BUILD_REPLACE, // a table is there that is damaged: it is made anew
    BUILD_START,   // a table is begun
    BUILD_PLY,     // a ply is done
    BUILD_WINDOW,  // a part of a ply is done
    BUILD_SOLVED,  //
    BUILD_WRITE,   // a part of the file is done
    BUILD_DONE,    // the file is in its place
    BUILD_LEFT     // work files of this table, which is there, lie in a scratch folder that may be others' as well
};

struct build_event {
    enum build_event_kind kind;
    const char *name;         // of the table
    const char *backend;      // what solves it, one line; NULL: not known yet
    const char *reason;       // BUILD_REPLACE: what is wrong with the file that is there
    bool solve_only;          // nothing is written of this table: BUILD_SOLVED is its last event
    size_t table;             // 1, 2, ...: which one of those that are made, and of how many
    size_t tables;            // (0 and 0 with BUILD_PRESENT)
    uint64_t positions;       // entries of the index, both sides to move
    bool streamed;            // its planes are on disk
    bool goes_on;             // from the work of an earlier run,
    bool goes_on_older;       // whose last checkpoint is damaged
    bool begun_anew;          // in spite of such work: all its checkpoints are damaged
    uint64_t disk_read;       // bytes, from BUILD_PLY on
    uint64_t disk_written;    //
    uint64_t scratch_bytes;   // that lay on disk at most
    const char *left_dir;     // BUILD_LEFT: the scratch folder
    uint64_t left_bytes;      //
    uint64_t slices_done;     // of a table with pawns; else 0
    uint64_t slices_total;    //
    uint64_t slices_resumed;  // of those done: by an earlier run that was stopped
    int attacker;             // BUILD_PLY: whose wins; -1: both sides'
    int ply;                  //
    uint64_t won;             // new ones
    uint64_t lost;            //
    double share;             // of this table's solving (BUILD_PLY) or writing (BUILD_WRITE), 0..1
    double seconds;           // since BUILD_START
    double solve_seconds;     // wall, from BUILD_SOLVED on
    double solve_cpu_seconds; //
    double write_seconds;     // BUILD_DONE
    double write_cpu_seconds; //
    uint64_t file_bytes;      // BUILD_DONE, BUILD_PRESENT
    size_t peak_memory;       // bytes that the process has held at most
};

struct build_options {
    const char *dir;    // where tables are written
    const char *search; // folders where they are read, with ':' between them; NULL: dir
    const char *device; // "auto", "cpu" or a number as `cltb devices` gives it; NULL is "auto"
    const char *isa;    // instruction set of the CPU backend, NULL: the best
    int threads;        // 0: as many as there are processors
    uint64_t
        memory; // bytes that a build may use; 0: all that the machine has. A pawnless table that needs more is solved with
                // its planes on disk; too little even for that is an error before any work
    const char *scratch; // folder for what is on disk only while a table is made; NULL: `dir`
    uint64_t block;    // least bytes of blocks on disk (more memory may be needed: an error); 0: 4 MiB if memory allows
    double checkpoint; // seconds between the checkpoints of a table that is solved on disk; 0: after every ply
    bool force;        // make the tables asked for even if they are there
    bool both_sides;   // store distances for both sides to move
    bool best;         // smallest file instead of the fastest good one
    bool solve_only; // stop after BUILD_SOLVED: nothing is written (for benchmarks; futurebases are made all the same)
    // Called from the calling thread. A non-zero result stops the work: CLTB_E_INTERRUPTED, and nothing half-written
    // stays but the work file of a table with pawns, from which the next run goes on.
    int (*event)(void *context, const struct build_event *event);
    void *context;
};

// Fills in the time since `start` and the memory and calls options->event. CLTB_E_INTERRUPTED, with the name of what is being
// built, if that says so.
int build_emit(const struct build_options *options, struct build_event *event, enum build_event_kind kind, double start,
               const char *name);

// Makes the tables of some materials (standard colours), and all their missing futurebases first: make/plan.h has the
// order. Two runs in one folder at the same time: the second one fails, unless it has nothing to write.
int build_tables(const struct material *materials, size_t count, const struct build_options *options);

// The same for one.
int build_table(const struct material *material, const struct build_options *options);

#endif
