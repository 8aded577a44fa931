// notation.h - moves as text: SAN ("Nbd7", "exd8=Q+", "O-O") and UCI ("g8f6", "e7d8q", "e1g1")
//
// Text is read in a position: the reader generates the legal moves and takes the one that fits, so whatever it returns
// is legal. Both readers read the whole text and allow nothing after the move.
#ifndef CLTB_CHESS_NOTATION_H
#define CLTB_CHESS_NOTATION_H

#include "chess/move.h"

enum {
    SAN_MAX = 10, // the longest are "Qa1xb2+" and "exd8=Q+" with 7 characters; the rest is slack
    UCI_MAX = 6   // "e7d8q" and the NUL
};

// The move must be legal in the position. It is made and taken back on a copy to see whether it gives check or mate.
void san_write(const struct position *p, uint32_t move, char text[SAN_MAX]);

// Accepts what people and programs write: "0-0", "o-o" or "OO" for "O-O"; "e8Q", "e8=q", "e8/Q" or "e8(Q)" for "e8=Q";
// "g1f3", "Ng1-f3", "nf3", "e4:d5", "Pe4"; captures without "x" and more disambiguation than necessary; any signs
// behind the move, such as "+", "!?", "+-" and "e.p.", whether they are right or not. CLTB_E_POSITION if the text is
// not a move, or the move is illegal or ambiguous.
int san_read(const struct position *p, const char *text, uint32_t *move);

// "0000" for MOVE_NONE.
void uci_write(uint32_t move, char text[UCI_MAX]);

// CLTB_E_POSITION if the text is not a move or the move is illegal.
int uci_read(const struct position *p, const char *text, uint32_t *move);

#endif
