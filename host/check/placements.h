// placements.h - every placement of a material's men once up to symmetry, shared out among threads
//
// Without pawns all eight symmetries of the board count:
//
// 1. Black king: the 10 squares of the triangle a1-d1-d4 (square.h).
// 2. White king: any square not next to it; if the black king is on the diagonal a1-h8, only those below or on the
//    diagonal.
// 3. The other men, type by type: any free squares, identical pieces in rising order (they are interchangeable).
//
// With both kings on the diagonal both mirror images of a placement are visited, so each stands for 4 placements of the
// whole board (and a placement with every man on the diagonal has just 4); all others stand for 8.
//
// With pawns only the mirror of files remains:
//
// 1. Pawns: ranks 2 to 7, identical pawns in rising order, White's first.
// 2. White king: files a to d. No king stands on the mirror's axis, so this takes one of each two images.
// 3. Black king: any square not next to it. Then the other men as above.
//
// Each stands for 2 placements. Pawns come first because a table is stored slice by slice.
//
// The visitor finds out whether a side may be to move (the other one is not in check).
#ifndef CLTB_CHECK_PLACEMENTS_H
#define CLTB_CHECK_PLACEMENTS_H

#include "index/material.h"
#include "util/threads.h"

struct placement {
    struct position *position; // White to move; the visitor may change it, but must restore it
    unsigned weight;           // number of placements of the whole board that it stands for: 2, 4 or 8
    bool on_diagonal;          // every man stands on a1-h8 (false with pawns)
};

typedef int placement_visit(void *context, const struct placement *placement, int worker);

// Calls visit() for every placement, from several threads at once. Stops at the first nonzero result and returns it.
int placements_each(const struct material *material, struct thread_pool *pool, placement_visit *visit, void *context);

// Lists the men of a material in the order in which they are placed: pawns, kings, then type by type, White's before
// Black's; without pawns the black king comes before the white one, with pawns after it. Returns their number; does not
// set squares.
int placement_men(const struct material *material, struct man men[MATERIAL_MEN_MAX]);

// Sets the position that some bits stand for: 6 bits for the square of each of `count` men, and bit 63 for the side to
// move. CLTB_E_POSITION if there is none, without a sentence if two men share a square or a pawn stands on the first or
// last rank.
int placement_of_bits(const struct man *men, int count, uint64_t bits, struct position *p);

// Exchanges the side to move, and updates the key.
void placement_turn(struct position *position);

#endif
