// prove.h - derives the claims of a proof again, by the rules of chess and the tables that it names
//
// Every claim is compared with what the proof says of the positions after its legal moves. After a pawn move or a
// capture these lie in other structures, from which no way leads back, so it does not matter in which order claims are
// checked. Let an attacker be the side whose win is in question. Then
//
//     a win in n plies        needs a move of the attacker, or needs of all of the other side's moves, that they are
//                             pawn moves or captures to a win, or lead to a win in less than n plies; or a mate
//     no win                  needs of all of the attacker's moves, or needs a move of the other side, that it leads
//                             to no win; or a stalemate, or that the attacker is mated
//
// So the plies of a win fall until a pawn or a capture is due, at most 100 of them, which can be only so often until
// mate; and who stays on positions without a win is never mated. Of positions that are not claimed, those count that
// the tables named by the proof have, and those in which the attacker has a bare king. The right to take en passant
// adds its moves to those of the claimed position without that right.
//
// Nothing of the search is used.
#ifndef CLTB_STRUCTURES_CHECK_PROVE_H
#define CLTB_STRUCTURES_CHECK_PROVE_H

#include "structures/proof.h"

// CLTB_E_MISMATCH with a sentence about the first claim that does not follow, or if no outcome of the proof's position
// does. *least, *greatest: the outcomes that White has in it.
int proof_verify(struct proof *proof, struct thread_pool *pool, int *least, int *greatest);

#endif
