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
//
// Rights of Chess960 are the files of rooks (HAha) or KQkq, which mean the outermost rooks, wherever the king stands on
// its back rank. Files are written if they were read, or king or rook do not stand as at the start of chess.
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
// as White, counters of any size, and '~' behind promoted men. Many programs leave KQkq set: unless the game is one of
// Chess960, they mean e1, e8 and the corners alone.
int fen_read_lenient(struct position *p, const char *fen, bool chess960);

// Writes all six fields. FEN_MAX bytes are always enough; the slot is written after every double step.
void fen_write(const struct position *p, char fen[FEN_MAX]);

#endif
