// external.h - what decides the moves of restricted endgames: slabs, rules, or an evaluation of each position
//
// An entry's external code is the worth of its external moves: 0 if there are none, else the best of them as a value
// (restricted/table.h), RESTRICTED_DRAW for a draw.
#ifndef CLTB_RESTRICTED_MAKE_EXTERNAL_H
#define CLTB_RESTRICTED_MAKE_EXTERNAL_H

#include "restricted/make/frame.h"
#include "restricted/probe.h"
#include "util/threads.h"

// What has the positions after moves that leave the endgame, or capture or promote.
enum move_source {
    SOURCE_NONE,  // it depends on the position
    SOURCE_BASES, // futurebases of the spec have some
    SOURCE_FIRST, // a full table that is a futurebase of the spec, so that rules do not matter
    SOURCE_DRAWN, // nobody can win
    SOURCE_TABLE  // a full table in the folders
};

// The external codes of all slices of an index.
struct externals {
    const struct restricted_index *index;
    struct restricted_bases *bases;
    struct thread_pool *pool;
    enum move_source source[COLOURS][PIECE_TYPES][PIECE_TYPES]; // [mover][captured][promoted to]; KING: none
    bool apart[COLOURS][PIECE_TYPES];       // such pieces that leave their sets must be evaluated one by one
    uint16_t *(*code)[COLOURS];             // [slices] by side to move: [slice_entries], or NULL
    uint32_t *parts;                        // [slices] of EXTERNALS_PART entries that externals_look() need not look at
    struct position *scratch;               // [threads]
    const struct restricted_values *solved; // of pawn moves within the endgame
    int (*stop)(void *context);             // called in between: an error ends the work
    // Called before that, when the codes of a part of a slice have been found, pawn moves within the endgame excepted.
    int (*found)(void *context, uint32_t slice, uint32_t part);
    void *context;
};

enum { EXTERNALS_PART = 1 << 19 }; // about a second's work

// Both are wanted after an error, too. CLTB_E_CORRUPT, ... for a table in the folders.
int externals_open(struct externals *externals);
void externals_close(struct externals *externals);

// The entries of all slices that have codes, each 2 bytes.
uint64_t externals_entries(const struct externals *externals);

// The worth of a move; `within`: it stays in the endgame, and neither captures nor promotes. WORTH_NONE with *external:
// each position must be looked at, because futurebases have some, nothing has them, or their distances count.
enum slice_worth externals_worth(const struct externals *externals, const struct slice_question *question, bool within,
                                 bool *external);

// Finds the codes of a slice; CLTB_E_MISSING if nothing covers a move. `pushes`: instead adds the pawn moves within the
// endgame that may be answered en passant; this needs `solved`.
int externals_look(struct externals *externals, uint32_t slice, bool pushes);

// Makes room for the codes of a slice, which externals_look() does otherwise, and returns the entries in a part of it:
// none if the slice needs no codes.
int externals_room(struct externals *externals, uint32_t slice);
uint64_t externals_part_entries(const struct externals *externals, uint32_t slice, uint32_t part);
void externals_forget(struct externals *externals, uint32_t slice);

// Finds the spec's rules that decide no move, except those for stalemates.
int externals_idle_rules(struct externals *externals, uint64_t *idle);

// ---- of a batch, as entries of its planes ----

struct external_entry {
    uint64_t at; // slice of the batch * 64^pieces + entry
    uint16_t code;
};

struct external_list {
    struct external_entry *entry; // [count] by code
    size_t count;
    size_t room;
};

// Adds the codes of a slice for one side to move: `dense` gives the batch's slices by combo.
int external_list_add(struct external_list *list, const struct externals *externals, const struct frame *frame,
                      uint32_t slice, int side, const uint32_t *dense);
void external_list_sort(struct external_list *list);

// The next code from `code` on; 0: there is none. Below: the entries with a code (0: with any), as the number of the
// first one and their count.
uint16_t external_list_next(const struct external_list *list, uint16_t code);
size_t external_list_range(const struct external_list *list, uint16_t code, size_t *count);

#endif
