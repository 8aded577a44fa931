// slices.h - solves an endgame with pawns, slice by slice
//
// Slices whose pawns have advanced furthest come first. Slices of equal total advance do not depend on each other: they
// are solved together in batches. docs/solver.md has the method.
#ifndef CLTB_SOLVE_SLICES_H
#define CLTB_SOLVE_SLICES_H

#include "index/pawns.h"
#include "solve/iteration.h"
#include "solve/slabs.h"
#include "util/threads.h"

struct slice_record {
    uint32_t slice;
    struct slice_side side[COLOURS];
};

// The meaning of the codes in a batch of slices, value[side to move][1: won][code] as in struct solution, and its
// largest distances, whether kept or not.
struct slice_values {
    solver_value value[COLOURS][COLOURS][DISTANCE_CODES];
    int longest[COLOURS][5];
};

// What is known of slices that were solved together.
struct solved_batch {
    const struct slice_values *values;
    const struct slice_record *records; // [count]
    size_t count;
    solver_weights weight; // of all of them: of entries, which tell identical pieces, but not identical pawns, apart
};

// Takes solved slices, and gives them back to the next run if this one is interrupted.
struct slice_sink {
    void *context;
    // Called when a batch is solved.
    int (*put)(void *context, const struct slice_values *values, const struct slice_record *records, size_t count);
    // Has an earlier run solved this slice? May be NULL: it has solved none.
    bool (*has)(void *context, uint32_t slice);
    // Gives the slice's planes for one side to move (NULL: not wanted) and the meaning of its codes; they are valid
    // until the next call of get() or put().
    int (*get)(void *context, uint32_t slice, int side, const struct slice_values **values, struct slice_side *planes);
    // Called when the planes of the last get() are no longer needed. May be NULL.
    void (*release)(void *context);
};

struct slices_options {
    bool keep_distance[COLOURS];
    bool keep_resolved;
    int last_attacker;    // as in struct solver_options
    uint64_t batch_bytes; // of a plane of one batch, at most; 0: 2 MiB
    uint64_t memory;      // bytes that its arrays may use; 0: no limit
    const char *scratch;  // folder for arrays that do not fit in memory
    // Opens the backend that solves a batch.
    int (*open)(void *context, const struct layout *layout, struct backend **backend);
    int (*progress)(void *context, const struct solver_ply *ply); // may be NULL
    const struct iteration_metric *metric;                        // as in struct solver_options
    struct iteration_guest *guest;                                // likewise, of each batch's iteration
    // Slices that are their own mirror image are solved in batches of their own, so that an entry of a batch stands for
    // one placement, and in the others for two.
    bool apart;
    // Called with each solved batch, before the sink is. May be NULL.
    int (*batch)(void *context, const struct solved_batch *batch);
    void *context;
    struct thread_pool *pool;
    const char *isa; // of the CPU backend that makes futurebases, or NULL
    // For several processes; NULL: this one works alone. share() says which of a level's slices this one solves; meet()
    // is called before and after each level, and after it, the sink has all slices that any process has.
    void (*share)(void *context, size_t slices, size_t *first, size_t *count);
    int (*meet)(void *context);
};

// The effect of a memory limit on batches: if a slice's planes have SLICES_LARGE bytes or more, few slabs of
// futurebases are in memory at a time, otherwise all of them, about SLICES_SMALL_PLANES planes a slice. A batch's plane
// has at least SLICES_BATCH_LEAST bytes. Distances to mate take SLICES_MATE times as many planes.
enum { SLICES_LARGE = 1 << 20, SLICES_SMALL_PLANES = 80, SLICES_BATCH_LEAST = 64 << 10, SLICES_MATE = 3 };

struct slices_result {
    int longest[COLOURS][5]; // as in struct solution
    uint64_t plies;          // steps taken
    uint64_t batches;
    uint64_t resumed; // slices that an earlier run has solved
    uint64_t done;    // slices, including resumed ones
};

// The pieces of a material with pawns in the order of its slabs.
void slices_shape(const struct material *material, struct slab_shape *shape);

// Solves all slices of a material with pawns (standard colours). `sink` may be NULL: nothing is kept.
int slices_solve(const struct material *material, const struct pawn_slices *slices, const struct slab_source *source,
                 const struct slice_sink *sink, const struct slices_options *options, struct slices_result *result);

#endif
