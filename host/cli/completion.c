// completion.c - `cltb completion`: a script by which a shell completes command lines
//
// The scripts are host/cli/completion/cltb.SHELL with a table in place of @TABLE@, one line for each command and each
// of its options:
//
//     build||command||makes tables
//     build|--device|value|auto cpu|auto: a GPU if there is one, else the processor
//     build||value|dobutsu|                  the arguments that are not options
//
// The columns are command, option, kind (command, flag, value, file or folder), words that are offered, meaning.
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

// Prints what the help says about an option up to the end of the first clause; nothing if it has no entry of the form "
// --name VALUE  text". Quotes become double, because one of the scripts holds the table in single ones.
static void print_meaning(const struct command *command, const char *option)
{
    char entry[64];
    snprintf(entry, sizeof entry, "\n    %s ", option);
    const char *at = strstr(command_help(command), entry);
    if (at == NULL)
        return;
    at += strlen(entry);
    at += strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (*at != ' ') // a word in lower case is one of several values, and the text is only about that one
        return;
    for (at += strspn(at, " "); *at != '\0' && strncmp(at, " (", 2) != 0; at++) {
        if ((*at == ';' || *at == '.') && (at[1] == ' ' || at[1] == '\n'))
            break;
        if (*at == '\n' && strncmp(at + 1, "        ", 8) != 0)
            break;
        putchar(*at == '\n' ? ' ' : *at == '\'' ? '"' : *at);
        if (*at == '\n')
            at += strspn(at + 1, " ");
    }
}

static void print_line(const struct command *command, const struct option *option)
{
    static const char *const kinds[] = {
        [OPTION_FLAG] = "flag",    [OPTION_FILE] = "file",  [OPTION_FOLDER] = "folder", [OPTION_TEXT] = "value",
        [OPTION_NUMBER] = "value", [OPTION_SIZE] = "value", [OPTION_CHOICE] = "value",  [OPTION_LIST] = "value"};
    printf("%s|%s|%s|", command->name, option->name, kinds[option->kind]);
    for (const char *c = option->choices; c != NULL && *c != '\0'; c++)
        putchar(*c == '|' ? ' ' : *c);
    printf("|");
    if (option->name[0] != '\0')
        print_meaning(command, option->name);
    printf("\n");
}

static void print_options(void *context, const struct option *options)
{
    for (; options->name != NULL; options++)
        print_line(context, options);
}

static void print_table(void)
{
    for (int i = 0; commands[i] != NULL; i++) {
        printf("%s||command||%s\n", commands[i]->name, commands[i]->summary);
        options_visit(commands[i]->run, print_options, (void *)commands[i]);
    }
    printf("help||value|");
    for (int i = 0; commands[i] != NULL; i++)
        printf("%s ", commands[i]->name);
    printf("|\n");
}

static int run(int argc, char **argv)
{
    static const struct option options[] = {{.name = "", .kind = OPTION_TEXT, .choices = "bash|zsh|fish"},
                                            {.name = NULL}};
    struct arguments arguments;
    char name[16];
    TRY(options_parse(&arguments, "completion", argc, argv, options));
    if (arguments.count != 1)
        return usage_fault("completion", "for which shell? bash, zsh or fish");
    snprintf(name, sizeof name, "cltb.%s", arguments.word[0]);
    const char *script = text_find(name);
    if (script == NULL)
        return usage_fault("completion", "takes %s, not '%.40s'", options[0].choices, arguments.word[0]);
    const char *place = strstr(script, "@TABLE@\n");
    printf("%.*s", (int)(place - script), script);
    print_table();
    printf("%s", place + strlen("@TABLE@\n"));
    return EXIT_DONE;
}

const struct command completion_command = {"completion", run, "prints a script that completes command lines"};
