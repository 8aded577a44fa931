// play.c - `cltb play dobutsu`: a game at the terminal, against perfect play or by the rules alone
//
// A line is a command or a move. A line that fails prints one line on standard error; moves made before it stay.
#include "cli/command.h"
#include "cli/line_reader.h"
#include "dobutsu/cli/probe.h"
#include "dobutsu/table.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SEQUEL_PLIES = 6, REPETITIONS = 3 };

// ---- a game ----

enum game_end {
    GAME_ON,
    GAME_LION_TAKEN, // by the side that moved last
    GAME_ASCENDED,   // the lion of the side that moved last
    GAME_NO_MOVE,    // the side to move has lost
    GAME_REPETITION  // a draw: the position stands for the third time
};

struct game {
    struct game_ply {
        struct dobutsu position;  // with the mover as Sente and its men in canonical order
        struct dobutsu_move move; // none yet in the last position
    } * ply;                      // [plies + 1]
    int plies;
    size_t room; // for positions
    enum game_end end;
};

static const struct dobutsu *game_position(const struct game *game)
{
    return &game->ply[game->plies].position;
}

// How the game ends in the position itself, unless a winning move led to it.
static enum game_end end_of_position(const struct game *game)
{
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    if (dobutsu_moves(game_position(game), moves) == 0)
        return GAME_NO_MOVE;
    const struct dobutsu *p = game_position(game);
    int times = 1;
    for (int i = 0; i < game->plies; i++)
        times += memcmp(p, &game->ply[i].position, sizeof *p) == 0;
    return times >= REPETITIONS ? GAME_REPETITION : GAME_ON;
}

// A new game from a position; it may already be over. The array of an earlier game is used again.
static int game_begin(struct game *game, const struct dobutsu *start)
{
    TRY(memory_grow(&game->ply, &game->room, 1, sizeof *game->ply, "the game"));
    game->plies = 0;
    game->ply[0].position = *start;
    dobutsu_sort(&game->ply[0].position);
    game->end = dobutsu_is_over(start) ? GAME_ASCENDED : end_of_position(game);
    return 0;
}

// Plays a possible move of a game that is not over.
static int game_play(struct game *game, const struct dobutsu_move *move)
{
    TRY(memory_grow(&game->ply, &game->room, (size_t)game->plies + 2, sizeof *game->ply, "the game"));
    struct dobutsu *after = &game->ply[game->plies + 1].position;
    struct dobutsu_move made = *move;
    if (move->captured == DOBUTSU_MAN_LION)
        made.captured = DOBUTSU_MAN_NONE; // the last position still has the lion, under the man that took it
    dobutsu_make(game_position(game), &made, after);
    dobutsu_sort(after);
    game->ply[game->plies++].move = *move;
    if (move->captured == DOBUTSU_MAN_LION)
        game->end = GAME_LION_TAKEN;
    else
        game->end = move->wins ? GAME_ASCENDED : end_of_position(game);
    return 0;
}

// Takes back the last move; there must be one.
static void game_undo(struct game *game)
{
    game->plies--;
    game->end = GAME_ON;
}

// The side to move.
static const char *side_name(const struct dobutsu *p)
{
    return p->turned ? "Gote" : "Sente";
}

// Prints the board with ranks and files, men in hand at the sides, and who is to move.
static void game_print_board(const struct game *game)
{
    const struct dobutsu *p = game_position(game);
    char text[DOBUTSU_TEXT_MAX];
    dobutsu_write(p, text);
    const char *rank = strchr(text, '/');
    const char *hands = strrchr(text, '/');
    printf("   a b c\n");
    for (int number = 1; rank < hands; number++, rank += 4) {
        printf("%d ", number);
        for (int file = 1; file <= 3; file++)
            printf(" %c", rank[file] == '-' ? '.' : rank[file]);
        // The players stand at the sides; Sente's men are the capital letters.
        const bool gote = number == 1;
        if (gote || rank + 4 == hands) {
            int men = 0;
            printf("   %s", gote ? "Gote" : "Sente");
            for (const char *man = hands + 1; *man != '\0'; man++)
                if (*man != '-' && (*man >= 'a') == gote)
                    printf("%s%c", men++ == 0 ? ", in hand " : " ", *man);
            printf("%s", game->end == GAME_ON && p->turned == gote ? ", to move" : "");
        }
        printf("\n");
    }
}

// Prints all moves so far, numbered, or "no moves".
static void game_print_moves(const struct game *game)
{
    if (game->plies == 0)
        printf("no moves");
    for (int i = 0; i < game->plies; i++) {
        char move[DOBUTSU_MOVE_MAX];
        const struct dobutsu *p = &game->ply[i].position;
        dobutsu_move_write(p, &game->ply[i].move, move);
        if (!p->turned || i == 0)
            printf("%s%d%s", i > 0 ? " " : "", (i + 1) / 2 + 1, p->turned ? "..." : ".");
        printf(" %s", move);
    }
    printf("\n");
}

// Prints how the game ended, in one line.
static void game_print_end(const struct game *game)
{
    const struct dobutsu *p = game_position(game);
    const char *winner = p->turned ? "Sente" : "Gote";
    if (game->end == GAME_REPETITION)
        printf("draw: this position for the third time\n");
    else if (game->end == GAME_NO_MOVE)
        printf("%s wins: %s has no move\n", winner, side_name(p));
    else if (game->end != GAME_ON)
        printf("%s wins: the lion %s\n", winner, game->end == GAME_ASCENDED ? "has ascended" : "is taken");
}

// ---- the session ----

struct session {
    struct game game;
    struct dobutsu_table *table; // NULL: rules only
    char no_table[512];          // why there is none
    bool computer[2];            // does it play Sente, Gote?
    bool verbose;
};

// What a command may need before it runs.
enum { NEEDS_COMPUTER = 1, NEEDS_VALUES = 2, NEEDS_GAME = 4 };

static const struct dobutsu *now(const struct session *s)
{
    return game_position(&s->game);
}

static bool computer_moves(const struct session *s)
{
    return s->computer[now(s)->turned];
}

// `what` names the command in errors.
static int check_needs(const struct session *s, int needs, const char *what)
{
    if ((needs & (NEEDS_COMPUTER | NEEDS_VALUES)) != 0 && s->table == NULL)
        return error_set(CLTB_E_MISSING, "%s needs the table: %s",
                         (needs & NEEDS_COMPUTER) != 0 ? "the computer" : what, s->no_table);
    if ((needs & NEEDS_GAME) != 0 && s->game.end != GAME_ON)
        return error_set(CLTB_E_USAGE, "the game is over (new, undo and setup still work)");
    return 0;
}

// ---- playing ----

// Plays the first of the best moves as long as it is the computer's turn. If the table cannot be read, the player takes
// over.
static int computer_plays(struct session *s)
{
    int code = 0;
    while (code == 0 && s->game.end == GAME_ON && computer_moves(s)) {
        struct dobutsu_ranking ranking;
        char name[DOBUTSU_MOVE_MAX];
        code = dobutsu_rank(s->table, now(s), &ranking);
        if (code != 0)
            break;
        dobutsu_move_write(now(s), &ranking.best[0].move, name);
        printf("%s plays %s\n", side_name(now(s)), name);
        code = game_play(&s->game, &ranking.best[0].move);
    }
    if (code != 0)
        s->computer[0] = s->computer[1] = false;
    if (s->verbose)
        game_print_board(&s->game);
    game_print_end(&s->game);
    return code;
}

static int set_computer(struct session *s, bool sente, bool gote)
{
    s->computer[0] = sente;
    s->computer[1] = gote;
    return computer_plays(s);
}

static int begin_game(struct session *s, const char *position)
{
    struct dobutsu start;
    TRY(dobutsu_read(&start, position));
    TRY(game_begin(&s->game, &start));
    return computer_plays(s);
}

static int play_both(struct session *s)
{
    int code = set_computer(s, true, true);
    s->computer[0] = s->computer[1] = false;
    return code;
}

// ---- what commands tell ----

// Prints no line ending. `width` pads the value where something follows it.
static void print_move(const struct session *s, const struct dobutsu_ranked *ranked, int width)
{
    char name[DOBUTSU_MOVE_MAX];
    char value[DOBUTSU_VALUE_MAX];
    dobutsu_move_write(now(s), &ranked->move, name);
    dobutsu_value_write(ranked->value, value);
    printf("%-8s %-*s", name, width, value);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

// The first plies of a best line after a move.
static int print_sequel(const struct session *s, const struct dobutsu_move *move)
{
    struct dobutsu_ranking ranking;
    struct dobutsu_line line;
    struct dobutsu at;
    dobutsu_make(now(s), move, &at);
    TRY(dobutsu_rank(s->table, &at, &ranking));
    TRY(dobutsu_best_line(s->table, &at, &ranking, SEQUEL_PLIES, &line));
    for (int i = 0; i < line.plies; i++)
        printf(" %s", line.move[i]);
    printf("%s", line.plies == SEQUEL_PLIES && !line.wins ? " ..." : "");
    return 0;
}

enum thing { BOARD, MOVES, LINES, BEST, EVAL, SETUP, GAME };

static const struct {
    const char *name;
    int needs;
    const char *whole; // the command, for errors
} things[] = {[BOARD] = {"board", 0, "show board"},
              [MOVES] = {"moves", NEEDS_GAME, "show moves"},
              [LINES] = {"lines", NEEDS_VALUES | NEEDS_GAME, "show lines"},
              [BEST] = {"best", NEEDS_VALUES | NEEDS_GAME, "show best"},
              [EVAL] = {"eval", NEEDS_VALUES | NEEDS_GAME, "show eval"},
              [SETUP] = {"setup", 0, "show setup"},
              [GAME] = {"game", 0, "show game"}};

enum { THINGS = sizeof things / sizeof things[0] };

static int show_thing(struct session *s, enum thing thing)
{
    struct dobutsu_ranking ranking;
    struct cltb_dobutsu_value value;
    char text[DOBUTSU_TEXT_MAX];
    char value_text[DOBUTSU_VALUE_MAX];
    int code = 0;
    switch (thing) {
    case BOARD:
        game_print_board(&s->game);
        game_print_end(&s->game);
        break;
    case GAME:
        game_print_moves(&s->game);
        game_print_end(&s->game);
        break;
    case SETUP:
        if (s->game.end == GAME_LION_TAKEN)
            return error_set(CLTB_E_USAGE, "the game is over: without a lion there is no position to show");
        dobutsu_write(now(s), text);
        printf("%s\n", text);
        break;
    case EVAL:
        TRY(dobutsu_known_value(s->table, now(s), &value));
        dobutsu_value_write(value, value_text);
        printf("%s: %s\n", side_name(now(s)), value_text);
        break;
    case BEST:
        TRY(dobutsu_rank(s->table, now(s), &ranking));
        if (ranking.best[0].value.outcome == CLTB_DRAW) {
            printf("draw: best play has no end\n");
            break;
        }
        printf("best line:");
        code = dobutsu_print_line(s->table, now(s), &ranking, NULL);
        printf("\n");
        break;
    case MOVES:
    case LINES:
        if (s->table == NULL) {
            struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
            char names[DOBUTSU_MOVES_MAX][DOBUTSU_MOVE_MAX];
            const int count = dobutsu_moves(now(s), moves);
            for (int i = 0; i < count; i++)
                dobutsu_move_write(now(s), &moves[i], names[i]);
            qsort(names, (size_t)count, sizeof names[0], compare_names);
            for (int i = 0; i < count; i++)
                printf("%s\n", names[i]);
            printf("(no values: %s)\n", s->no_table);
            break;
        }
        TRY(dobutsu_rank(s->table, now(s), &ranking));
        for (int i = 0; code == 0 && i < ranking.count; i++) {
            print_move(s, &ranking.best[i], thing == LINES ? 8 : 0);
            if (thing == LINES && !ranking.best[i].move.wins)
                code = print_sequel(s, &ranking.best[i].move);
            printf("\n");
        }
        break;
    }
    return code;
}

// ---- the commands ----

enum verb_id { NEW, SET_UP, UNDO, REMOVE, HINT, SHOW, GO, SENTE, GOTE, BOTH, FORCE, VERBOSE, QUIET, HELP, QUIT };

static const int verb_needs[] = {[HINT] = NEEDS_VALUES | NEEDS_GAME,
                                 [GO] = NEEDS_COMPUTER | NEEDS_GAME,
                                 [SENTE] = NEEDS_COMPUTER,
                                 [GOTE] = NEEDS_COMPUTER,
                                 [BOTH] = NEEDS_COMPUTER | NEEDS_GAME,
                                 [QUIT] = 0};

static const struct line_verb verbs[] = {
    {"new", "[POSITION]", "a new game, from the start or from POSITION", NEW},
    {"setup", "POSITION", "the same, with a position", SET_UP},
    {"undo", NULL, "takes back your last move, and the computer's reply", UNDO},
    {"remove", NULL, "takes back two moves", REMOVE},
    {"hint", NULL, "the best move and its value", HINT},
    {"show", "[THING]",
     "board, moves (with values), lines (and what follows),\n"
     "                       best (line to the end), eval (value), setup (as text)\n"
     "                       or game (moves so far)",
     SHOW},
    {"go", NULL, "the computer plays the side that is to move", GO},
    {"sente", NULL, "the computer plays Sente", SENTE},
    {"gote", NULL, "the computer plays Gote", GOTE},
    {"both", NULL, "the computer plays both sides to the end of the game", BOTH},
    {"force", NULL, "the computer plays neither side: you move for both", FORCE},
    {"verbose", NULL, "shows the board after moves (it is so at first)", VERBOSE},
    {"quiet", NULL, "does not show it", QUIET},
    {"help", NULL, "this list", HELP},
    {"quit", NULL, "the end (or exit, or Ctrl-D)", QUIT},
    {"exit", NULL, NULL, QUIT},
    {NULL}};

static int run_verb(void *context, const struct line_verb *verb, const char *argument)
{
    struct session *s = context;
    struct dobutsu_ranking ranking;
    TRY(check_needs(s, verb_needs[verb->id], verb->name));
    switch ((enum verb_id)verb->id) {
    case NEW:
        return begin_game(s, *argument != '\0' ? argument : DOBUTSU_START);
    case SET_UP:
        if (*argument == '\0')
            return error_set(CLTB_E_USAGE, "setup needs a position, as in: setup %s", DOBUTSU_START);
        return begin_game(s, argument);
    case UNDO: // back to the player's turn before the last one
        if (s->game.plies == 0)
            return error_set(CLTB_E_USAGE, "there is no move to take back");
        do
            game_undo(&s->game);
        while (s->game.plies > 0 && computer_moves(s));
        return computer_plays(s);
    case REMOVE:
        if (s->game.plies < 2)
            return error_set(CLTB_E_USAGE, "there are not two moves to take back");
        game_undo(&s->game);
        game_undo(&s->game);
        return computer_plays(s);
    case GO:
        return set_computer(s, !now(s)->turned, now(s)->turned);
    case SENTE:
    case GOTE:
        return set_computer(s, verb->id == SENTE, verb->id == GOTE);
    case BOTH:
        return play_both(s);
    case FORCE:
        s->computer[0] = s->computer[1] = false;
        return 0;
    case HINT:
        TRY(dobutsu_rank(s->table, now(s), &ranking));
        print_move(s, &ranking.best[0], 0);
        printf("\n");
        return 0;
    case SHOW:
        for (int i = 0; i < THINGS; i++) {
            if (strcasecmp(argument, things[i].name) == 0) {
                TRY(check_needs(s, things[i].needs, things[i].whole));
                return show_thing(s, (enum thing)i);
            }
        }
        if (*argument == '\0')
            return show_thing(s, BOARD);
        return error_set(CLTB_E_USAGE, "show knows board, moves, lines, best, eval, setup and game, not '%.40s'",
                         argument);
    case VERBOSE:
    case QUIET:
        s->verbose = verb->id == VERBOSE;
        return 0;
    case HELP:
        printf("A move such as Gc4-c3, Cb3xb2 or G*a3 (- and x may be left out), or:\n");
        line_help(verbs, 7, 10);
        printf("Values are what a move makes of the position: win, loss or draw, and the plies\nto the end.\n");
        return 0;
    case QUIT:
        return LINE_END;
    }
    return 0;
}

static int run_move(void *context, const char *word)
{
    struct session *s = context;
    struct dobutsu_move move;
    TRY(check_needs(s, NEEDS_GAME, word));
    const int code = dobutsu_move_read(now(s), word, &move);
    if (code == CLTB_E_POSITION && strpbrk(word, "1234") == NULL)
        return error_set(CLTB_E_USAGE, "'%.40s' is neither a command nor a move (see: help)", word);
    TRY(code);
    TRY(game_play(&s->game, &move));
    return computer_plays(s);
}

// Moves; after "show", its arguments.
static const char *candidate(void *context, const char *before, int index)
{
    static char name[DOBUTSU_MOVE_MAX];
    const struct session *s = context;
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    const char *word = before + strspn(before, " ");
    if (strncasecmp(word, "show ", 5) == 0 && word[5 + strspn(word + 5, " ")] == '\0')
        return index < THINGS ? things[index].name : NULL;
    if (*word != '\0' || s->game.end != GAME_ON || index >= dobutsu_moves(now(s), moves))
        return NULL;
    dobutsu_move_write(now(s), &moves[index], name);
    return name;
}

static void prompt(const void *context, char text[PROMPT_MAX])
{
    const struct session *s = context;
    const int number = (s->game.plies + s->game.ply[0].position.turned) / 2 + 1; // Gote's move has Sente's number
    if (s->game.end == GAME_ON)
        snprintf(text, PROMPT_MAX, "%d %s> ", number, side_name(now(s)));
    else
        snprintf(text, PROMPT_MAX, "game over> ");
}

static int play(const char *dir, const char *side)
{
    struct session s = {.verbose = true};
    const bool none = strcmp(side, "none") == 0;
    s.computer[0] = strcmp(side, "gote") == 0;
    s.computer[1] = strcmp(side, "sente") == 0;
    int code = dobutsu_table_find(&s.table, "dobutsu", dir, 0);
    if (code == CLTB_E_MISSING && (none || s.computer[0] || s.computer[1])) {
        error_append(code, "; or play both sides without hints: --side both");
    } else if (code == CLTB_E_MISSING) { // an error only if the computer has to play
        snprintf(s.no_table, sizeof s.no_table, "%s", error_text());
        printf("By the rules only, without hints: %s\n", s.no_table);
        code = 0;
    }
    if (code == 0) {
        printf("Dobutsu shogi. `help` lists the commands.\n");
        code = begin_game(&s, DOBUTSU_START);
    }
    if (none && code == 0)
        code = play_both(&s);
    const struct line_session session = {"play", &s, verbs, prompt, run_verb, run_move, candidate};
    const int status = code != 0 ? report("play", code) : line_session(&session);
    dobutsu_table_close(s.table);
    free(s.game.ply);
    return status;
}

static int run(int argc, char **argv)
{
    const char *dir = NULL;
    const char *side = "sente";
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--side", .kind = OPTION_CHOICE, .value = &side, .choices = "sente|gote|both|none"},
        {.name = "", .kind = OPTION_TEXT, .choices = "dobutsu"},
        {.name = NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "play", argc, argv, options));
    if (arguments.count != 1 || strcasecmp(arguments.word[0], "dobutsu") != 0)
        return usage_fault("play", "the only game to play is dobutsu");
    return play(tables_dir(dir), side);
}

const struct command play_command = {"play", run, "plays dobutsu shogi against you"};
