// perft.c - `cltb perft`: counts the leaves of the tree of possible moves
#include "cli/command.h"

#include "chess/perft.h"
#include "kind/kind.h"
#include "util/clock.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int run(int argc, char **argv)
{
    struct perft_request r = {.position = NULL};
    const char *game = "chess";
    const char *rules = "full";
    uint64_t threads = 0;
    const struct option options[] = {
        {.name = "--game", .kind = OPTION_CHOICE, .value = &game, .choices = "chess|dobutsu"},
        {.name = "--rules", .kind = OPTION_CHOICE, .value = &rules, .choices = "full|stop"},
        {.name = "--divide", .kind = OPTION_FLAG, .value = &r.divide},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &threads, .least = 1, .most = 256},
        {.name = NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "perft", argc, argv, options));
    const struct endgame_kind *kind = options_kind(&arguments);
    TRY(options_check(&arguments, kind->perft_rules));
    uint64_t depth;
    if (arguments.count < 1 || arguments.count > 2)
        return usage_fault("perft", "takes a depth and perhaps a position in quotes");
    if (!parse_number(arguments.word[0], &depth) || depth > PERFT_DEPTH_MAX)
        return usage_fault("perft", "the depth is a number from 0 to %d, not '%.40s'", PERFT_DEPTH_MAX,
                           arguments.word[0]);
    r.position = arguments.count == 2 ? arguments.word[1] : NULL;
    r.depth = (int)depth;
    r.threads = (int)threads;
    r.stop = strcmp(rules, "stop") == 0;
    struct perft_result result = {.leaves = 0};
    const double start = wall_seconds();
    const int code = kind->perft(&r, &result);
    if (code != 0)
        return report("perft", code);
    const double seconds = wall_seconds() - start;
    printf("%" PRIu64 " lea%s", result.leaves, result.leaves == 1 ? "f" : "ves");
    if (result.parts[0] != '\0')
        printf(" (%s)", result.parts);
    printf(" in %.3f s", seconds);
    if (seconds > 0)
        printf(" (%.1f million/s)", 1e-6 * (double)result.leaves / seconds);
    printf("\n");
    return EXIT_DONE;
}

const struct command perft_command = {"perft", run, "counts the leaves of the tree of possible moves"};
