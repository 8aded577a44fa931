// options.h - the options of a command as a table of names and places
//
//     --name VALUE, --name=VALUE or --flag, anywhere among the other arguments; `--` ends them. A fault is one line on
//     standard error that names the command and points to its help. Where there is --format json, --json is the same.
#ifndef CLTB_CLI_OPTIONS_H
#define CLTB_CLI_OPTIONS_H

#include "kind/kind.h"
#include "util/error.h"
#include "util/peers.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum exit_status { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

enum option_kind {
    OPTION_FLAG,   // bool
    OPTION_TEXT,   // const char *
    OPTION_FILE,   // const char *, a file
    OPTION_FOLDER, // const char *, one or several folders; completion offers these
    OPTION_NUMBER, // uint64_t, between least and most
    OPTION_SIZE,   // uint64_t bytes: a number such as 1.5, with K, M, G or T (powers of 1024) or without
    OPTION_CHOICE, // const char *, one of the words in `choices`
    OPTION_LIST    // const char *[`most` + 1], up to NULL: the option may be repeated
};

struct option {
    const char *name; // with its dashes; "": the other arguments, only for completion
    char letter;      // 'n': -n means the same; 0: none
    enum option_kind kind;
    void *value;         // unchanged if the option is not given
    uint64_t least;      // OPTION_NUMBER, OPTION_SIZE
    uint64_t most;       // OPTION_NUMBER, OPTION_LIST
    const char *choices; // OPTION_CHOICE: "text|json"; other kinds: words that completion offers
};

// The arguments without the options. `argv` is reordered in place.
struct arguments {
    const char *command; // for messages
    int count;
    char **word;
    const struct option *options; // the command's options
    uint64_t given;               // bit i: options[i] was given
};

// Returns EXIT_DONE, or EXIT_USAGE after printing what is wrong. The list of options ends with a NULL name.
int options_parse(struct arguments *arguments, const char *command, int argc, char **argv,
                  const struct option *options);

// Calls visit(context, options) with the table that a command passes to options_parse(), instead of running the
// command.
void options_visit(int (*run)(int argc, char **argv), void (*visit)(void *context, const struct option *options),
                   void *context);

// Returns EXIT_DONE, or EXIT_USAGE after printing the sentence of the first rule that the options break.
int options_check(const struct arguments *arguments, const struct option_rule *rules);

// The last kind of table that an option selects; without such an option the default kind.
const struct endgame_kind *options_kind(const struct arguments *arguments);

// The signal that stopped the command (Ctrl-C, or a polite kill), once interrupts_catch() was called; 0: none. Work
// looks at it now and then, and ends with what it has.
extern volatile sig_atomic_t interrupted;
void interrupts_catch(void);

// Prints an error's sentence on standard error. It is always one line, whatever names and texts it repeats: control
// characters become '?'.
void fault_line(const char *fmt, ...) CLTB_PRINTF(1, 2);

// The processes that run a build together, all with the same arguments; NULL: this process alone. Must be set before
// command_main().
extern const struct peers *command_peers;

// Prints "cltb COMMAND: ..." and a hint at the help on standard error, in one process only; returns EXIT_USAGE.
int usage_fault(const char *command, const char *fmt, ...) CLTB_PRINTF(2, 3);

// Prints "cltb COMMAND: " and the error sentence of this thread on standard error. Returns the exit status of the code.
int report(const char *command, int code);

// `--dir`, otherwise $CLTB_PATH, otherwise "tables".
const char *tables_dir(const char *option);

// The folders of --dir and then of --syzygy as one list, or tables_dir() if neither is given; the caller frees it.
// CLTB_E_MEMORY.
int folders_given(char **folders, const char *dir, const char *syzygy);

// Reads a whole number without a sign; false for anything else.
bool parse_number(const char *text, uint64_t *number);

#endif
