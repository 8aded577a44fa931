// answers.h - what `cltb probe` shares between games: positions from the arguments or, one a line, from standard input; each
// gets its answer in its place, in one of three formats
//
//     text   the answers only; empty lines of input are passed over
//     tsv    a line for every line of input, empty ones too
//     json   a list with one object per position
//
// A position at fault gets one line on standard error and, in tsv and json, an entry that says so.
#ifndef CLTB_CLI_ANSWERS_H
#define CLTB_CLI_ANSWERS_H

#include "cli/options.h"

struct answers {
    const char *format; // "text", "tsv" or "json"
    const char *key;    // what json calls a position's text
    int columns;        // of a line of tsv: the position, its outcome and so on
    void *context;

    // Both return 0 or a negative code with its sentence. work_out() prints nothing; print() is called if that went well
    // and prints all of the entry (in tsv with the end of the line), even if its best line cannot be found.
    int (*work_out)(void *context, const char *text);
    int (*print)(void *context, const char *text);

    int number; // of positions so far
    int faults;
};

// The exit status: EXIT_FAILED if there were faults.
int answers_give(struct answers *answers, const struct arguments *arguments);

// Prints a column of tsv: tabs and line ends, which would break the columns, as blanks.
void print_tsv_text(const char *text);

#endif
