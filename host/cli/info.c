// info.c - `cltb info`: what a table file says about itself
#include "cli/command.h"

#include "kind/kind.h"
#include "util/error.h"

#include <string.h>

static int run(int argc, char **argv)
{
    const char *format = "text";
    const struct option options[] = {
        {.name = "--format", .kind = OPTION_CHOICE, .value = &format, .choices = "text|json"},
        {.name = "", .kind = OPTION_FILE},
        {.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "info", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    if (arguments.count != 1)
        return usage_fault("info", "takes one table file");
    int code = CLTB_E_FOREIGN;
    for (int i = 0; endgame_kinds[i] != NULL && code == CLTB_E_FOREIGN; i++)
        code = endgame_kinds[i]->info(arguments.word[0], strcmp(format, "json") == 0);
    return code != 0 ? report("info", code) : EXIT_DONE;
}

const struct command info_command = {"info", run, "shows what a table file says about itself"};
