// fen.h - positions as FEN text, in and out
//
//     rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
//     placement, ranks 8 to 1                     |  |   | | full-move number
//                                              side  |   | half-move clock
//                                             castling  en passant: the square that the last double step jumped over
//
// The reader takes hostile input. It accepts runs of spaces and tabs between the fields and a line ending after them.
// Only placement and side must be there: castling rights and en passant square may be left out, and missing counters
// are 0 and 1. A full-move number of 0, which some programs write, is read as 1.
#ifndef CLTB_CHESS_FEN_H
#define CLTB_CHESS_FEN_H

#include "chess/position.h"

// Bytes of the longest FEN with its NUL: 71 for the placement, the rest for the other fields and some slack.
enum { FEN_MAX = 128 };

#define FEN_START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

// Reads a FEN into a legal position. CLTB_E_POSITION with a sentence that says what is wrong and where; *p is then
// unchanged.
int fen_read(struct position *p, const char *fen);

// The same, but drops each castling right and the en passant square if the men cannot have it, and takes a missing side
// as White, files of rooks as castling rights, counters of any size, and '~' behind promoted men. CLTB_E_POSITION also
// for files of rooks that only Chess960 has.
int fen_read_lenient(struct position *p, const char *fen);

// Writes all six fields. FEN_MAX bytes are always enough; the slot is written after every double step.
void fen_write(const struct position *p, char fen[FEN_MAX]);

#endif
