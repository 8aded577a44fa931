// pgn.h - the tokens of games in PGN, one by one, while the text is copied
//
// The reader knows the text, not chess: tags, moves as they are written, variations, results. Comments, move numbers,
// NAGs ("$4"), lines that start with % and text in <> are only copied. What the caller writes to `copy` between two
// tokens follows the first of them. The reader takes hostile input: no token is longer than PGN_TEXT_MAX.
#ifndef CLTB_CHESS_PGN_H
#define CLTB_CHESS_PGN_H

#include <stdbool.h>
#include <stdio.h>

enum { PGN_TEXT_MAX = 256 };

enum pgn_token {
    PGN_END,    // the text ends
    PGN_TAG,    // [name "text"]
    PGN_MOVE,   // text: "Nf3", "exd8=Q+!"
    PGN_OPEN,   // "(": a variation, which replaces the move before it
    PGN_CLOSE,  // ")"
    PGN_RESULT, // text: "1-0", "0-1", "1/2-1/2" or "*"
};

struct pgn {
    FILE *in;
    FILE *copy; // receives all that is read
    long line;  // of the token, from 1
    long here;  // the line of the next character
    bool behind_line_end;
    char name[PGN_TEXT_MAX];
    char text[PGN_TEXT_MAX];
};

void pgn_begin(struct pgn *pgn, FILE *in, FILE *copy);

// Gives the next token. CLTB_E_POSITION with a sentence that names the line if it cannot be understood; CLTB_E_IO if
// the text cannot be read.
int pgn_next(struct pgn *pgn, enum pgn_token *token);

// Copies the rest of a game that has an error, up to the next line that starts with '['.
void pgn_skip_game(struct pgn *pgn);

#endif
