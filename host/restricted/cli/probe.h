// probe.h - `cltb probe --table FILE`: what positions of a restricted table are worth
#ifndef CLTB_RESTRICTED_CLI_PROBE_H
#define CLTB_RESTRICTED_CLI_PROBE_H

#include "kind/kind.h"

// Opens what answers positions (kind/kind.h).
int restricted_probe(struct prober *prober, const struct probe_request *request);

// Where the futurebases of a table are looked for: its own folder first, then these. To be freed; NULL: no memory.
char *restricted_folders(const char *path, const char *folders);

#endif
