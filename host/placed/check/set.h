// set.h - a set of placements of men, as the checks of a restricted table and of a file of structures see it
//
// Entries lie in sections. Each is a position for either side to move, unless that is illegal. All or some of them are
// compared with what follows from the legal moves, or counted.
#ifndef CLTB_PLACED_CHECK_SET_H
#define CLTB_PLACED_CHECK_SET_H

#include "chess/fen.h"
#include "chess/value.h"
#include "table/table.h"
#include "util/threads.h"

struct placed_entry {
    uint64_t section;
    uint64_t entry;
    struct position *position; // the functions below may change it
    int worker;
};

struct placed_set {
    void *context;
    uint64_t sections;
    int runs; // values of a position: 2 if there are two bounds (structures/store.h), otherwise 1
    uint64_t (*entries)(void *context, uint64_t section);
    // Sets the position of an entry. False: it is illegal.
    bool (*place)(void *context, uint64_t section, uint64_t entry, int side, struct position *position);
    // The number of positions on the board that an entry stands for; 0 if another entry stands for them.
    unsigned (*weight)(void *context, const struct placed_entry *at);
    int (*value)(void *context, const struct placed_entry *at, int run, struct cltb_value *value);
    // The value that follows from the legal moves, as far as they stay within the set from other values.
    int (*derive)(void *context, struct position *position, int run, struct cltb_value *value);
    // What else is to be checked of a position that has this value; may be NULL.
    int (*also)(void *context, const struct placed_entry *at, struct cltb_value value);
};

// Calls visit() for every legal position, section by section, from several threads at once. Stops at the first nonzero
// result and returns it.
typedef int placed_visit(void *context, const struct placed_entry *at);
int placed_each(const struct placed_set *set, struct thread_pool *pool, placed_visit *visit, void *context);

// ---- verifying ----

struct placed_verify_options {
    uint64_t sample; // 0: every position; else so many, every section and every entry of it equally likely
    uint64_t seed;   // of the sample
    struct thread_pool *pool;
};

// Returns 0; CLTB_E_MISMATCH with a sentence about the first wrong position (FEN, stored and right value); or another
// negative code. *positions: the number checked.
int placed_verify(const struct placed_set *set, const struct placed_verify_options *options, uint64_t *positions);

// CLTB_E_MISMATCH: the table's value of the position contradicts another one.
int placed_contradiction(const struct position *position, struct cltb_value value, struct cltb_value other,
                         const char *says);

// ---- counting ----

struct longest_count {
    int plies; // -1: there is none
    char fen[FEN_MAX];
};

// By side to move and outcome + 2.
struct outcome_counts {
    uint64_t count[COLOURS][TABLE_OUTCOMES][TABLE_PLY_MAX + 1]; // [dtz]; draws: 0
    struct longest_count longest[COLOURS][TABLE_OUTCOMES];      // no draws; of all such positions the first FEN
    uint64_t undecided[COLOURS];                                // the outcome is not proved; these count nowhere else
    uint64_t bounds[COLOURS];                                   // the distance is not proved: the shorter one counts
};

// Looks at every entry. Each placement on the board counts once, without the right to capture en passant: symmetric
// images count separately, identical pieces do not.
int placed_count(struct outcome_counts *counts, const struct placed_set *set, struct thread_pool *pool);

#endif
