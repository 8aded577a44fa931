// bases.h - the futurebases of a restricted endgame, opened: for restricted/probe.c
#ifndef CLTB_RESTRICTED_BASES_H
#define CLTB_RESTRICTED_BASES_H

#include "restricted/probe.h"
#include "restricted/table.h"

// One of the spec's.
struct restricted_base {
    struct restricted_table *table; // NULL: a full table
    bool invert;                    // of a restricted one; a full table serves both orders of colours
    uint64_t shared;                // of a restricted one: bit = base that is a futurebase of its own endgame, too
    cltb_tables *set;               // a full table with those that its captures lead to
    bool owner;                     // closes the set
    char *folder;                   // of a set that it owns
};

// Never changes once it is open.
struct restricted_bases {
    char *folder_names;   // as given; "" if there are none
    cltb_tables *folders; // full tables; NULL: none
    int count;
    struct restricted_base base[SPEC_FUTUREBASES_MAX];
    // Bit = base whose material a leaving move gives, by the side that moves, the type captured and the type promoted
    // to; KING: none.
    uint64_t serving[COLOURS][PIECE_TYPES][PIECE_TYPES];
    // Where all identical pieces may stand; 0: their sets differ.
    uint64_t common[COLOURS][PIECE_TYPES];
};

_Static_assert((int)SPEC_FUTUREBASES_MAX <= 64, "a bit for each base");

#endif
