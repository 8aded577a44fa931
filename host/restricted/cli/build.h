// build.h - what `cltb build` does for a restricted endgame
#ifndef CLTB_RESTRICTED_CLI_BUILD_H
#define CLTB_RESTRICTED_CLI_BUILD_H

#include "cli/options.h"
#include "restricted/spec.h"

struct restricted_request {
    const char *file;        // of the spec; NULL: the men are in an argument
    const char *prune;       // "white discard P=[RNB]; black concede KxP"
    const char *futurebases; // "a.cltb,b.cltb:invert"
    const char *output;
};

// Is this argument a list of men rather than a table's name?
bool is_restricted(const char *word);

// EXIT_DONE and the whole spec, or the exit status after a message.
int read_restricted(struct spec *spec, const struct restricted_request *request, const struct arguments *names);

// A warning for each prune rule that matched nothing.
void warn_idle_rules(const struct spec *spec, uint64_t idle);

#endif
