// line_reader.h - lines from standard input; at a terminal with editing, history and completion, if libedit is built in
#ifndef CLTB_CLI_LINE_READER_H
#define CLTB_CLI_LINE_READER_H

#include <stdio.h>

// The next line of a file without its line ending (LF, CR or both) and with NUL bytes replaced by '?'; the caller frees
// it. NULL at the end, for which feof() is true, or if it cannot be read or memory is short. In place of a line of more
// than a million bytes there is a text that says so.
char *line_of(FILE *in);

// ---- a session of commands ----

enum { PROMPT_MAX = 32, LINE_END = 1 };

// A command of a session.
struct line_verb {
    const char *name;     // NULL ends a list
    const char *argument; // as the list of commands shows it; NULL: takes none
    const char *help;     // NULL: not listed
    int id;               // the session's own
};

// Prints the commands; the columns of names and arguments have these widths.
void line_help(const struct line_verb *verbs, int names, int arguments);

// Results are 0, LINE_END to end the session, or an error, which is printed.
struct line_session {
    const char *command; // "play", for errors
    void *context;       // for the functions
    const struct line_verb *verbs;
    void (*prompt)(const void *context, char text[PROMPT_MAX]);
    // Carries out a command with the rest of its line, without surrounding blanks.
    int (*run)(void *context, const struct line_verb *verb, const char *argument);
    // Carries out a line of one word that is no command.
    int (*move)(void *context, const char *word);
    // For completion: candidate number `index` for the next word, besides commands, or NULL after the last one.
    // `before` is the text before the word, such as "show ".
    const char *(*candidate)(void *context, const char *before, int index);
};

// Carries out all lines of standard input, one at a time, except blank ones and "# comments". At a terminal there are
// prompts, non-empty lines go to the history, and Ctrl-C ends the program with exit status 130. Returns the exit
// status. Failed lines count only if no user has seen them fail.
int line_session(const struct line_session *session);

#endif
