// events.h - the events of a build, as JSON for programs that wrap it: one object a line on standard output
#ifndef CLTB_CLI_EVENTS_H
#define CLTB_CLI_EVENTS_H

#include "make/build.h"

struct events {
    bool all;    // print every ply and part of a file; otherwise at most ten such lines a second
    double last; // when the last such line was printed
    double start;
    uint64_t made;
    uint64_t present;
    uint64_t bytes; // of the files that were made
};

void events_begin(struct events *events, bool all);
void events_print(struct events *events, const struct build_event *event);

// Prints the last line. `status`: "done", "failed" or "interrupted"; `error`: a sentence, or NULL.
void events_end(const struct events *events, const char *status, const char *error);

#endif
