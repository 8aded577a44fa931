// build.h - builds the table of a restricted endgame
#ifndef CLTB_RESTRICTED_MAKE_BUILD_H
#define CLTB_RESTRICTED_MAKE_BUILD_H

#include "make/options.h"
#include "restricted/spec.h"

// Solves the endgame and writes its table to the file `output`; a name without '/' is a file in options->dir. NULL: the
// file that the spec names, else the spec's name without blanks and ".cltb". Futurebases are those of the spec and the
// full tables in options->search. An intact table of the same spec stays (unless options->force); if the file is
// anything else, nothing is written: CLTB_E_FOREIGN.
//
// Every move that leaves the spec is looked at before any solving: CLTB_E_MISSING names the first one that no
// futurebase has and no prune rule matches. *idle (may be NULL) gets a bit for each prune rule that matches nothing.
//
// Events have the name of the spec and attacker -1; slices count kept slices.
int restricted_build(const struct spec *spec, const struct build_options *options, const char *output, uint64_t *idle);

#endif
