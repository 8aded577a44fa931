// engine.c - what a chess engine asks tables: at the root which moves to search, inside the search what a position is
// worth, from several threads (docs/engines.md explains the choices)
//
//     cc engine.c -o engine -pthread $(pkg-config --cflags --libs cltb)
//     ./engine tables '1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1'               the moves that the engine should search
//     ./engine tables '1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1' repeated      a position of the game has occurred twice
//     ./engine tables - 4 <positions.txt                               outcomes of many positions, with 4 threads
#include <cltb/cltb.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A win by the tables is worth less than any mate that the search has found, and more than any other score.
enum { SCORE_TABLE_WIN = 20000, SCORE_CURSED = 1 };

enum bound { BOUND_NONE, BOUND_EXACT, BOUND_AT_LEAST, BOUND_AT_MOST };

static int men(const cltb_position *position)
{
    int count = 0;
    for (uint64_t set = position->white | position->black; set != 0; set &= set - 1)
        count++;
    return count;
}

// In the search, `ply` plies from the root. BOUND_NONE: search on, the tables cannot help here.
static enum bound probe_in_search(cltb_tables *tables, int most_men, const cltb_position *position, int ply, int *score)
{
    int outcome;
    // Just after a capture or pawn move the clock is 0, as tables take it to be: the outcome is that of the game.
    if (men(position) > most_men || position->castling != 0 || position->fifty != 0 ||
        cltb_probe_outcome(tables, position, &outcome) != CLTB_OK)
        return BOUND_NONE;
    switch (outcome) {
    case CLTB_WIN:
        *score = SCORE_TABLE_WIN - ply; // there may be a shorter way, or a mate
        return BOUND_AT_LEAST;
    case CLTB_LOSS:
        *score = ply - SCORE_TABLE_WIN;
        return BOUND_AT_MOST;
    default: // drawn, if both sides know: a cursed win is only a little better
        *score = outcome * SCORE_CURSED;
        return BOUND_EXACT;
    }
}

// Does this move keep the outcome of the position, even if a rounded distance is one ply more?
static bool keeps(const cltb_position *position, const cltb_move *best, const cltb_move *move)
{
    if (move->value.outcome != best->value.outcome)
        return false;
    return move->value.outcome != CLTB_WIN || move->zeroing || !move->value.rounded ||
           position->fifty + move->value.dtz + 1 <= 100;
}

// At the root: the moves that the engine should search, in moves[0 .. result - 1]; negative if the tables do not know.
static int filter_root(cltb_tables *tables, const cltb_position *position, bool repeated, cltb_move *moves)
{
    const int count = cltb_root_moves(tables, position, moves);
    int kept = count > 0; // the first is the best
    for (int i = 1; i < count; i++) {
        // The distance falls with every move played by it, so no position comes again.
        const bool in_time = !repeated || moves[i].value.dtz == moves[0].value.dtz;
        if (in_time && keeps(position, &moves[0], &moves[i]))
            moves[kept++] = moves[i];
    }
    return count < 0 ? count : kept;
}

// Threads share one set of tables; each takes the next line until there is none.
struct work {
    cltb_tables *tables;
    int most_men;
    pthread_mutex_t lock;
    long count[5], unknown;
};

static void *probe_lines(void *argument)
{
    struct work *work = argument;
    char line[256];
    for (;;) {
        cltb_position position;
        int score;
        pthread_mutex_lock(&work->lock);
        const bool more = fgets(line, sizeof line, stdin) != NULL;
        pthread_mutex_unlock(&work->lock);
        if (!more)
            return NULL;
        line[strcspn(line, "\r\n")] = '\0';
        enum bound bound = BOUND_NONE;
        if (cltb_position_from_fen(&position, line) == CLTB_OK)
            bound = probe_in_search(work->tables, work->most_men, &position, 0, &score);
        pthread_mutex_lock(&work->lock);
        if (bound == BOUND_NONE)
            work->unknown++;
        else
            work->count[bound == BOUND_EXACT ? 2 + score : bound == BOUND_AT_LEAST ? 4 : 0]++;
        pthread_mutex_unlock(&work->lock);
    }
}

static void probe_many(cltb_tables *tables, int threads)
{
    struct work work = {.tables = tables, .most_men = cltb_complete_men(tables), .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread[64];
    int started = 0;
    while (started < threads && started < 64 && pthread_create(&thread[started], NULL, probe_lines, &work) == 0)
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    for (int outcome = CLTB_LOSS; outcome <= CLTB_WIN; outcome++)
        printf("%s %ld\n", cltb_outcome_name(outcome), work.count[outcome + 2]);
    printf("to be searched %ld\n", work.unknown);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s FOLDERS FEN [repeated] | FOLDERS - THREADS\n", argv[0]);
        return 2;
    }
    cltb_options options = {.cache_bytes = (size_t)64 << 20};
    cltb_tables *tables;
    cltb_position position;
    cltb_move moves[CLTB_MOVES_MAX];
    int code = cltb_open(&tables, argv[1], &options);
    if (code == CLTB_OK) {
        if (strcmp(argv[2], "-") == 0) {
            probe_many(tables, argc > 3 ? atoi(argv[3]) : 1);
        } else {
            code = cltb_position_from_fen(&position, argv[2]);
            if (code == CLTB_OK)
                code = filter_root(tables, &position, argc > 3, moves);
            for (int i = 0; i < code; i++)
                printf("%s %s %d\n", moves[i].uci, cltb_outcome_name(moves[i].value.outcome), moves[i].value.dtz);
        }
        cltb_close(tables);
    }
    if (code < 0)
        fprintf(stderr, "%s\n", cltb_error());
    return code < 0;
}
