// code.h - the number of a dobutsu position: 0..1078984703
//
//     code = (((PC * 56 + PG) * 56 + PE) * 24 + LL) * 256 + op
//
// 1. LL 0..23: the lions. Sente's lion L stands on 0, 1, 3, 4 or 6 (on 2, 5, 8 the board is mirrored), Gote's lion l on 3..11
//    and not next to it; pairs numbered by rising L, then rising l.
// 2. The squares of the lions are left out and the other ten numbered through: reduced squares 0..9, 10 in hand.
// 3. A pair of men on reduced squares h > w is 55 - h * (h - 1) / 2 - w (1..55), both in hand 0. PC: chicks, PG: giraffes,
//    PE: elephants. Men of different pairs may share a square: such codes are invalid.
// 4. op: owners and roosters (dobutsu/rules.h).
//
// With L on 1 or 4 a position and its mirror image have two codes, and a pair in hand of different owners has two: all of
// them are in the table. A cell is 256 codes that differ in op only: code / 256.
#ifndef CLTB_DOBUTSU_CODE_H
#define CLTB_DOBUTSU_CODE_H

#include "dobutsu/rules.h"

#define DOBUTSU_CODES UINT32_C(1078984704)

enum {
    DOBUTSU_LION_PAIRS = 24,
    DOBUTSU_PAIRS = 56,
    DOBUTSU_REDUCED = 10, // squares without the lions'; also the number of "in hand"
    DOBUTSU_CELL_CODES = 256,
    DOBUTSU_CELLS = 56 * 56 * 56 * 24
};

// The code of a position, mirrored and in order as need be, a pair in hand as it is. False: it has none, because the lions
// stand side by side or one is on its far rank (then Gote's lion is on 0..2 or Sente's on 9..11).
// Not for a position with two men on one square.
bool dobutsu_encode(const struct dobutsu *p, uint32_t *code);

// Any code < DOBUTSU_CODES; the position may be invalid.
void dobutsu_decode(uint32_t code, struct dobutsu *p);

// The code of the same position with the owners of pairs in hand in canonical order (Sente's first); mirror images are left
// apart. Only for valid codes.
uint32_t dobutsu_canonical(uint32_t code);

// The lions' squares of LL.
void dobutsu_lions(int pair, int *sente_lion, int *gote_lion);

// LL of two lions, or -1. Sente's must be on 0, 1, 3, 4 or 6.
int dobutsu_lion_pair(int sente_lion, int gote_lion);

// The pair number of two reduced squares in either order (0..10); 255 for the same square of the board.
uint8_t dobutsu_pair(int a, int b);

// Its inverse: low < high, or both 10.
void dobutsu_unpair(int pair, int *low, int *high);

#endif
