// wildcards.h - futurebases whose names have wildcards
#ifndef CLTB_RESTRICTED_MAKE_WILDCARDS_H
#define CLTB_RESTRICTED_MAKE_WILDCARDS_H

#include "restricted/spec.h"

// Replaces each futurebase with `*` (any characters) or `?` (one character) in its file's name by the files with such
// names, in the order of their names: those in the given folder, or, if no folder is given, in the current one and in
// `folders`. Files of materials that no move out of the spec leads to are left out. CLTB_E_MISSING if none remains.
// The spec must be finished.
int restricted_expand(struct spec *spec, const char *folders);

#endif
