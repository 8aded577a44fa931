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

// The texts in help/, one NAME.txt for each command, built into the program by cmake/EmbedKernels.cmake.
struct help_text {
    const char *name; // "build.txt"
    const char *text;
};
extern const struct help_text help_texts[]; // [help_text_count]
extern const size_t help_text_count;

extern const struct command build_command;
extern const struct command probe_command;
extern const struct command stats_command;
extern const struct command verify_command;
extern const struct command info_command;
extern const struct command devices_command;
extern const struct command bench_command;
extern const struct command perft_command;
extern const struct command play_command;

#endif
