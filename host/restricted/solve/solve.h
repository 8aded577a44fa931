// solve.h - solves one slice of a restricted endgame: quiet moves within it, everything else given
//
// An entry (restricted/index.h) has two values, by side to move. A value is a code of 16 bits:
//
//     0         draw, or not decided yet
//     0xffff    no position: two men on one square, or the side not to move is in check
//     else      (ply + 1) * 2 + (1: the side to move wins, 0: it loses), ply 0..1023, exact DTZ
//
// What moves that are not quiet moves within the slice (captures, promotions, pawn moves, moves that leave the spec, prune rules) are worth
// to the side to move is its external code, found out by the caller:
//
//     0   there is no such move (and there is a legal quiet one within the slice)
//     1   the best of them draws (or: no legal move, stalemate)
//     else as a value: the best of them wins in `ply`, or all lose and the longest takes `ply`. Checkmate: lost in 0.
//
// Rounds n = 0, 1, 2, ...: an open entry is won in n if a legal quiet move leads to an entry lost in n - 1, or the external code is a win in n;
// it is lost in n if every legal quiet move leads to a win, there is no external move that wins or draws, and the longest of those wins + 1
// and the external loss is n. After each round the entries before a changed one are marked; a round looks at marked entries and at those whose external
// code has ply n. The last round is one without marks and without external codes of a higher ply.
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
    int plies;                         // result: the highest ply found, -1: none
};

struct restricted_backend;
struct thread_pool;

struct restricted_backend_ops {
    void (*close)(struct restricted_backend *backend);
    const char *(*describe)(struct restricted_backend *backend);
    // Solves a slice. `stop` (may be NULL) is asked after every round: nonzero ends the work with CLTB_E_INTERRUPTED.
    int (*solve)(struct restricted_backend *backend, struct restricted_slice *slice, int (*stop)(void *context),
                 void *context);
};

struct restricted_backend {
    const struct restricted_backend_ops *ops;
};

// For slices of one index, which must outlive it.
int restricted_cpu_open(struct restricted_backend **backend, const struct restricted_index *index,
                        struct thread_pool *pool);

#ifdef CLTB_HAVE_OPENCL
int restricted_opencl_open(struct restricted_backend **backend, const struct restricted_index *index, int device);
#endif

#endif
