// events.h - the events of a build, as JSON for programs that wrap it: one object a line on standard output
#ifndef CLTB_CLI_EVENTS_H
#define CLTB_CLI_EVENTS_H

#include "make/build.h"

struct events {
    bool all;    // every ply and part of a file; else at most ten lines a second about those
    double last; // when the last one of these was printed
    double start;
    uint64_t made;
    uint64_t present;
    uint64_t bytes; // of the files made
};

void events_begin(struct events *events, bool all);
void events_print(struct events *events, const struct build_event *event);

// The last line. `status`: "done", "failed" or "interrupted"; `error`: a sentence, or NULL.
void events_end(const struct events *events, const char *status, const char *error);

#endif
