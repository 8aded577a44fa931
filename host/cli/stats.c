// stats.c - `cltb stats`: how many positions have which outcome and distance
#include "cli/command.h"
#include "cli/progress.h"

#include "kind/kind.h"
#include "util/error.h"

#include <stdlib.h>

static int run(int argc, char **argv)
{
    struct stats_request r = {.format = "text"};
    const char *dir = NULL;
    const char *syzygy = NULL;
    char *folders;
    uint64_t threads = 0;
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--syzygy", .kind = OPTION_FOLDER, .value = &syzygy},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &r.format, .choices = "text|tsv|json|syzygy"},
        {.name = "--longest", .kind = OPTION_FLAG, .value = &r.longest},
        {.name = "--zugzwangs", .kind = OPTION_FLAG, .value = &r.zugzwangs},
        {.name = "--recount", .kind = OPTION_FLAG, .value = &r.recount},
        {.name = "--keep", .kind = OPTION_FLAG, .value = &r.keep},
        {.name = "--reachable", .kind = OPTION_FLAG, .value = &r.reachable},
        {.name = "--stop", .kind = OPTION_FLAG, .value = &r.stop},
        {.name = "--plies", .kind = OPTION_FLAG, .value = &r.plies},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &threads, .least = 1, .most = 1024},
        {.name = "", .kind = OPTION_FILE},
        {.name = NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "stats", argc, argv, options));
    if (arguments.count != 1)
        return usage_fault("stats", "takes one table's name or file, such as KQvKR");
    r.name = arguments.word[0];
    const struct endgame_kind *kind = kind_of_name(r.name);
    TRY(options_check(&arguments, kind->stats_rules));
    r.progress = progress_share();
    int code = folders_given(&folders, dir, syzygy);
    r.folders = folders;
    THEN(code, threads_open(&r.pool, (int)threads));
    THEN(code, kind->stats(&r));
    progress_share_end();
    threads_close(r.pool);
    free(folders);
    return code != 0 ? report("stats", code) : EXIT_DONE;
}

const struct command stats_command = {"stats", run, "counts positions by outcome and distance"};
