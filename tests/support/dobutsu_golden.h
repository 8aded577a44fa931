// dobutsu_golden.h - tests: the lines of the golden files in tests/data/dobutsu
#ifndef CLTB_TESTS_SUPPORT_DOBUTSU_GOLDEN_H
#define CLTB_TESTS_SUPPORT_DOBUTSU_GOLDEN_H

#include "dobutsu/code.h"

#include "support/support.h"

enum { GOLDEN_FIELDS = 8 };

struct golden {
    FILE *file;
    char line[8192];
    char *field[GOLDEN_FIELDS]; // of the present line; NULL: there are fewer
};

// Columns of dobutsu-positions.tsv.
enum {
    GOLDEN_CODE,
    GOLDEN_CANONICAL,
    GOLDEN_TAG,
    GOLDEN_TEXT,
    GOLDEN_SQUARES,
    GOLDEN_BYTE,
    GOLDEN_CLASS,
    GOLDEN_MOVES
};

// Goes to the first line after the names of the columns.
void golden_open(struct golden *g, const char *name);

// False, and the file is closed, at its end. Skips lines that begin with '#'.
bool golden_next(struct golden *g);

uint32_t golden_number(const struct golden *g, int field);

// A move of the column GOLDEN_MOVES, "Cb3xb2:74:141572944": its name, the byte of the position after it ("#": the move
// wins), the canonical code of that position ("-": none).
struct golden_move {
    char name[DOBUTSU_MOVE_MAX];
    bool wins;
    int byte; // -1: it wins
    bool has_code;
    uint32_t code;
};

// The moves of a line; 0 for "none", -1 if they are not listed ("-").
int golden_moves(const struct golden *g, struct golden_move moves[DOBUTSU_MOVES_MAX]);

// ---- positions as texts ----

// Reads a position or a move, or fails the test with the sentence.
struct dobutsu position_of(const char *text);
struct dobutsu_move move_of(const struct dobutsu *p, const char *name);

#endif
