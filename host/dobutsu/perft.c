// perft.c - counting sequences of moves of dobutsu shogi, the usual proof of a move generator
#include "dobutsu/rules.h"

#include "util/error.h"

static bool wins_now(const struct dobutsu *p)
{
    return dobutsu_can_take_lion(p) || dobutsu_can_ascend(p);
}

static void count(const struct dobutsu *p, int depth, bool stop, struct dobutsu_perft *result);

// Adds the sequences of `depth` >= 1 plies that begin with a move. The last move is counted without being made.
static void count_behind(const struct dobutsu *p, const struct dobutsu_move *move, int depth, bool stop,
                         struct dobutsu_perft *result)
{
    if (depth == 1) {
        result->sequences++;
        result->last_move_wins += move->wins;
    } else if (!move->wins) {
        struct dobutsu after;
        dobutsu_make(p, move, &after);
        count(&after, depth - 1, stop, result);
    }
}

static void count(const struct dobutsu *p, int depth, bool stop, struct dobutsu_perft *result)
{
    if (stop && wins_now(p))
        return;
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    int n = dobutsu_moves(p, moves);
    for (int i = 0; i < n; i++)
        count_behind(p, &moves[i], depth, stop, result);
}

int dobutsu_perft_divide(const struct dobutsu *p, int depth, bool stop, dobutsu_perft_visit *each, void *context,
                         struct dobutsu_perft *result)
{
    *result = (struct dobutsu_perft){.sequences = depth == 0};
    if (depth == 0 || (stop && wins_now(p)))
        return 0;
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    int n = dobutsu_moves(p, moves);
    for (int i = 0; i < n; i++) {
        struct dobutsu_perft behind = {0};
        count_behind(p, &moves[i], depth, stop, &behind);
        result->sequences += behind.sequences;
        result->last_move_wins += behind.last_move_wins;
        if (each != NULL)
            TRY(each(context, p, &moves[i], &behind));
    }
    return 0;
}

void dobutsu_perft(const struct dobutsu *p, int depth, bool stop, struct dobutsu_perft *result)
{
    dobutsu_perft_divide(p, depth, stop, NULL, NULL, result);
}
