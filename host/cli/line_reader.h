// line_reader.h - lines from standard input; at a terminal with editing, history and completion, if libedit is built in
#ifndef CLTB_CLI_LINE_READER_H
#define CLTB_CLI_LINE_READER_H

#include <stdbool.h>

// The next line of standard input without its end and with NUL bytes as '?', to be freed; NULL at the end or if it
// cannot be read.
char *line_plain(void);

// ---- a reader for commands ----

// The words that could stand next: number `index` of them, or NULL behind the last one. `before` is what stands before
// the word, as in "show ".
typedef const char *candidate_word(void *context, const char *before, int index);

struct line_reader {
    bool terminal; // input and output are one: there are prompts, and Ctrl-C ends the program with exit status 130
    candidate_word *candidate;
    void *context;
};

// One at a time. `candidate` and `context` are for completion.
void line_reader_begin(struct line_reader *reader, candidate_word *candidate, void *context);

// The next line without its end, to be freed; NULL at the end of input. The prompt is shown at a terminal only.
// Non-empty lines go to the history.
char *line_reader_next(const struct line_reader *reader, const char *prompt);

#endif
