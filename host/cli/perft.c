// perft.c - `cltb perft`: counts the leaves of the tree of legal moves
#include "cli/clock.h"
#include "cli/command.h"

#include "rules/fen.h"
#include "rules/notation.h"
#include "rules/perft.h"
#include "util/threads.h"

#include <inttypes.h>
#include <stdio.h>

static int print_move(void *context, const struct position *p, uint32_t move, uint64_t leaves)
{
    (void)context;
    (void)p;
    char name[UCI_MAX];
    uci_write(move, name);
    printf("%s: %" PRIu64 "\n", name, leaves);
    return 0;
}

static int run(int argc, char **argv)
{
    bool divide = false;
    uint64_t threads = 0;
    const struct option options[] = {
        {.name = "--divide", .kind = OPTION_FLAG, .value = &divide},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &threads, .least = 1, .most = 256},
        {.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "perft", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    uint64_t depth;
    if (arguments.count < 1 || arguments.count > 2)
        return usage_fault("perft", "takes a depth and perhaps a FEN (in quotes)");
    if (!parse_number(arguments.word[0], &depth) || depth > PERFT_DEPTH_MAX)
        return usage_fault("perft", "the depth is a number from 0 to %d, not '%.40s'", PERFT_DEPTH_MAX,
                           arguments.word[0]);
    struct position p;
    int code = fen_read(&p, arguments.count == 2 ? arguments.word[1] : FEN_START);
    if (code != 0)
        return report("perft", code);
    uint64_t leaves;
    double start = wall_seconds();
    int workers = threads > 0 ? (int)threads : threads_processors();
    code = perft_divide(&p, (int)depth, workers, divide ? print_move : NULL, NULL, &leaves);
    if (code != 0)
        return report("perft", code);
    double seconds = wall_seconds() - start;
    printf("%" PRIu64 " leaves in %.3f s", leaves, seconds);
    if (seconds > 0)
        printf(" (%.1f million/s)", 1e-6 * (double)leaves / seconds);
    printf("\n");
    return EXIT_DONE;
}

const struct command perft_command = {
    "perft", run, "counts the leaves of the tree of legal moves",
    "cltb perft DEPTH [FEN] [--divide] [--threads N]\n\n"
    "Counts the move sequences of DEPTH plies, from the start of a game or from FEN.\n\n"
    "    --divide       also the count behind each move\n"
    "    --threads N    default: one for each processor\n"};
