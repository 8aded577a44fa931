// perft.c - `cltb perft`: counts the leaves of the tree of possible moves, of chess or of dobutsu shogi
#include "cli/command.h"
#include "util/clock.h"

#include "chess/fen.h"
#include "chess/notation.h"
#include "chess/perft.h"
#include "dobutsu/rules.h"
#include "util/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct perft_options {
    const char *game;
    const char *rules; // NULL: not given
    uint64_t threads;  // 0: not given
    bool divide;
};

static void print_time(double start, uint64_t leaves)
{
    double seconds = wall_seconds() - start;
    printf(" in %.3f s", seconds);
    if (seconds > 0)
        printf(" (%.1f million/s)", 1e-6 * (double)leaves / seconds);
    printf("\n");
}

// ---- chess ----

static int print_move(void *context, const struct position *p, uint32_t move, uint64_t leaves)
{
    (void)context;
    (void)p;
    char name[UCI_MAX];
    uci_write(move, name);
    printf("%s: %" PRIu64 "\n", name, leaves);
    return 0;
}

static int chess(const struct perft_options *o, int depth, const char *fen)
{
    struct position p;
    int code = fen_read(&p, fen != NULL ? fen : FEN_START);
    if (code != 0)
        return report("perft", code);
    uint64_t leaves;
    double start = wall_seconds();
    int workers = o->threads > 0 ? (int)o->threads : threads_processors();
    code = perft_divide(&p, depth, workers, o->divide ? print_move : NULL, NULL, &leaves);
    if (code != 0)
        return report("perft", code);
    printf("%" PRIu64 " leaves", leaves);
    print_time(start, leaves);
    return EXIT_DONE;
}

// ---- dobutsu shogi ----

static int print_dobutsu_move(void *context, const struct dobutsu *p, const struct dobutsu_move *move,
                              const struct dobutsu_perft *behind)
{
    (void)context;
    char name[DOBUTSU_MOVE_MAX];
    dobutsu_move_write(p, move, name);
    printf("%s: %" PRIu64 "\n", name, behind->sequences);
    return 0;
}

static int dobutsu(const struct perft_options *o, int depth, const char *text)
{
    struct dobutsu p;
    int code = dobutsu_read(&p, text != NULL ? text : DOBUTSU_START);
    if (code != 0)
        return report("perft", code);
    struct dobutsu_perft result;
    bool stop = o->rules != NULL && strcmp(o->rules, "stop") == 0;
    double start = wall_seconds();
    dobutsu_perft_divide(&p, depth, stop, o->divide ? print_dobutsu_move : NULL, NULL, &result);
    printf("%" PRIu64 " leaves (%" PRIu64 " won by the last move)", result.sequences, result.last_move_wins);
    print_time(start, result.sequences);
    return EXIT_DONE;
}

// ---- the command ----

static int run(int argc, char **argv)
{
    struct perft_options o = {.game = "chess"};
    const struct option options[] = {
        {.name = "--game", .kind = OPTION_CHOICE, .value = &o.game, .choices = "chess|dobutsu"},
        {.name = "--rules", .kind = OPTION_CHOICE, .value = &o.rules, .choices = "full|stop"},
        {.name = "--divide", .kind = OPTION_FLAG, .value = &o.divide},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &o.threads, .least = 1, .most = 256},
        {.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "perft", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    bool is_chess = strcmp(o.game, "chess") == 0;
    if (is_chess && o.rules != NULL)
        return usage_fault("perft", "--rules belongs to --game dobutsu");
    if (!is_chess && o.threads != 0)
        return usage_fault("perft", "--threads belongs to chess: --game dobutsu takes one thread");
    uint64_t depth;
    if (arguments.count < 1 || arguments.count > 2)
        return usage_fault("perft", "takes a depth and perhaps %s (in quotes)", is_chess ? "a FEN" : "a position");
    if (!parse_number(arguments.word[0], &depth) || depth > PERFT_DEPTH_MAX)
        return usage_fault("perft", "the depth is a number from 0 to %d, not '%.40s'", PERFT_DEPTH_MAX,
                           arguments.word[0]);
    const char *position = arguments.count == 2 ? arguments.word[1] : NULL;
    return is_chess ? chess(&o, (int)depth, position) : dobutsu(&o, (int)depth, position);
}

const struct command perft_command = {"perft", run, "counts the leaves of the tree of possible moves"};
