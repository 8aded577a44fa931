// solve.h - solves one slice of a restricted endgame: quiet moves within it; all other moves are given
//
// An entry (restricted/index.h) has two values, by side to move, as codes of 16 bits (restricted/value.h). What the
// side to move gets from moves other than quiet ones within the slice (captures, promotions, pawn moves, moves that
// leave the spec, prune rules) is the entry's external code, which the caller works out:
//
//     0   there is no such move, but a legal quiet one within the slice
//     1   the best of them draws (or stalemate)
//     else as a value: the best of them wins in `ply`, or all lose and the longest takes `ply`. Checkmate: lost in 0.
//
// Rounds n = 0, 1, 2, ... decide open entries:
//
// 1. An entry is won in n if a legal quiet move leads to an entry lost in n - 1, or its external code is a win in n.
// 2. It is lost in n if every legal quiet move leads to a win of the other side, no external move wins or draws, and n
//    is the greatest of the external loss and of those wins + 1.
// 3. The entries before a decided one are marked. The next round looks at marked entries and at those whose external
//    code has its ply.
//
// The last round leaves no marks, and no external code has a higher ply. Entries that are still open are draws.
//
// Example: K[g6] Q[a7,g7] v K[g8]. With the queen on g7 and Black to move the external code is 2 (checkmate). Round 0
// decides this entry, lost in 0, and marks the entry with the queen on a7 and White to move. Round 1 finds Qg7 there:
// won in 1, code 5.
#ifndef CLTB_RESTRICTED_SOLVE_SOLVE_H
#define CLTB_RESTRICTED_SOLVE_SOLVE_H

#include "restricted/index.h"
#include "restricted/value.h"

#include <stdint.h>

struct restricted_slice {
    const struct restricted_index *index;
    uint32_t slice;
    const uint16_t *external[COLOURS]; // [slice_entries] by side to move
    uint16_t *value[COLOURS];          // [slice_entries] in: RESTRICTED_ILLEGAL or RESTRICTED_OPEN; out: final
    int plies;                         // out: the highest ply found, -1: none
};

struct restricted_backend;
struct thread_pool;

struct restricted_backend_ops {
    void (*close)(struct restricted_backend *backend);
    // Solves a slice. Calls `stop` (may be NULL) after every round; nonzero ends the work with CLTB_E_INTERRUPTED.
    int (*solve)(struct restricted_backend *backend, struct restricted_slice *slice, int (*stop)(void *context),
                 void *context);
};

struct restricted_backend {
    const struct restricted_backend_ops *ops;
    const char *description; // the device
};

// For slices of one index, which must outlive it.
int restricted_cpu_open(struct restricted_backend **backend, const struct restricted_index *index,
                        struct thread_pool *pool);

#ifdef CLTB_HAVE_OPENCL
int restricted_opencl_open(struct restricted_backend **backend, const struct restricted_index *index, int device);
#endif

#endif
