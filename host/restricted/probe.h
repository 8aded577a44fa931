// probe.h - the worth of moves in a restricted endgame: within it, by its prune rules, in its futurebases
#ifndef CLTB_RESTRICTED_PROBE_H
#define CLTB_RESTRICTED_PROBE_H

#include "restricted/bases.h"

// Where the values of the spec's own positions come from: a table, or the slices solved so far. En passant rights are
// ignored.
struct restricted_values {
    struct restricted_table *table; // NULL: value() is asked for the code of restricted/value.h
    int (*value)(void *context, const struct position *position, uint16_t *value);
    void *context;
};

enum restricted_kind {
    MOVE_QUIET,   // within the spec, not zeroing: not evaluated
    MOVE_WITHIN,  // within the spec, a pawn's move
    MOVE_LEAVES,  // to a futurebase
    MOVE_DISCARD, // prune rule
    MOVE_CONCEDE  //
};

// In all functions below, the spec is the one that the bases were opened for, and the position belongs to it.

// The kind of a legal move, found without looking at values. *rule is the prune rule that decided it, else -1.
// CLTB_E_MISSING with a sentence that names move and FEN if nothing covers the move, or an en passant capture that it
// allows.
int restricted_classify(struct restricted_bases *bases, const struct spec *spec, const struct position *position,
                        uint32_t move, enum restricted_kind *kind, int *rule);

// The worth of a legal move other than MOVE_QUIET and MOVE_DISCARD to the side that makes it, as a code of
// restricted/value.h with RESTRICTED_DRAW for a draw. En passant replies are taken into account. `values` is for
// MOVE_WITHIN.
int restricted_move_value(struct restricted_bases *bases, const struct spec *spec,
                          const struct restricted_values *values, const struct position *position, uint32_t move,
                          enum restricted_kind kind, uint16_t *value);

// The value, as a code, of a position that belongs to the table, with its right to capture en passant taken into
// account. CLTB_E_POSITION; CLTB_E_MISSING if nothing covers such a capture.
int restricted_value(struct restricted_bases *bases, struct restricted_table *table, const struct position *position,
                     uint16_t *value);

// The better one of two codes for the side to move: a shorter win, a draw (RESTRICTED_DRAW), a longer loss; 0 means no
// move at all.
uint16_t restricted_better(uint16_t a, uint16_t b);

#endif
