// help.c - `cltb help`: what there is, and one command in full
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

const struct command *const commands[] = {
    &build_command, &probe_command, &stats_command, &verify_command, &info_command, &devices_command,
    &bench_command, &perft_command, &play_command,  &help_command,   NULL};

const struct command *command_find(const char *name)
{
    for (int i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

void command_help(const struct command *command)
{
    const size_t length = strlen(command->name);
    for (size_t i = 0; i < help_text_count; i++)
        if (strncmp(help_texts[i].name, command->name, length) == 0 && strcmp(help_texts[i].name + length, ".txt") == 0)
            printf("%s", help_texts[i].text);
}

static int run(int argc, char **argv)
{
    static const struct option none[] = {{.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "help", argc, argv, none);
    if (status != EXIT_DONE)
        return status;
    if (arguments.count > 1)
        return usage_fault("help", "one command at a time");
    if (arguments.count == 0) {
        printf("cltb %s - exact chess endgame tables\n\n", CLTB_VERSION);
        for (int i = 0; commands[i] != NULL; i++)
            printf("    cltb %-8s %s\n", commands[i]->name, commands[i]->summary);
        printf(
            "\n"
            "Tables are in the folder of --dir, else in $CLTB_PATH, else in ./tables. Exit status: 0 done, 1 failed,\n"
            "2 wrong usage, 130 interrupted. `cltb help COMMAND` tells more; `cltb --version` prints the version.\n");
        return EXIT_DONE;
    }
    const struct command *command = command_find(arguments.word[0]);
    if (command == NULL) {
        fault_line("cltb help: unknown command '%.40s' (see: cltb help)", arguments.word[0]);
        return EXIT_USAGE;
    }
    command_help(command);
    return EXIT_DONE;
}

const struct command help_command = {"help", run, "lists the commands, or explains one"};
