// progress.h - what `cltb build` shows while it works
//
// Standard error gets a line that names the backend, and a line for each table, with `verbose` also for every ply. On a
// terminal its last line has the time left for all tables, and a bar that moves with the work; elsewhere a table that
// takes long gets a line now and then. At the end standard output gets a line of figures. Quiet: none of this.
#ifndef CLTB_CLI_PROGRESS_H
#define CLTB_CLI_PROGRESS_H

#include "make/build.h"

enum { PROGRESS_BACKENDS_MAX = 4 };

struct progress {
    bool quiet;
    bool verbose;
    bool events;     // events as JSON on standard output: at most ten of plies and of parts of files
                     // a second unless verbose
    bool many;       // all tables of some size were requested: existing ones get no line
    bool compiling;  // the message about compiling kernels has been printed
    bool other_kind; // an existing table may be of another kind than requested
    bool bar;        // standard error is a terminal
    bool bar_shown;  // the bar is on the terminal's last line
    char backend[PROGRESS_BACKENDS_MAX][256]; // backends already printed
    int backends;
    char label[50 + 2560]; // the current table, with its number
    char holder[256];      // of the table that the build waits for
    double start;          // wall time
    double last_bar;       // when the bar was last drawn
    double last_event;     // when an event of the frequent ones was last printed
    double line_due;       // without a terminal: for progress_due()
    unsigned made;         //
    unsigned present;      //
    unsigned reduced;      // tables reduced to the distances to mate of one side
    uint64_t saved_bytes;  // by reducing them
    uint64_t file_bytes;   // of the tables made
    double solve_seconds;  // wall, of the tables made
    double write_seconds;  //
    double cpu_seconds;    // both
    size_t peak_memory;    //
};

// Without a terminal: is a line due after these seconds of some work? One is due after 10 seconds, and then whenever
// the time has doubled or 10 minutes have passed. *due is the time of the next one; 0 at the beginning.
bool progress_due(double *due, double seconds);

// The build begins; nothing is printed yet. Other members of `progress` may be set afterwards.
void progress_begin(struct progress *progress, bool quiet, bool verbose);

// Prints what an event is worth: a line, a new state of the bar, or nothing.
void progress_event(struct progress *progress, const struct build_event *event);

// Removes the bar, so that a message can be printed.
void progress_clear(struct progress *progress);

// The line of figures.
void progress_end(struct progress *progress);

// With `events`: the last line. `status`: "done", "failed" or "interrupted"; `error`: a sentence, or NULL.
void progress_events_end(const struct progress *progress, const char *status, const char *error);

// ---- one long job of a pool ----

// The function for threads_watch(), which calls it with the pool; it shows the finished share on the last line of the
// terminal, or prints a line now and then if standard error is none.
int (*progress_share(void))(void *pool);

// Removes the last line; the next job begins.
void progress_share_end(void);

#endif
