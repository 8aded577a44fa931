// job.h - what all makers of tables have in common: device, lock, events, times
//
// A maker of a kind of table embeds a struct build_job and calls, for each table, job_begin(), then job_emit() with
// BUILD_START and BUILD_PLY, job_solved(), and while and after writing job_on_write() and job_done(). A maker of single
// tables leaves the sequence to job_make_table().
#ifndef CLTB_MAKE_JOB_H
#define CLTB_MAKE_JOB_H

#include "make/device.h"
#include "make/folder.h"
#include "make/lease.h"
#include "make/options.h"
#include "util/threads.h"

#include <limits.h>

struct build_job {
    const struct build_options *options;
    struct thread_pool *pool;
    struct device_choice device;  // chosen before any work
    struct folder *folder;        // locked; NULL: nothing is written
    struct lease *lease;          // of the table, if several processes work in the folder; otherwise NULL
    struct build_event event;     // of the current table
    double start;                 // when it was begun, wall time
    double cpu_start;             //
    struct device_times compiled; // up to that moment
    char path[PATH_MAX];          // of the table's file
    char reason[256];             // memory for event.reason, if it needs any
};

// Begins a table: clears the event, except for the numbers of tables, and starts the clocks. `name` must stay valid.
void job_begin(struct build_job *job, const char *name, uint64_t positions, bool solve_only);

// CLTB_E_IO if another process has taken over the lease of the current table.
int job_check_lease(const struct build_job *job);

// Calls options->event. CLTB_E_INTERRUPTED, with the name of the table, if the result is nonzero; CLTB_E_IO if another
// process has taken over the job's lease.
int job_emit(struct build_job *job, enum build_event_kind kind);

// BUILD_WINDOW of the job `context`: for work that takes long.
int job_window(void *context);

// Must be called when job->device cannot be opened. True: nobody asked for that device, so use the processor from now
// on; BUILD_FALLBACK has then reported why.
bool job_falls_back(struct build_job *job);

// Opens a backend on the job's device, or on the processor if it falls back. `tiles`: as with device_open().
int job_open_backend(struct build_job *job, const struct layout *layout, uint64_t tiles, struct backend **backend);

// The first reports BUILD_SOLVED, with the time since job_begin(); the second BUILD_DONE, with the time since then.
int job_solved(struct build_job *job);
int job_done(struct build_job *job);

// Reports BUILD_WRITE; for writers, whose context is the job.
int job_on_write(void *job, double share);

// The folders in which tables are read, and the folder for files that exist only while a table is made.
const char *job_search(const struct build_options *options);
const char *job_scratch(const struct build_options *options);

// ---- single tables ----

// The steps of one kind of table; `job` is the first field of the maker's own struct.
struct job_steps {
    // Is an intact table present? 0, with event.file_bytes; CLTB_E_MISSING; CLTB_E_CORRUPT: it must be rebuilt; or
    // another error.
    int (*look)(struct build_job *job);
    int (*check)(struct build_job *job);  // before any work; NULL: there is nothing to check
    int (*solve)(struct build_job *job);  // from BUILD_START on
    int (*write)(struct build_job *job);  // writes the file, unless the table is only solved
    void (*close)(struct build_job *job); // frees what the other steps took, whatever their result
};

// Makes the table job->path. An intact table that is present is kept, unless options->force. The folder is locked
// meanwhile. The job must be zero except for `options`, `path` and what job_begin() has set.
int job_make_table(struct build_job *job, const struct job_steps *steps);

#endif
