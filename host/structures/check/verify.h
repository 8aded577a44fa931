// verify.h - proves a file of structures right from the rules of chess and the tables that it names
//
// For a position P and a run in which one side, the winner, wins all bounded structures, derive(P) is the best over P's
// legal moves, where the position after a move is worth:
//
//     a structure of the file     the stored value, a ply farther after a quiet move; with the right to take en passant
//                                 the better one of that and the captures, or these alone if there is no other move
//     a table, bare kings         what the table says; a draw
//     anything else               bounded: the winner wins, or it is a draw if he has only a king; or what a capture
//                                 leads to, by a man that has not been promoted since the last structure, if that is
//                                 better for the side to move
//     no move at all              checkmate: lost in 0; stalemate: a draw
//
// The following is checked:
//
//     1. every byte of the file against its checksums;
//     2. for every legal position of its structures, in each run that is stored, that its value is derive(P). (Where
//        only one is stored, derive(P) is compared for both winners.)
//
// So all distances are right by induction, and draws because a winner would need a shorter win. A bounded structure may
// have any true value: a win is at least as good for the winner as the truth, and a capture that is better for the side
// to move exists in any case. So the true value lies between the two runs. Values after moves are those that probing
// the file finds (value.h); nothing of the solver is used.
#ifndef CLTB_STRUCTURES_CHECK_VERIFY_H
#define CLTB_STRUCTURES_CHECK_VERIFY_H

#include "placed/check/set.h"
#include "structures/file.h"

// *positions: the number checked. CLTB_E_MISMATCH; CLTB_E_FOREIGN: a file that lacks names of tables, as older ones do,
// cannot be verified.
int structure_verify(struct structure_file *file, const struct placed_verify_options *options, uint64_t *positions);

// How many positions have which outcome and distance.
int structure_count(struct outcome_counts *counts, struct structure_file *file, struct thread_pool *pool);

// The positions of the file, for both.
struct placed_set structure_set(struct structure_file *file);

#endif
