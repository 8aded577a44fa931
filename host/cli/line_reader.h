// line_reader.h - lines from standard input; at a terminal with editing, history and completion, if libedit is built in
#ifndef CLTB_CLI_LINE_READER_H
#define CLTB_CLI_LINE_READER_H

// The next line of standard input without its end and with NUL bytes as '?', to be freed; NULL at the end or if it
// cannot be read.
char *line_plain(void);

// ---- a session of commands ----

// The words that could stand next, for completion: number `index` of them, or NULL after the last one. `before` is the
// text before the word, as in "show ".
typedef const char *candidate_word(void *context, const char *before, int index);

enum { PROMPT_MAX = 32, LINE_END = 1 };

struct line_session {
    const char *command; // "play", for errors
    void *context;       // of the functions
    void (*prompt)(const void *context, char text[PROMPT_MAX]);
    // Carries out a line: its first word, and the rest without blanks around it. Not called for blank lines and
    // "# comments". 0, LINE_END to end the session, or an error, which is printed.
    int (*run)(void *context, const char *word, const char *argument);
    candidate_word *candidate;
};

// Carries out all lines of standard input; one at a time. At a terminal there are prompts, non-empty lines go to the
// history, and Ctrl-C ends the program with exit status 130. The exit status: failed lines count only if there is no
// user who has seen them fail.
int line_session(const struct line_session *session);

#endif
