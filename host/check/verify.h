// verify.h - proves a table right from the rules of chess and nothing else
//
// What is checked. For a position P, derive(P) is the best value over the legal moves, where a move is worth the value
// of the position after it, converted to the mover's view (conventions of cltb_value; checkmate is loss 0, stalemate a
// draw). Invariants:
//
//     1. every byte of the file agrees with its checksums;
//     2. for every legal position P of the material, both sides to move, without a right to capture en passant:
//        probe(P) == derive(P), where the values of the positions after the moves are probe()'s too: of this table
//        after quiet moves and pawn moves that stay on ranks 2 to 7, of other tables after captures and promotions.
//        After a double step they include the en passant captures that it allows;
//     3. the numbers of positions and the longest distances in the file's head are those of its positions, and so is
//        all of the statistics that the file may have (stats.h).
//
// Why that is enough, if the other tables are right and, with pawns, the positions of this table that are further
// advanced (so all of them, one after the other). By induction on d, a position marked "win d" or "loss d" is one, and
// no distance is wrong: loss 0 is checkmate; a win of d has a move into a loss of d - 1 (or a capture or pawn move that
// wins, d = 1 or 101) and none into a shorter one; from a loss of d every move leads to a win, the longest of them of d
// - 1. So nothing marked won or lost is in truth anything else. And a position marked as a draw has no move into a
// position marked lost, and if it is not a stalemate it has a move into one marked as a draw or into a true draw: both
// sides can keep to such moves for ever, so it is drawn. (That also excludes wins that the table does not know.) Cursed
// and blessed outcomes are those with d > 100, by the same induction.
//
// Probing derives distances that are not stored by one ply, so for them 2 holds if probing is right; for those that are
// stored, 2 then compares across two plies. Outcomes are stored for both sides to move.
//
// With distances to mate every move, capture or not, makes d + 1 of d, and there is no limit: 2 is then "win d or loss
// d" for all d, by the same induction over the moves within the table and captures together. With distances to
// conversion, a capture or promotion that wins makes a win of 1, and all other moves d + 1.
//
// The verifier uses only the rules and the probing library, nothing of the solver, and derive() is not the library's
// own search.
#ifndef CLTB_CHECK_VERIFY_H
#define CLTB_CHECK_VERIFY_H

#include <cltb/cltb.h>

#include "index/material.h"
#include "util/threads.h"

enum { VERIFY_FAULT_MAX = 400 };

struct verify_options {
    // 0: every position; otherwise so many at random. Then invariant 2 is checked for these only, and of 3 that the
    // statistics have positions with their values, and that the longest lines and zugzwangs that they list are such.
    uint64_t sample;
    uint64_t seed; // of the sample
    struct thread_pool *pool;
    // For verify_against(): called with the pool by threads_watch() from then on, for threads_share(); may be NULL.
    int (*progress)(void *pool);
};

struct verify_result {
    uint64_t positions;           // checked
    uint64_t rounded;             // by verify_against(): distances among these that are known only to two plies
    char fault[VERIFY_FAULT_MAX]; // CLTB_E_MISMATCH: the first wrong position: FEN, what it is, what it should be
};

// Returns 0; CLTB_E_MISMATCH with the sentence also in `fault`; or another negative code. Checking every position takes
// memory for a value of each: 2 bytes for 10 * 64^(men - 1) placements (with pawns 64^men) and both sides to move.
int verify_table(cltb_tables *tables, const struct material *material, const struct verify_options *options,
                 struct verify_result *result);

// Compares the values of every position, or of a sample, with those of other files: outcomes, and distances unless a
// side rounds them (two that may be equal count as equal). Either side may be Syzygy files. The checksums of all files
// are verified first. Otherwise as verify_table().
int verify_against(cltb_tables *tables, cltb_tables *others, const struct material *material,
                   const struct verify_options *options, struct verify_result *result);

#endif
