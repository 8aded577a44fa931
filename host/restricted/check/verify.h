// verify.h - proves the table of a restricted endgame right from the rules of chess, its prune rules and its
// futurebases
//
// For a position P of the spec derive(P) is the best over its legal moves except those that a prune rule discards:
//
//     a quiet move within the spec     the table's value of the position after it, a ply farther
//     any other move                   the value of restricted/probe.h (rules, futurebases, the table after pawn moves)
//     no move at all                   checkmate: lost in 0; stalemate: a draw, or what the rule for "stalemate" says
//     none but discarded ones          lost in 0
//
// The following is checked:
//
//     1. every byte of the file against its checksums;
//     2. for every entry that is a legal position (each by itself: identical pieces in each order, each symmetric image
//        that has an entry) that its value is derive(P);
//     3. that the same position has the same value in other places: where a probe looks, with identical pieces
//        exchanged, and at its symmetric images;
//     4. if all entries are looked at, the counts and longest distances in the head.
//
// check/verify.h says why that is enough if the futurebases are right. Nothing of the solver is used.
#ifndef CLTB_RESTRICTED_CHECK_VERIFY_H
#define CLTB_RESTRICTED_CHECK_VERIFY_H

#include "placed/check/set.h"
#include "restricted/probe.h"

// *positions: the number checked. The bases are those of the table's spec.
int restricted_verify(struct restricted_table *table, struct restricted_bases *bases,
                      const struct placed_verify_options *options, uint64_t *positions);

// How many positions have which outcome and distance.
int restricted_count(struct outcome_counts *counts, struct restricted_table *table, struct thread_pool *pool);

// ---- entries that are the same position ----

// Men of one colour and type may exchange squares on which both may stand, and the symmetric images of a position are
// one position for the index but several on the board.

// The number of positions on the board that an entry with men on these squares stands for, legal or not: itself and
// its symmetric images; 0 if another entry stands for them.
unsigned restricted_weight(const struct restricted_index *index, const uint8_t *stand);

// Exchanges the squares of two men in `where` if they have the same colour and type and may both stand there. Pawns are
// never exchanged.
bool restricted_exchange(const struct restricted_index *index, int a, int b, uint8_t where[SPEC_MEN_MAX]);

#endif
