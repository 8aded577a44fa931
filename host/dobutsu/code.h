// code.h - the number of a dobutsu position: 0..1078984703
//
//     code = (((PC * 56 + PG) * 56 + PE) * 24 + LL) * 256 + op
//
// 1. If Sente's lion stands on 2, 5 or 8, mirror the board: then it stands on L = 0, 1, 3, 4 or 6, and Gote's lion on
//    l, one of 3..11 and not next to it. LL (0..23) numbers these 24 pairs by rising L, then rising l.
// 2. Leave out the squares of the lions and number the other ten through: reduced squares 0..9, and 10 is in hand.
// 3. Number each pair of men. On the reduced squares h > w it is 55 - h * (h - 1) / 2 - w (1..55); both in hand are 0.
//    PC is the pair of the chicks, PG of the giraffes, PE of the elephants. If two men of different pairs share a
//    square, the code is invalid.
// 4. op: owners and roosters (dobutsu/rules.h), those of a pair exchanged if its men came in the other order.
//
// Example, the initial position:
//
//     1.  lions on L = 1 and l = 10, the pairs before them are 7 with L = 0 and (1, 6) to (1, 9):   LL = 11
//     2.  chicks on 4, 7 -> 3, 6        giraffes on 0, 11 -> 0, 9       elephants on 2, 9 -> 1, 8
//     3.  PC = 55 - 15 - 3 = 37         PG = 55 - 36 - 0 = 19           PE = 55 - 28 - 1 = 26
//     4.  Sente has chick 0, giraffe 2 and elephant 4: op = 0x01 + 0x40 + 0x10 = 0x51
//         code = (((37 * 56 + 19) * 56 + 26) * 24 + 11) * 256 + 0x51 = 719600465
//
// With L on 1 or 4 a position and its mirror image have two codes, and a pair in hand of different owners has two: the
// table has all of them. A cell is the 256 codes that differ in op only: cell = code / 256.
#ifndef CLTB_DOBUTSU_CODE_H
#define CLTB_DOBUTSU_CODE_H

#include "dobutsu/rules.h"

#define DOBUTSU_CODES  UINT32_C(1078984704)
#define DOBUTSU_PLACES UINT32_C(2967207936)

enum {
    DOBUTSU_LION_PAIRS = 24,
    DOBUTSU_PAIRS = 56,
    DOBUTSU_REDUCED = 10, // squares without the lions'; also the number of "in hand"
    DOBUTSU_CELL_CODES = 256,
    DOBUTSU_CELLS = 56 * 56 * 56 * 24
};

// The code of a position, mirrored and sorted as necessary; a pair in hand keeps its order. False: it has none, because
// the lions stand side by side or one is on its far rank (then Gote's lion is on 0..2 or Sente's on 9..11). Not for a
// position with two men on one square.
bool dobutsu_encode(const struct dobutsu *p, uint32_t *code);

// The same, but positions with other lions have numbers, too, from DOBUTSU_CODES to DOBUTSU_PLACES - 1. Only if Sente's
// lion is not on its far rank.
uint32_t dobutsu_place(const struct dobutsu *p);

// Any code < DOBUTSU_CODES; the position may be invalid.
void dobutsu_decode(uint32_t code, struct dobutsu *p);

// The code of the same position with the owners of pairs in hand in canonical order (Sente's first); mirror images keep
// different codes. Only for valid codes.
uint32_t dobutsu_canonical(uint32_t code);

// The lions' squares of LL.
void dobutsu_lions(int pair, int *sente_lion, int *gote_lion);

// LL of two lions, or -1. Sente's must be on 0, 1, 3, 4 or 6.
int dobutsu_lion_pair(int sente_lion, int gote_lion);

// The reduced squares of a pair number: low < high, or both 10.
void dobutsu_unpair(int pair, int *low, int *high);

#endif
