// table_job.h - one table of a build: what is made and where, and what its makers have in common
#ifndef CLTB_MAKE_TABLE_JOB_H
#define CLTB_MAKE_TABLE_JOB_H

#include "futurebase/futurebases.h"
#include "make/job.h"
#include "make/longest.h"
#include "make/plan.h"
#include "solve/solver.h"
#include "syzygy/write/write.h"
#include "table/write/write_table.h"
#include "util/os.h"
#include "util/peers.h"

struct room;

struct table_job {
    struct build_job job;           // with the event, which the makers fill in
    const struct plan_table *table; // what to make; with neither `write` nor `syzygy` it is only solved
    size_t kept;                    // bytes of arrays that are kept from one table to the next if several are in work
    uint64_t batch_bytes;           // of a plane of a batch of slices; 0: what suits the device
    struct syzygy_target syzygy;
    struct room *room;             // with a limit of disk; NULL: there is none
    struct statistics *statistics; // NULL: none are kept
    // Adds up what has been found of a table, once it is written; *whole becomes false if that is not all of it. NULL:
    // there is nothing to do.
    int (*join_statistics)(void *join_context, bool *whole);
    void *join_context;
    char name[MATERIAL_NAME_MAX];
    char work[PATH_MAX];         // file of a table with pawns or with its planes on disk, from which it resumes
    struct backend *streamed;    // whose planes are on disk, while it is open
    struct peer_traffic traffic; // until work on this table began
    double planned;              // seconds of all tables
    double planned_done;         // of those that have been made; share.c counts them if several are in work
};

// Three makers. Each reports everything from BUILD_START on, solves the table, counts it and writes its files.
int memory_table_make(struct table_job *making);   // no pawns; all planes are in memory, or on the device
int streamed_table_make(struct table_job *making); // no pawns; planes are on disk for lack of memory
int pawn_table_make(struct table_job *making);     // slice by slice, with a work file

// Begins a table: sets making->table and the event.
void table_job_begin(struct table_job *making, const struct plan_table *table);

// The side whose longest lines the iteration gives: not the one whose distances are kept in any case. -1: both sides
// have the same men.
int table_job_longest_side(const struct table_job *making);

// Opens the table's statistics, if it keeps any. Close them even after an error.
int table_job_open_statistics(struct table_job *making);
void table_job_close_statistics(struct table_job *making);

// ---- for the makers ----

// The part of making->kept that serves this table: no more than solving takes.
size_t table_job_kept(const struct table_job *making);

bool table_job_writes(const struct table_job *making);
struct stored_tables table_job_futurebases(const struct table_job *making);
struct solver_options table_job_solver_options(struct table_job *making);

// `memory`: bytes that the writer may use; 0: no limit.
struct write_options table_job_write_options(struct table_job *making, uint64_t memory);

// Writes the files. The content must have all distances that any of them needs.
int table_job_write(struct table_job *making, struct content *content, struct write_options *options);

// Counts the longest lines that a struct longest_watch gives; the context is the struct table_job.
int table_job_longest(void *making, struct backend *backend, const struct solver_longest *longest);

// Report BUILD_PLY (the context is the struct table_job), BUILD_SOLVED, and BUILD_DONE if there are files.
int table_job_ply(void *making, const struct solver_ply *ply);
int table_job_solved(struct table_job *making);
int table_job_done(struct table_job *making);

// Notes in the event what has been read, written and sent.
void table_job_note_traffic(struct table_job *making);

#endif
