// build.h - builds the table of a restricted endgame
#ifndef CLTB_RESTRICTED_MAKE_BUILD_H
#define CLTB_RESTRICTED_MAKE_BUILD_H

#include "make/options.h"
#include "make/plan.h"
#include "restricted/bases.h"

#include <limits.h>

// Parts of a spec that are not used: bit = prune rule that matches nothing, futurebase to which no move leads.
struct restricted_idle {
    uint64_t rules;
    uint64_t futurebases;
};

// Solves the endgame and writes its table to the file `output`; a name without '/' is a file in options->dir. NULL: the
// file named in the spec, otherwise the spec's name without blanks and with ".cltb". The futurebases are those of the
// spec and the full tables in options->search. An intact table of the same spec is kept (unless options->force); if the
// file is anything else, nothing is written: CLTB_E_FOREIGN.
//
// Every move that leaves the spec is looked at before anything is solved: CLTB_E_MISSING names the first one that no
// futurebase has and no prune rule matches. *idle (may be NULL) receives what is not used.
//
// A build that was stopped or killed leaves a work file, from which the next one with the same spec resumes.
//
// Events have the name of the spec and attacker -1.
int restricted_build(const struct spec *spec, const struct build_options *options, const char *output,
                     struct restricted_idle *idle);

// Where that work file is: beside the table or in options->scratch, with the name of the table's file and ".work".
int restricted_work_path(char path[PATH_MAX], const struct spec *spec, const struct build_options *options,
                         const char *output);

// What restricted_build() would do; estimates, except entries and memory.
struct restricted_plan {
    char name[SPEC_NAME_MAX];
    char path[PATH_MAX]; // of the file
    enum plan_state state;
    uint64_t entries;    // for both sides to move
    uint64_t slices;     // placements of the pawns
    uint64_t memory;     // bytes needed while it is solved
    uint64_t file_bytes; // exact if the file is present
    double seconds;      // wall time; 0 if the file is present
    int needed;          // full tables that leaving moves may need
    struct restricted_needed table[RESTRICTED_NEEDED_MAX];
};

// Writes nothing. The errors are those of restricted_build(), except for missing tables.
int restricted_plan(struct restricted_plan *plan, const struct spec *spec, const struct build_options *options,
                    const char *output);

#endif
