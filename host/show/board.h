// board.h - a chess position drawn in a terminal
#ifndef CLTB_SHOW_BOARD_H
#define CLTB_SHOW_BOARD_H

#include "chess/position.h"

// Prints eight ranks and a line of files, with the letters of FEN and the colour `bottom` at the bottom; the side to
// move is named beside its first rank.
void text_board(const struct position *p, int bottom);

#endif
