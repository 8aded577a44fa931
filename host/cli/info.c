// info.c - `cltb info`: what a table file says about itself
#include "cli/command.h"

#include "kind/kind.h"
#include "util/error.h"

#include <string.h>

static int run(int argc, char **argv)
{
    const char *format = "text";
    const char *dir = NULL;
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &format, .choices = "text|json"},
        {.name = "", .kind = OPTION_FILE},
        {.name = NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "info", argc, argv, options));
    if (arguments.count != 1)
        return usage_fault("info", "takes one table's name or file");
    char path[PATH_MAX];
    int code = kind_find_file(path, arguments.word[0], tables_dir(dir));
    const struct endgame_kind *kind = code == 0 ? kind_of_table(NULL, path) : NULL;
    bool shown = code != 0 || kind != NULL;
    if (kind != NULL)
        code = kind->info(path, strcmp(format, "json") == 0);
    for (int i = 0; endgame_kinds[i] != NULL && !shown; i++) {
        code = endgame_kinds[i]->info(path, strcmp(format, "json") == 0);
        shown = code != CLTB_E_FOREIGN;
    }
    return code != 0 ? report("info", code) : EXIT_DONE;
}

const struct command info_command = {"info", run, "shows what a table file says about itself"};
