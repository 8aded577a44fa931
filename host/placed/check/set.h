// set.h - a set of placements of men, as the checks of a restricted table and of a file of structures see it
//
// Entries lie in sections. Each is a position for either side to move, unless that is illegal.
#ifndef CLTB_PLACED_CHECK_SET_H
#define CLTB_PLACED_CHECK_SET_H

#include "chess/position.h"
#include "chess/value.h"
#include "util/threads.h"

struct placed_entry {
    uint64_t section;
    uint64_t entry;
    struct position *position; // a visitor may change it
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

typedef int placed_visit(void *context, const struct placed_entry *at);

// Calls visit() for every legal position, section by section, from several threads at once. Stops at the first nonzero
// result and returns it.
int placed_each(const struct placed_set *set, struct thread_pool *pool, placed_visit *visit, void *context);

// The same for so many positions drawn at random, every section and every entry of it equally likely.
int placed_sample(const struct placed_set *set, uint64_t sample, uint64_t seed, struct thread_pool *pool,
                  placed_visit *visit, void *context);

#endif
