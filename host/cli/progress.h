// progress.h - what `cltb build` shows while it works
//
// A line for every table on standard output, and before them what solves them; with `verbose` one for every ply. If
// standard error is a terminal, a bar in its last line that moves with the work. At the end a line of figures. Quiet:
// nothing of all this.
#ifndef CLTB_CLI_PROGRESS_H
#define CLTB_CLI_PROGRESS_H

#include "make/build.h"

enum { PROGRESS_BACKENDS_MAX = 4 };

struct progress {
    bool quiet;
    bool verbose;
    bool many;       // all tables of some size were asked for: an existing one is not worth a line
    bool other_kind; // a table that is there may not be of the kind that was asked for
    bool bar;        // standard error is a terminal
    bool bar_shown;  // its last line holds the bar
    char backend[PROGRESS_BACKENDS_MAX][256]; // what has been said to solve
    int backends;
    char label[50 + 2560]; // of the table in work, with its number
    double start;          // wall time
    double last_bar;       // when it was drawn last
    unsigned made;         //
    unsigned present;      //
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

#endif
