// dispatch.c - dispatches to the commands, one file each; `cltb help` lists and explains them
#include "cli/command.h"
#include "cli/guess.h"
#include "util/os.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <string.h>

static int run_help(int argc, char **argv);

static const struct command help_command = {"help", run_help, "lists the commands, or explains one"};

const struct command *const commands[] = {&build_command,      &plan_command,     &export_command,
                                          &import_command,     &probe_command,
#ifdef CLTB_HAVE_STUDIES
                                          &solve_command,
#endif
                                          &stats_command,      &verify_command,   &info_command,
                                          &list_command,       &manifest_command, &devices_command,
                                          &bench_command,      &tune_command,     &perft_command,
                                          &annotate_command,   &label_command,    &explore_command,
#ifdef CLTB_HAVE_DOBUTSU
                                          &play_command,
#endif
#ifdef CLTB_HAVE_SERVE
                                          &uci_command,        &serve_command,    &site_command,
#endif
                                          &completion_command, &help_command,     NULL};

static const struct command *command_find(const char *name)
{
    for (int i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown_command(const char *prefix, const char *name)
{
    struct guess guess = {NULL, 0};
    for (int i = 0; commands[i] != NULL; i++)
        guess_try(&guess, name, commands[i]->name);
    fault_line("%s: unknown command '%.40s'%s (see: cltb help)", prefix, name, guess_text(&guess).text);
    return EXIT_USAGE;
}

const char *text_find(const char *name)
{
    for (size_t i = 0; i < help_text_count; i++)
        if (strcmp(help_texts[i].name, name) == 0)
            return help_texts[i].text;
    return NULL;
}

const char *command_help(const struct command *command)
{
    char name[32];
    snprintf(name, sizeof name, "%s.txt", command->name);
    return text_find(name);
}

static int list_commands(int status)
{
    printf("cltb %s - exact chess endgame tables\n\n", CLTB_VERSION);
    for (int i = 0; commands[i] != NULL; i++)
        printf("    cltb %-10s %s\n", commands[i]->name, commands[i]->summary);
    printf("\n"
           "Tables are in the folder of --dir, else in $CLTB_PATH, else in ./tables. Exit\n"
           "status: 0 done, 1 failed, 2 wrong usage, 130 interrupted. --json is short for\n"
           "--format json, where a command has it. `cltb help COMMAND` tells more; `cltb\n"
           "version` prints the version.\n");
    return status;
}

static int run_help(int argc, char **argv)
{
    static const struct option none[] = {{.name = NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "help", argc, argv, none));
    if (arguments.count > 1)
        return usage_fault("help", "one command at a time");
    if (arguments.count == 0)
        return list_commands(EXIT_DONE);
    const struct command *command = command_find(arguments.word[0]);
    if (command == NULL)
        return unknown_command("cltb help", arguments.word[0]);
    fputs(command_help(command), stdout);
    return EXIT_DONE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return list_commands(EXIT_USAGE);
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0 || strcmp(name, "-v") == 0 ||
        strcmp(name, "version") == 0) {
        printf("cltb %s\n", CLTB_VERSION);
        return EXIT_DONE;
    }
    const struct command *command = command_find(name);
    if (command == NULL)
        return unknown_command("cltb", name);
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(command_help(command), stdout);
            return EXIT_DONE;
        }
    }
    return command->run(argc - 2, argv + 2);
}

int command_main(int argc, char **argv)
{
#ifdef __GLIBC__
    // Arrays of megabytes come and go while slices are solved. Freed memory stays with the process, because first
    // touches of new pages cost more than the arithmetic on them.
    mallopt(M_MMAP_THRESHOLD, 16 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
    os_start(argc, argv);
    const int status = dispatch(argc, argv);
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return status;
    // Output that cannot be written (a full disk, a closed pipe) is a failure, even if the command succeeded.
    fprintf(stderr, "cltb: cannot write to standard output\n");
    return status == EXIT_DONE ? EXIT_FAILED : status;
}
