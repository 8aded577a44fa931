// build.h - builds the table of a restricted endgame
#ifndef CLTB_RESTRICTED_MAKE_BUILD_H
#define CLTB_RESTRICTED_MAKE_BUILD_H

#include "make/options.h"
#include "restricted/spec.h"

#include <limits.h>

// Solves the endgame and writes its table to `output`: a file name; without a '/' in it, in options->dir. Futurebases: those of the spec,
// and the full tables in options->search. A sound table of the same spec that is there stays (unless options->force); of another spec, or
// something else: CLTB_E_FOREIGN, and nothing is written.
//
// Before any solving every move that leaves the spec is looked at: CLTB_E_MISSING names the first one that no futurebase has and no
// prune rule matches. Prune rules that match nothing: their numbers' bits in *idle (may be NULL).
//
// Events have the name of the spec and attacker -1; slices count kept slices.
int restricted_build(const struct spec *spec, const struct build_options *options, const char *output, uint64_t *idle);

// Where restricted_build() writes. `output` NULL: the spec's own, else its name without blanks and ".cltb".
int restricted_path(char path[PATH_MAX], const struct spec *spec, const char *dir, const char *output);

#endif
