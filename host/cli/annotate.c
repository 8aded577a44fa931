// annotate.c - `cltb annotate`: marks the moves of games that changed the outcome
//
// 1. The games are copied token by token (chess/pgn.h), and the moves are made on a board; a variation starts from the
//    position before the move that it replaces, so a stack keeps both positions of each level.
// 2. Before each move that the tables cover, cltb_root_moves() gives the value of every move. The first of them is the
//    position's own value; if the move that was played has another outcome, a mark is written after it.
// 3. The first position of a game or variation that is covered gets its value, too.
#include "cli/command.h"

#include "chess/fen.h"
#include "chess/notation.h"
#include "chess/pgn.h"
#include "show/values.h"
#include "util/error.h"
#include "util/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64 }; // depth of nested variations

struct level {
    struct position before; // before the last move
    struct position now;
    bool told; // the value of the first position that tables cover is printed
};

struct annotator {
    struct pgn pgn;
    cltb_tables *tables;
    struct level *level; // [DEPTH_MAX]
    int depth;
    bool any_moves;    // in the current game, so far
    const char *named; // the name of the file in errors
    unsigned long games, covered, marked, faults;
};

// ---- one move ----

// All moves of a position with their values. Returns their number, 0 if no table covers the position, or a negative
// code.
static int rank(const struct annotator *a, const struct position *p, cltb_move moves[CLTB_MOVES_MAX])
{
    char fen[FEN_MAX];
    cltb_position position;
    fen_write(p, fen);
    int count = cltb_position_from_fen(&position, fen);
    if (count == 0)
        count = cltb_root_moves(a->tables, &position, moves);
    return count == CLTB_E_POSITION || count == CLTB_E_MISSING ? 0 : count;
}

// The score of an outcome if the game ended so: 2 for a win, 0 for a loss, otherwise 1.
static int score(int outcome)
{
    return outcome == CLTB_WIN ? 2 : outcome == CLTB_LOSS ? 0 : 1;
}

// Writes what the tables say about the last move, if that is worth saying.
static int mark(struct annotator *a, struct level *level, const char *uci)
{
    cltb_move moves[CLTB_MOVES_MAX] = {0};
    const int count = rank(a, &level->before, moves);
    if (count <= 0)
        return count;
    FILE *copy = a->pgn.copy;
    int played = 0;
    while (played < count - 1 && strcmp(moves[played].uci, uci) != 0)
        played++;
    const cltb_value best = moves[0].value;
    const cltb_value got = moves[played].value;
    if (got.outcome == CLTB_UNKNOWN)
        return 0;
    a->covered++;
    if (got.outcome != best.outcome) {
        a->marked++;
        // $4 is a very poor move, $6 a questionable one: only the 50-move rule hides the difference.
        fprintf(copy, " %s {", score(got.outcome) != score(best.outcome) ? "$4" : "$6");
        text_value(copy, METRIC_DTZ, best);
        fprintf(copy, ", with %s; now ", moves[0].san);
        text_value(copy, METRIC_DTZ, got);
        fprintf(copy, "}");
    } else if (!level->told) {
        fprintf(copy, " {tables: ");
        text_value(copy, METRIC_DTZ, best);
        fprintf(copy, " before this move}");
    }
    level->told = true;
    return 0;
}

static int make_move(struct annotator *a)
{
    struct level *level = &a->level[a->depth];
    uint32_t move;
    char uci[UCI_MAX];
    TRY(san_read(&level->now, a->pgn.text, &move));
    uci_write(move, uci);
    position_copy(&level->before, &level->now);
    TRY(position_make(&level->now, move));
    position_forget(&level->now); // games may be longer than a position's history
    a->any_moves = true;
    return mark(a, level, uci);
}

// ---- games ----

static void game_begin(struct annotator *a)
{
    a->depth = 0;
    a->any_moves = false;
    a->level[0].told = false;
    position_start(&a->level[0].now);
    position_copy(&a->level[0].before, &a->level[0].now);
}

static int game_step(struct annotator *a, enum pgn_token token)
{
    struct level *level = &a->level[a->depth];
    switch (token) {
    case PGN_TAG:
        if (a->any_moves) // the previous game has no result
            game_begin(a);
        if (strcmp(a->pgn.name, "FEN") != 0)
            return 0;
        TRY(fen_read(&a->level[0].now, a->pgn.text));
        position_copy(&a->level[0].before, &a->level[0].now);
        return 0;
    case PGN_MOVE:
        a->games += !a->any_moves;
        return make_move(a);
    case PGN_OPEN:
        if (!a->any_moves)
            return error_set(CLTB_E_POSITION, "a variation stands before the first move");
        if (a->depth == DEPTH_MAX - 1)
            return error_set(CLTB_E_POSITION, "more than %d variations in each other", DEPTH_MAX - 1);
        position_copy(&level[1].now, &level->before);
        position_copy(&level[1].before, &level->before);
        level[1].told = level->told;
        a->depth++;
        return 0;
    case PGN_CLOSE:
        if (a->depth == 0)
            return error_set(CLTB_E_POSITION, "there is a ) without its (");
        a->depth--;
        return 0;
    default:
        game_begin(a);
        return 0;
    }
}

// Annotates all games of a file. A game with an error is copied, and its error reported.
static int annotate(struct annotator *a)
{
    game_begin(a);
    for (enum pgn_token token = PGN_TAG;;) {
        int code = pgn_next(&a->pgn, &token);
        if (code == 0 && token == PGN_END)
            return 0;
        const bool read = code == 0;
        if (read && (code = game_step(a, token)) == CLTB_E_POSITION)
            error_prefix(code, "line %ld", a->pgn.line);
        if (code == 0)
            continue;
        if (code != CLTB_E_POSITION)
            return code;
        fault_line("cltb annotate: %s, %s", a->named, error_text());
        a->faults++;
        pgn_skip_game(&a->pgn);
        game_begin(a);
    }
}

static int annotate_file(struct annotator *a, const char *path)
{
    FILE *in = strcmp(path, "-") == 0 ? stdin : os_read_stream(path);
    if (in == NULL)
        return error_errno(CLTB_E_IO, errno, "cannot open %s", path);
    a->named = in == stdin ? "standard input" : path;
    pgn_begin(&a->pgn, in, stdout);
    const int code = annotate(a);
    if (in != stdin)
        fclose(in);
    return code;
}

static int run(int argc, char **argv)
{
    const char *dir = NULL;
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir}, {.name = "", .kind = OPTION_FILE}, {.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "annotate", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    if (arguments.count == 0)
        return usage_fault("annotate", "needs a PGN file, or - for standard input");
    struct annotator a = {.level = malloc(DEPTH_MAX * sizeof(struct level))};
    int code = a.level == NULL ? error_memory(DEPTH_MAX * sizeof(struct level), "variations") : 0;
    if (code == 0)
        code = cltb_open(&a.tables, tables_dir(dir), NULL);
    for (int i = 0; i < arguments.count && code == 0; i++)
        code = annotate_file(&a, arguments.word[i]);
    cltb_close(a.tables);
    free(a.level);
    if (code != 0)
        return report("annotate", code);
    fprintf(stderr, "%lu game%s: tables cover %lu move%s, of which %lu changed the outcome\n", a.games,
            a.games == 1 ? "" : "s", a.covered, a.covered == 1 ? "" : "s", a.marked);
    return a.faults > 0 ? EXIT_FAILED : EXIT_DONE;
}

const struct command annotate_command = {"annotate", run, "marks the moves of PGN games that changed the outcome"};
