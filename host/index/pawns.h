// pawns.h - pawn placements of an endgame as numbers: its slices
//
// A pawn has a number of two octal digits: its rank seen from its own side, 0 (the one it starts on) to 5 (one step
// before promotion), and its file, a b c d e f g h = 7 6 5 4 0 1 2 3. A pawn's moves always raise its number, and the
// file mirror flips bit 2.
//
// A slice is one placement of all pawns: the numbers of White's pawns in falling order, then those of Black's. Of two
// placements that are mirror images the one whose numbers are greater, compared from the left, is kept; so the first
// pawn is on files a-d. A placement that is its own mirror image is kept with both images of the other men: then the
// one with White's king on files a-d stands for both.
//
// Slices are numbered 0, 1, 2, ... in falling order of their pawns' numbers, from octal 57 down.
#ifndef CLTB_INDEX_PAWNS_H
#define CLTB_INDEX_PAWNS_H

#include "index/material.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAWNS_MAX = MATERIAL_MEN_MAX - 2, PAWN_RANKS = 6, PAWN_NUMBERS = 48 };

// 0..47 for a pawn on ranks 2 to 7.
int pawn_number(int colour, int square);
int pawn_square(int colour, int number);

// The slices that differ in the last pawn only, one after another. For three pawns all runs take at most 37 KB, which
// stays in the processor's nearest caches; the number of each slice would take 442 KB.
struct pawn_run {
    uint64_t last;  // bit = a number of this pawn
    uint32_t first; // the slice with the greatest one
};

struct pawn_slices {
    int pawns[COLOURS];                     // 1..PAWNS_MAX together
    uint32_t slices;                        //
    uint8_t (*square)[PAWNS_MAX];           // [slices] in the order described above
    uint8_t *advance;                       // [slices] sum of the ranks 0..5
    struct pawn_run *run;                   // [pawn_runs()] indexed by the place (pawns.c) of the other pawns
    uint32_t part[PAWNS_MAX][PAWN_NUMBERS]; // [pawn][its number] what it adds to a placement's place
};

// The number of runs: of ways to place all pawns but the last, as if those of different colours could share a square.
uint64_t pawn_runs(int white, int black);

// CLTB_E_USAGE for more than PAWNS_MAX pawns, CLTB_E_MEMORY.
int pawn_slices_open(struct pawn_slices **slices, int white, int black);
void pawn_slices_close(struct pawn_slices *slices);

// The slice of a placement of pawns: White's squares, then Black's, each in any order. `*mirror`: the files must be
// mirrored to get that slice. `*both`: the placement is its own mirror image. No two pawns may share a square.
uint32_t pawn_slices_find(const struct pawn_slices *slices, const uint8_t *squares, bool *mirror, bool *both);

#endif
