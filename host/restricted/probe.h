// probe.h - the worth of moves in a restricted endgame: within it, by its prune rules, in its futurebases
#ifndef CLTB_RESTRICTED_PROBE_H
#define CLTB_RESTRICTED_PROBE_H

#include "restricted/bases.h"

// The source of the values of the spec's own positions: a table, or the slices solved so far. Ignores en passant
// rights.
struct restricted_values {
    struct restricted_table *table; // NULL: value() gives the code of restricted/table.h
    int (*value)(void *context, const struct position *position, uint16_t *value);
    void *context;
};

enum restricted_kind {
    MOVE_QUIET,   // within the spec, not zeroing
    MOVE_WITHIN,  // within the spec, a pawn's move
    MOVE_LEAVES,  // to a futurebase
    MOVE_DISCARD, // by a prune rule
    MOVE_CONCEDE  //
};

// In all functions below, the spec is the one for which the bases were opened, and the position belongs to it.

// The kind of a legal move, found without looking at values. *rule is the prune rule that decides it, or -1.
// CLTB_E_MISSING with a sentence that names the move and the FEN if nothing covers the move, or an en passant capture
// that it allows.
int restricted_classify(struct restricted_bases *bases, const struct spec *spec, const struct position *position,
                        uint32_t move, enum restricted_kind *kind, int *rule);

// The value of a legal move other than MOVE_DISCARD and, without values->table, MOVE_QUIET to the side that makes it,
// as a code of restricted/table.h, with RESTRICTED_DRAW for a draw. Takes en passant replies into account. `values` is
// used for MOVE_WITHIN and MOVE_QUIET.
int restricted_move_value(struct restricted_bases *bases, const struct spec *spec,
                          const struct restricted_values *values, const struct position *position, uint32_t move,
                          enum restricted_kind kind, uint16_t *value);

// The value of a position that belongs to the table, as a code. Takes its right to capture en passant into account.
// CLTB_E_POSITION; CLTB_E_MISSING if nothing covers such a capture.
int restricted_value(struct restricted_bases *bases, struct restricted_table *table, const struct position *position,
                     uint16_t *value);

// The better of two codes for the side to move, in this order: a shorter win, a draw (RESTRICTED_DRAW), a longer loss;
// 0 stands for no move at all.
uint16_t restricted_better(uint16_t a, uint16_t b);

#endif
