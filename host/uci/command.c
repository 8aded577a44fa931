// command.c - `cltb uci`: an engine for chess programs that plays from tables
#include "cli/command.h"
#include "cli/line_reader.h"

#include "uci/uci.h"
#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>

static int run(int argc, char **argv)
{
    const char *dir = NULL;
    const char *syzygy = NULL;
    const struct option options[] = {{.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
                                     {.name = "--syzygy", .kind = OPTION_FOLDER, .value = &syzygy},
                                     {.name = NULL}};
    struct arguments arguments;
    struct uci *uci = NULL;
    char *folders;
    char *line = NULL;
    TRY(options_parse(&arguments, "uci", argc, argv, options));
    if (arguments.count > 0)
        return usage_fault("uci", "takes no arguments: folders are given by --dir, positions by standard input");
    int code = folders_given(&folders, dir, syzygy);
    THEN(code, uci_open(&uci, folders));
    free(folders);
    if (code != 0)
        return report("uci", code);
    while ((line = line_plain()) != NULL && uci_line(uci, line))
        free(line);
    const bool ended = line != NULL || feof(stdin);
    free(line);
    uci_close(uci);
    return ended ? EXIT_DONE : report("uci", error_set(CLTB_E_IO, "standard input could not be read to its end"));
}

const struct command uci_command = {"uci", run, "a UCI engine that plays from tables"};
