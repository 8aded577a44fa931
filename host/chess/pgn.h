// pgn.h - the tokens of games in PGN, one by one, while the text is copied
//
// The reader knows the text, not chess: tags, moves as they are written, variations, results. Comments, move numbers,
// NAGs ("$4"), signs such as "+-" or "N", lines that start with % and text in <> are only copied. Characters of UTF-8,
// Latin-1 and Windows-1252 that people write in games (figurines, dashes, fractions) are given as ASCII; the copy keeps
// them. The reader takes hostile input: no token is longer than PGN_TEXT_MAX.
#ifndef CLTB_CHESS_PGN_H
#define CLTB_CHESS_PGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PGN_TEXT_MAX = 256, PGN_AHEAD = 3 };

#define PGN_NULL_MOVE "--"

enum pgn_token {
    PGN_END,    // the text ends
    PGN_TAG,    // [name "text"]
    PGN_MOVE,   // text: "Nf3", "exd8=Q+!", and PGN_NULL_MOVE for all its forms
    PGN_OPEN,   // "(": a variation, which replaces the move before it
    PGN_CLOSE,  // ")"
    PGN_RESULT, // "1-0", "1/2", "*" and so on
};

struct pgn {
    FILE *in;
    FILE *copy;    // receives all that is read
    long line;     // of the token, from 1
    long here;     // the line of the next character
    long unended;  // the line of a comment that has not ended before the text does, or 0
    bool restarts; // an empty line and the number 1 stand before the move: without tags, the next game begins so
    char name[PGN_TEXT_MAX];
    char text[PGN_TEXT_MAX];
    // The reader's own.
    bool behind_line_end;
    bool gap;             // an empty line stands before the token
    int ahead[PGN_AHEAD]; // the next characters,
    int aheads;           // if they have been read
    char *held;           // the NAGs and comments behind a move
    size_t held_length;
    size_t held_size;
    bool holding;
    bool starved; // there was no memory to hold them
};

void pgn_begin(struct pgn *pgn, FILE *in, FILE *copy);

// Has the file, of which nothing else was read yet, the byte-order mark of UTF-16?
bool pgn_is_utf16(struct pgn *pgn);

void pgn_end(struct pgn *pgn);

// Gives the next token. CLTB_E_POSITION with a sentence if it cannot be understood, with the kind that it was going to
// be in *token; reading may go on behind it. CLTB_E_IO if the text cannot be read.
int pgn_next(struct pgn *pgn, enum pgn_token *token);

// After PGN_MOVE: copies the NAGs that follow the move, and `nag` (or NULL) unless it is among them, so that what the
// caller writes to `copy` next stands where a comment on the move belongs. Comments behind the move that are `ours`,
// of an earlier run, are dropped. Everything else follows with the next token.
void pgn_mark(struct pgn *pgn, const char *nag, bool (*ours)(const char *comment, size_t length));

#endif
