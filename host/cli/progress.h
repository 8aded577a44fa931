// progress.h - what `cltb build` shows while it works
//
// On standard error what solves the tables, and a line for each; with `verbose` one for every ply. If it is a terminal,
// a bar in its last line that moves with the work, the time that is left for all tables before it. At the end a line of
// figures on standard output. Quiet: nothing of all this.
#ifndef CLTB_CLI_PROGRESS_H
#define CLTB_CLI_PROGRESS_H

#include "make/build.h"

enum { PROGRESS_BACKENDS_MAX = 4 };

struct progress {
    bool quiet;
    bool verbose;
    bool many;       // all tables of some size were asked for: an existing one is not worth a line
    bool compiling;  // it has been said that kernels are compiled
    bool other_kind; // a table that is there may not be of the kind that was asked for
    bool bar;        // standard error is a terminal
    bool bar_shown;  // its last line holds the bar
    char backend[PROGRESS_BACKENDS_MAX][256]; // what has been said to solve
    int backends;
    char label[50 + 2560]; // of the table in work, with its number
    char holder[256];      // of the table for which the build waits
    double start;          // wall time
    double last_bar;       // when it was drawn last
    unsigned made;         //
    unsigned present;      //
    unsigned reduced;      // to the distances to mate of one side
    uint64_t saved_bytes;  // by that
    uint64_t file_bytes;   // of the tables made
    double solve_seconds;  // wall, of the tables made
    double write_seconds;  //
    double cpu_seconds;    // both
    size_t peak_memory;    //
};

void progress_begin(struct progress *progress, bool quiet, bool verbose);

void progress_event(struct progress *progress, const struct build_event *event);

// Takes the bar away, so that a message can be printed.
void progress_clear(struct progress *progress);

// The line of figures.
void progress_end(struct progress *progress);

// ---- one long job of a pool ----

// What threads_watch() calls with the pool: shows the share that is done in the last line of a terminal. NULL if
// standard error is none.
int (*progress_share(void))(void *pool);

// Takes that line away.
void progress_share_end(void);

#endif
