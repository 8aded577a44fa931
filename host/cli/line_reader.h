// line_reader.h - lines from standard input; at a terminal with editing, history and completion, if libedit is built in
#ifndef CLTB_CLI_LINE_READER_H
#define CLTB_CLI_LINE_READER_H

#include <stdio.h>

// The next line of a file without its line ending (LF, CR or both) and with NUL bytes replaced by '?'; the caller frees
// it. NULL at the end, for which feof() is true, or if it cannot be read or memory is short. In place of a line of more
// than a million bytes there is a text that says so.
char *line_of(FILE *in);

// The same of standard input.
char *line_plain(void);

// ---- a session of commands ----

// For completion: candidate number `index` for the next word, or NULL after the last one. `before` is the text before
// the word, such as "show ".
typedef const char *candidate_word(void *context, const char *before, int index);

enum { PROMPT_MAX = 32, LINE_END = 1 };

struct line_session {
    const char *command; // "play", for errors
    void *context;       // for the functions
    void (*prompt)(const void *context, char text[PROMPT_MAX]);
    // Carries out a line, given as its first word and the rest without surrounding blanks. Not called for blank lines
    // and "# comments". Returns 0, LINE_END to end the session, or an error, which is printed.
    int (*run)(void *context, const char *word, const char *argument);
    candidate_word *candidate;
};

// Carries out all lines of standard input, one at a time. At a terminal there are prompts, non-empty lines go to the
// history, and Ctrl-C ends the program with exit status 130. Returns the exit status. Failed lines count only if no
// user has seen them fail.
int line_session(const struct line_session *session);

#endif
