// command.h - the commands of cltb: each takes its arguments (without its name) and returns the exit status
#ifndef CLTB_CLI_COMMAND_H
#define CLTB_CLI_COMMAND_H

#include "cli/options.h"

#include <stddef.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary; // one line
};

// The texts in help/ (NAME.txt for each command) and in completion/ (cltb.SHELL for each shell), built into the program
// by cmake/EmbedKernels.cmake.
struct help_text {
    const char *name; // "build.txt"
    const char *text;
};
extern const struct help_text help_texts[]; // [help_text_count]
extern const size_t help_text_count;

extern const struct command build_command;
extern const struct command plan_command;
extern const struct command export_command;
extern const struct command import_command;
extern const struct command probe_command;
extern const struct command solve_command;
extern const struct command stats_command;
extern const struct command verify_command;
extern const struct command info_command;
extern const struct command list_command;
extern const struct command manifest_command;
extern const struct command devices_command;
extern const struct command bench_command;
extern const struct command tune_command;
extern const struct command perft_command;
extern const struct command annotate_command;
extern const struct command label_command;
extern const struct command explore_command;
extern const struct command play_command;
extern const struct command uci_command;
extern const struct command serve_command;
extern const struct command site_command;
extern const struct command completion_command;

// All commands, ending with NULL.
extern const struct command *const commands[];

// Runs the whole program; returns its exit status.
int command_main(int argc, char **argv);

// One of the texts by the name of its file, or NULL; and the help of a command.
const char *text_find(const char *name);
const char *command_help(const struct command *command);

#endif
