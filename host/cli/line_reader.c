// line_reader.c - lines from standard input; at a terminal with editing, history and completion, if libedit is built in
#include "cli/line_reader.h"

#include "cli/options.h"
#include "util/error.h"
#include "util/os.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef CLTB_HAVE_EDITLINE
#include <editline/readline.h>
#include <termios.h>
#endif

// ---- Ctrl-C ----

#ifdef CLTB_HAVE_EDITLINE
static struct termios terminal_before;
#endif

// Everything here may be called in a signal handler. No data of a game outlive the program, so nothing else has to be
// done.
static void on_interrupt(int number)
{
    (void)number;
#ifdef CLTB_HAVE_EDITLINE
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
#endif
    ssize_t written = write(STDOUT_FILENO, "\n", 1);
    (void)written;
    _exit(EXIT_INTERRUPTED);
}

// ---- plain lines ----

char *line_of(FILE *in)
{
    enum { LINE_BYTES_MAX = 1 << 20 };
    bool cut = false;
    char *line = NULL;
    size_t length = 0;
    for (size_t size = 0;;) {
        const int c = getc(in);
        if (c == EOF && length == 0)
            break;
        const bool end = c == EOF || c == '\n' || c == '\r';
        cut |= !end && length == LINE_BYTES_MAX;
        if (!end && cut)
            continue;
        if (length + 1 >= size) {
            char *longer = realloc(line, size = 2 * size + 128);
            if (longer == NULL) {
                clearerr(in); // this is not the end of the input, even if that was reached
                break;
            }
            line = longer;
        }
        line[length] = '\0';
        if (cut)
            snprintf(line, size, "(a line of more than a million bytes)");
        if (c == EOF || c == '\n')
            return line;
        if (c == '\r') { // alone, or before a line feed
            const int next = getc(in);
            if (next != '\n')
                ungetc(next, in);
            return line;
        }
        line[length++] = c == '\0' ? '?' : (char)c; // it would hide the rest of its line
    }
    free(line);
    return NULL;
}

// ---- edited lines ----

#ifdef CLTB_HAVE_EDITLINE

// libedit's callbacks have no context.
static const struct line_session *completing;
static char *completing_before;

// Commands stand at the beginning of a line.
static const char *candidate(int index)
{
    const bool first = completing_before[strspn(completing_before, " ")] == '\0';
    for (const struct line_verb *verb = completing->verbs; first && verb->name != NULL; verb++)
        if (index-- == 0)
            return verb->name;
    return completing->candidate(completing->context, completing_before, index);
}

// The next candidate that begins with `text`, ignoring case; libedit frees it.
static char *next_completion(const char *text, int state)
{
    static int index;
    const char *word;
    if (state == 0)
        index = 0;
    while ((word = candidate(index)) != NULL) {
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
    return line_of(stdin);
}

#endif

// ---- sessions ----

static void begin_terminal(const struct line_session *session)
{
#ifdef CLTB_HAVE_EDITLINE
    tcgetattr(STDIN_FILENO, &terminal_before);
    completing = session;
    rl_readline_name = "cltb";
    rl_completer_word_break_characters = " ";
    rl_attempted_completion_function = complete;
    using_history();
#else
    (void)session;
#endif
    os_catch(on_interrupt);
}

// The next line without its line ending; the caller frees it. NULL at the end of input.
static char *next_line(const struct line_session *session, bool terminal)
{
    char prompt[PROMPT_MAX];
    fflush(stdout);
    if (!terminal)
        return line_of(stdin);
    session->prompt(session->context, prompt);
    char *line = edited_line(prompt);
    if (line == NULL)
        printf("\n"); // Ctrl-D leaves the cursor after the prompt
    return line;
}

static int run_line(const struct line_session *session, char *line)
{
    static const char blanks[] = " \t";
    char *word = line + strspn(line, blanks);
    char *argument = word + strcspn(word, blanks);
    if (*argument != '\0')
        *argument++ = '\0';
    argument += strspn(argument, blanks);
    for (size_t end = strlen(argument); end > 0 && strchr(blanks, argument[end - 1]) != NULL; end--)
        argument[end - 1] = '\0';
    if (*word == '\0' || *word == '#')
        return 0;
    for (const struct line_verb *verb = session->verbs; verb->name != NULL; verb++) {
        if (strcasecmp(word, verb->name) != 0)
            continue;
        if (verb->argument == NULL && *argument != '\0')
            return error_set(CLTB_E_USAGE, "'%s' takes no argument", verb->name);
        return session->run(session->context, verb, argument);
    }
    if (*argument != '\0')
        return error_set(CLTB_E_USAGE, "'%.40s' is not a command (see: help)", word);
    return session->move(session->context, word);
}

void line_help(const struct line_verb *verbs, int names, int arguments)
{
    for (; verbs->name != NULL; verbs++)
        if (verbs->help != NULL)
            printf("    %-*s %-*s %s\n", names, verbs->name, arguments, verbs->argument != NULL ? verbs->argument : "",
                   verbs->help);
}

int line_session(const struct line_session *session)
{
    const bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    int faults = 0;
    int code = 0;
    if (terminal)
        begin_terminal(session);
    for (char *line; code != LINE_END && (line = next_line(session, terminal)) != NULL; free(line)) {
        code = run_line(session, line);
        if (code < 0) {
            fflush(stdout);
            fault_line("cltb %s: %s", session->command, error_text());
            faults++;
        }
    }
    if (!terminal && code != LINE_END && !feof(stdin)) {
        fprintf(stderr, "cltb %s: cannot read standard input\n", session->command);
        return EXIT_FAILED;
    }
    return faults > 0 && !terminal ? EXIT_FAILED : EXIT_DONE;
}
