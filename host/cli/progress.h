// progress.h - what `cltb build` shows while it works
//
// A line for every table on standard output; with `verbose` one for every ply. If standard error is a terminal, a bar
// in its last line that moves with the plies. At the end a line of figures. Quiet: nothing of all this.
#ifndef CLTB_CLI_PROGRESS_H
#define CLTB_CLI_PROGRESS_H

#include "build/build.h"

struct progress {
    bool quiet;
    bool verbose;
    bool solve_only;      // a table ends when it is solved
    bool bar;             // standard error is a terminal
    bool bar_shown;       // its last line holds the bar
    const char *wanted;   // the table that the user asked for (its being there already is worth a line)
    double start;         // wall time
    double last_bar;      // when it was drawn last
    unsigned made;        //
    unsigned present;     //
    uint64_t file_bytes;  // of the tables made
    double solve_seconds; // wall, of the tables made
    double write_seconds; //
    double cpu_seconds;   // both
    size_t peak_memory;   //
};

void progress_begin(struct progress *progress, bool quiet, bool verbose);

void progress_event(struct progress *progress, const struct build_event *event);

// Takes the bar away, so that a message can be printed.
void progress_clear(struct progress *progress);

// The line of figures.
void progress_end(struct progress *progress);

#endif
