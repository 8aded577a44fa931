// line_reader.c - lines from standard input; at a terminal with editing, history and completion, if libedit is built in
#include "cli/line_reader.h"

#include "cli/options.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

#ifdef CLTB_HAVE_EDITLINE
#include <editline/readline.h>
#endif

// ---- Ctrl-C ----

static struct termios terminal_before;

// All of this may be called in a signal handler. Nothing of a game outlives the program, so there is nothing else to
// do.
static void on_interrupt(int number)
{
    (void)number;
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
    ssize_t written = write(STDOUT_FILENO, "\n", 1);
    (void)written;
    _exit(EXIT_INTERRUPTED);
}

// ---- plain lines ----

char *line_plain(void)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length = getline(&line, &size, stdin);
    if (length < 0) {
        free(line);
        return NULL;
    }
    // A NUL byte would hide what follows it in its line.
    for (char *nul = line; (nul = memchr(nul, '\0', (size_t)(length - (nul - line)))) != NULL;)
        *nul = '?';
    line[strcspn(line, "\r\n")] = '\0';
    return line;
}

// ---- edited lines ----

#ifdef CLTB_HAVE_EDITLINE

// libedit's callbacks have no context.
static const struct line_reader *completing;
static char *completing_before;

// The next candidate that begins with `text`, in either case; to be freed by libedit.
static char *next_completion(const char *text, int state)
{
    static int index;
    const char *word;
    if (state == 0)
        index = 0;
    while ((word = completing->candidate(completing->context, completing_before, index)) != NULL) {
        index++;
        if (strncasecmp(word, text, strlen(text)) == 0)
            return strdup(word);
    }
    return NULL;
}

static char **complete(const char *text, int start, int end)
{
    (void)end;
    rl_attempted_completion_over = 1; // no names of files
    completing_before = strndup(rl_line_buffer, (size_t)start);
    if (completing_before == NULL)
        return NULL;
    char **matches = rl_completion_matches(text, next_completion);
    free(completing_before);
    return matches;
}

static char *edited_line(const char *prompt)
{
    char *line = readline(prompt);
    if (line != NULL && *line != '\0')
        add_history(line);
    return line;
}

#else

static char *edited_line(const char *prompt)
{
    printf("%s", prompt);
    fflush(stdout);
    return line_plain();
}

#endif

void line_reader_begin(struct line_reader *reader, candidate_word *candidate, void *context)
{
    *reader = (struct line_reader){isatty(STDIN_FILENO) && isatty(STDOUT_FILENO), candidate, context};
    if (!reader->terminal)
        return;
    struct sigaction action = {.sa_handler = on_interrupt};
    if (tcgetattr(STDIN_FILENO, &terminal_before) == 0) {
        sigemptyset(&action.sa_mask);
        sigaction(SIGINT, &action, NULL);
    }
#ifdef CLTB_HAVE_EDITLINE
    completing = reader;
    rl_readline_name = "cltb";
    rl_completer_word_break_characters = " ";
    rl_attempted_completion_function = complete;
    using_history();
#endif
}

char *line_reader_next(const struct line_reader *reader, const char *prompt)
{
    fflush(stdout);
    char *line = reader->terminal ? edited_line(prompt) : line_plain();
    if (line == NULL && reader->terminal)
        printf("\n"); // Ctrl-D leaves the cursor behind the prompt
    return line;
}
