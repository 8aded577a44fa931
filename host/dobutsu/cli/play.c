// play.c - `cltb play dobutsu`: a game at the terminal, against perfect play or by the rules alone
//
// A line is a command or a move. A line that fails prints one line on standard error; moves made before it stay.
#include "cli/command.h"
#include "cli/line_reader.h"
#include "dobutsu/cli/game.h"
#include "dobutsu/cli/probe.h"

#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SENTE, GOTE, SIDES };
enum { SEQUEL_PLIES = 6 };

struct session {
    struct game game;
    cltb_dobutsu *table;          // NULL: rules only
    struct dobutsu_table *values; // of `table`
    char no_table[512];           // why there is none
    bool computer[SIDES];         // which sides it plays
    bool verbose;
    bool ended;
    int faults;
};

// What a command may need before it runs.
enum { NEEDS_COMPUTER = 1, NEEDS_VALUES = 2, NEEDS_GAME = 4 };

struct verb {
    const char *name;
    const char *argument; // for help; NULL: takes none
    int needs;
    int (*run)(struct session *s);                        // without an argument
    int (*take)(struct session *s, const char *argument); // "" if there is none
    const char *help;
};

static const struct dobutsu *now(const struct session *s)
{
    return game_position(&s->game);
}

static int side_to_move(const struct session *s)
{
    return now(s)->turned ? GOTE : SENTE;
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

static void print_position(const struct session *s)
{
    if (s->verbose)
        game_print_board(&s->game);
    game_print_end(&s->game);
}

// One move of the computer: the first of the best ones.
static int computer_move(struct session *s)
{
    struct dobutsu_ranking ranking;
    char name[DOBUTSU_MOVE_MAX];
    TRY(dobutsu_rank(s->values, now(s), &ranking));
    dobutsu_move_write(now(s), &ranking.best[0].move, name);
    printf("%s plays %s\n", side_name(now(s)), name);
    return game_play(&s->game, &ranking.best[0].move);
}

// Plays as long as it is the computer's turn. If the table cannot be read, the player takes over.
static int computer_plays(struct session *s)
{
    int code = 0;
    while (code == 0 && s->game.end == GAME_ON && s->computer[side_to_move(s)])
        code = computer_move(s);
    if (code != 0)
        s->computer[SENTE] = s->computer[GOTE] = false;
    print_position(s);
    return code;
}

static int set_computer(struct session *s, bool sente, bool gote)
{
    s->computer[SENTE] = sente;
    s->computer[GOTE] = gote;
    return computer_plays(s);
}

static int play_move(struct session *s, const char *text)
{
    struct dobutsu_move move;
    TRY(check_needs(s, NEEDS_GAME, text));
    TRY(dobutsu_move_read(now(s), text, &move));
    TRY(game_play(&s->game, &move));
    return computer_plays(s);
}

// ---- commands that play ----

static int run_new(struct session *s, const char *argument)
{
    struct dobutsu start;
    TRY(dobutsu_read(&start, *argument != '\0' ? argument : DOBUTSU_START));
    TRY(game_begin(&s->game, &start));
    return computer_plays(s);
}

static int run_setup(struct session *s, const char *argument)
{
    if (*argument == '\0')
        return error_set(CLTB_E_USAGE, "setup needs a position, as in: setup %s", DOBUTSU_START);
    return run_new(s, argument);
}

// Back to the player's turn before the last one.
static int run_undo(struct session *s)
{
    if (s->game.plies == 0)
        return error_set(CLTB_E_USAGE, "there is no move to take back");
    do
        game_undo(&s->game);
    while (s->game.plies > 0 && s->computer[side_to_move(s)]);
    return computer_plays(s);
}

static int run_remove(struct session *s)
{
    if (s->game.plies < 2)
        return error_set(CLTB_E_USAGE, "there are not two moves to take back");
    game_undo(&s->game);
    game_undo(&s->game);
    return computer_plays(s);
}

static int run_go(struct session *s)
{
    return set_computer(s, side_to_move(s) == SENTE, side_to_move(s) == GOTE);
}

static int run_sente(struct session *s)
{
    return set_computer(s, true, false);
}

static int run_gote(struct session *s)
{
    return set_computer(s, false, true);
}

static int run_both(struct session *s)
{
    int code = set_computer(s, true, true);
    s->computer[SENTE] = s->computer[GOTE] = false;
    return code;
}

static int run_force(struct session *s)
{
    s->computer[SENTE] = s->computer[GOTE] = false;
    return 0;
}

// ---- commands that tell something ----

// Without the end of the line. `width` of the value: for what follows in the line.
static void print_move(const struct session *s, const struct dobutsu_ranked *ranked, int width)
{
    char name[DOBUTSU_MOVE_MAX];
    char value[DOBUTSU_VALUE_MAX];
    dobutsu_move_write(now(s), &ranked->move, name);
    dobutsu_value_write(ranked->value, value);
    printf("%-8s %-*s", name, width, value);
}

static int run_hint(struct session *s)
{
    struct dobutsu_ranking ranking;
    TRY(dobutsu_rank(s->values, now(s), &ranking));
    print_move(s, &ranking.best[0], 0);
    printf("\n");
    return 0;
}

static int show_board(struct session *s)
{
    game_print_board(&s->game);
    game_print_end(&s->game);
    return 0;
}

static int show_setup(struct session *s)
{
    char text[DOBUTSU_TEXT_MAX];
    if (s->game.end == GAME_LION_TAKEN)
        return error_set(CLTB_E_USAGE, "the game is over: without a lion there is no position to show");
    dobutsu_write(now(s), text);
    printf("%s\n", text);
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void show_bare_moves(const struct session *s)
{
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    char names[DOBUTSU_MOVES_MAX][DOBUTSU_MOVE_MAX];
    int count = dobutsu_moves(now(s), moves);
    for (int i = 0; i < count; i++)
        dobutsu_move_write(now(s), &moves[i], names[i]);
    qsort(names, (size_t)count, sizeof names[0], compare_names);
    for (int i = 0; i < count; i++)
        printf("%s\n", names[i]);
    printf("(no values: %s)\n", s->no_table);
}

static int show_moves(struct session *s)
{
    struct dobutsu_ranking ranking;
    if (s->table == NULL) {
        show_bare_moves(s);
        return 0;
    }
    TRY(dobutsu_rank(s->values, now(s), &ranking));
    for (int i = 0; i < ranking.count; i++) {
        print_move(s, &ranking.best[i], 0);
        printf("\n");
    }
    return 0;
}

// The play that follows a move, as far as it is worth showing.
static int print_sequel(const struct session *s, const struct dobutsu_move *move)
{
    struct dobutsu_ranking ranking;
    struct dobutsu_line line;
    struct dobutsu at;
    dobutsu_make(now(s), move, &at);
    TRY(dobutsu_rank(s->values, &at, &ranking));
    TRY(dobutsu_best_line(s->values, &at, &ranking, SEQUEL_PLIES, &line));
    bool wins = false;
    for (int i = 0; i < line.plies; i++) {
        const struct dobutsu before = at;
        char name[DOBUTSU_MOVE_MAX];
        dobutsu_move_write(&before, &line.move[i], name);
        printf(" %s", name);
        wins = line.move[i].wins;
        if (!wins)
            dobutsu_make(&before, &line.move[i], &at);
    }
    printf("%s", line.plies == SEQUEL_PLIES && !wins ? " ..." : "");
    return 0;
}

static int show_lines(struct session *s)
{
    struct dobutsu_ranking ranking;
    int code = dobutsu_rank(s->values, now(s), &ranking);
    for (int i = 0; code == 0 && i < ranking.count; i++) {
        print_move(s, &ranking.best[i], 8);
        if (!ranking.best[i].move.wins)
            code = print_sequel(s, &ranking.best[i].move);
        printf("\n");
    }
    return code;
}

static int show_best(struct session *s)
{
    struct dobutsu_ranking ranking;
    TRY(dobutsu_rank(s->values, now(s), &ranking));
    if (ranking.best[0].value.outcome == CLTB_DRAW) {
        printf("draw: best play has no end\n");
        return 0;
    }
    printf("best line:");
    int code = dobutsu_print_line(s->values, now(s), &ranking);
    printf("\n");
    return code;
}

static int show_eval(struct session *s)
{
    struct cltb_dobutsu_value value;
    TRY(dobutsu_known_value(s->values, now(s), &value));
    char text[DOBUTSU_VALUE_MAX];
    dobutsu_value_write(value, text);
    printf("%s: %s\n", side_name(now(s)), text);
    return 0;
}

static int show_game(struct session *s)
{
    game_print_moves(&s->game);
    game_print_end(&s->game);
    return 0;
}

static const struct {
    const char *name;
    int needs;
    int (*show)(struct session *s);
    const char *whole; // the command, for errors
} things[] = {{"board", 0, show_board, "show board"},
              {"moves", NEEDS_GAME, show_moves, "show moves"},
              {"lines", NEEDS_VALUES | NEEDS_GAME, show_lines, "show lines"},
              {"best", NEEDS_VALUES | NEEDS_GAME, show_best, "show best"},
              {"eval", NEEDS_VALUES | NEEDS_GAME, show_eval, "show eval"},
              {"setup", 0, show_setup, "show setup"},
              {"game", 0, show_game, "show game"}};

enum { THINGS = sizeof things / sizeof things[0] };

static int run_show(struct session *s, const char *argument)
{
    if (*argument == '\0')
        return show_board(s);
    for (int i = 0; i < THINGS; i++) {
        if (strcasecmp(argument, things[i].name) != 0)
            continue;
        TRY(check_needs(s, things[i].needs, things[i].whole));
        return things[i].show(s);
    }
    return error_set(CLTB_E_USAGE, "show knows board, moves, lines, best, eval, setup and game, not '%.40s'", argument);
}

static int run_verbose(struct session *s)
{
    s->verbose = true;
    return 0;
}

static int run_quiet(struct session *s)
{
    s->verbose = false;
    return 0;
}

static int run_quit(struct session *s)
{
    s->ended = true;
    return 0;
}

static int run_help(struct session *s);

// ---- the commands ----

static const struct verb verbs[] = {
    {"new", "[POSITION]", 0, NULL, run_new, "a new game, from the start or from POSITION"},
    {"setup", "POSITION", 0, NULL, run_setup, "the same, with a position"},
    {"undo", NULL, 0, run_undo, NULL, "takes back your last move, and the computer's reply"},
    {"remove", NULL, 0, run_remove, NULL, "takes back two moves"},
    {"hint", NULL, NEEDS_VALUES | NEEDS_GAME, run_hint, NULL, "the best move and its value"},
    {"show", "[THING]", 0, NULL, run_show,
     "board, moves (with their values), lines (and what follows them), best (line to\n"
     "                       the end), eval (value), setup (as text) or game (moves so far)"},
    {"go", NULL, NEEDS_COMPUTER | NEEDS_GAME, run_go, NULL, "the computer plays the side that is to move"},
    {"sente", NULL, NEEDS_COMPUTER, run_sente, NULL, "the computer plays Sente"},
    {"gote", NULL, NEEDS_COMPUTER, run_gote, NULL, "the computer plays Gote"},
    {"both", NULL, NEEDS_COMPUTER | NEEDS_GAME, run_both, NULL, "the computer plays both sides to the end of the game"},
    {"force", NULL, 0, run_force, NULL, "the computer plays neither side: you move for both"},
    {"verbose", NULL, 0, run_verbose, NULL, "shows the board after moves (it is so at first)"},
    {"quiet", NULL, 0, run_quiet, NULL, "does not show it"},
    {"help", NULL, 0, run_help, NULL, "this list"},
    {"quit", NULL, 0, run_quit, NULL, "the end (or exit, or Ctrl-D)"},
    {"exit", NULL, 0, run_quit, NULL, NULL},
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

static int run_help(struct session *s)
{
    (void)s;
    printf("A move such as Gc4-c3, Cb3xb2 or G*a3 (- and x may be left out), or:\n");
    for (int i = 0; i < VERBS; i++) {
        const struct verb *v = &verbs[i];
        if (v->help != NULL)
            printf("    %-7s %-10s %s\n", v->name, v->argument != NULL ? v->argument : "", v->help);
    }
    printf("Values are what a move makes of the position: win, loss or draw, and the plies to the end of the game.\n");
    return 0;
}

static int run_line(struct session *s, const char *word, const char *argument)
{
    for (int i = 0; i < VERBS; i++) {
        if (strcasecmp(word, verbs[i].name) != 0)
            continue;
        if (verbs[i].argument == NULL && *argument != '\0')
            return error_set(CLTB_E_USAGE, "'%s' takes no argument", verbs[i].name);
        TRY(check_needs(s, verbs[i].needs, verbs[i].name));
        return verbs[i].run != NULL ? verbs[i].run(s) : verbs[i].take(s, argument);
    }
    if (*argument != '\0')
        return error_set(CLTB_E_USAGE, "'%.40s' is not a command (see: help)", word);
    int code = play_move(s, word);
    return code == CLTB_E_POSITION && strpbrk(word, "1234") == NULL
               ? error_set(CLTB_E_USAGE, "'%.40s' is neither a command nor a move (see: help)", word)
               : code;
}

// Cuts a line into its first word and the rest, without blanks around them.
static void take_line(struct session *s, char *line)
{
    static const char blanks[] = " \t";
    char *word = line + strspn(line, blanks);
    char *argument = word + strcspn(word, blanks);
    if (*argument != '\0')
        *argument++ = '\0';
    argument += strspn(argument, blanks);
    for (size_t end = strlen(argument); end > 0 && strchr(blanks, argument[end - 1]) != NULL; end--)
        argument[end - 1] = '\0';
    if (*word == '\0' || *word == '#')
        return;
    int code = run_line(s, word, argument);
    if (code == 0)
        return;
    fflush(stdout);
    fault_line("cltb play: %s", error_text());
    s->faults++;
}

// ---- completion ----

static const char *candidate_move(const struct session *s, int index)
{
    static char name[DOBUTSU_MOVE_MAX];
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    if (s->game.end != GAME_ON || index >= dobutsu_moves(now(s), moves))
        return NULL;
    dobutsu_move_write(now(s), &moves[index], name);
    return name;
}

static const char *candidate(void *context, const char *before, int index)
{
    const struct session *s = context;
    const char *word = before + strspn(before, " ");
    if (*word == '\0')
        return index < VERBS ? verbs[index].name : candidate_move(s, index - VERBS);
    if (strncasecmp(word, "show ", 5) == 0 && word[5 + strspn(word + 5, " ")] == '\0')
        return index < THINGS ? things[index].name : NULL;
    return NULL;
}

// ---- the session ----

static int converse(struct session *s)
{
    struct line_reader reader;
    line_reader_begin(&reader, candidate, s);
    while (!s->ended) {
        char prompt[32];
        snprintf(prompt, sizeof prompt, "%d %s> ", game_move_number(&s->game), side_name(now(s)));
        char *line = line_reader_next(&reader, s->game.end == GAME_ON ? prompt : "game over> ");
        if (line == NULL)
            break;
        take_line(s, line);
        free(line);
    }
    if (ferror(stdin)) {
        fprintf(stderr, "cltb play: cannot read standard input\n");
        return EXIT_FAILED;
    }
    // At a terminal the user has seen what went wrong.
    return s->faults > 0 && !reader.terminal ? EXIT_FAILED : EXIT_DONE;
}

// Opens the table. A missing one is an error only if the computer has to play.
static int open_table(struct session *s, const char *dir, bool none)
{
    int code = cltb_dobutsu_open(&s->table, dir, NULL);
    if (code == 0) {
        s->values = dobutsu_table_of(s->table);
        return 0;
    }
    if (code != CLTB_E_MISSING)
        return code;
    if (none || s->computer[SENTE] || s->computer[GOTE])
        return error_append(code, "; or play both sides without hints: --side both");
    snprintf(s->no_table, sizeof s->no_table, "%s", error_text());
    printf("By the rules only, without hints: %s\n", s->no_table);
    return 0;
}

static int play(const char *dir, const char *side)
{
    struct session s = {.verbose = true};
    const bool none = strcmp(side, "none") == 0;
    s.computer[SENTE] = strcmp(side, "gote") == 0;
    s.computer[GOTE] = strcmp(side, "sente") == 0;
    int code = open_table(&s, dir, none);
    if (code == 0) {
        printf("Dobutsu shogi. `help` lists the commands.\n");
        code = run_new(&s, "");
    }
    if (none && code == 0)
        code = run_both(&s);
    int status = code != 0 ? report("play", code) : converse(&s);
    cltb_dobutsu_close(s.table);
    game_free(&s.game);
    return status;
}

static int run(int argc, char **argv)
{
    const char *dir = NULL;
    const char *side = "sente";
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_TEXT, .value = &dir},
        {.name = "--side", .kind = OPTION_CHOICE, .value = &side, .choices = "sente|gote|both|none"},
        {.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "play", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    if (arguments.count != 1 || strcasecmp(arguments.word[0], "dobutsu") != 0)
        return usage_fault("play", "the only game to play is dobutsu");
    return play(tables_dir(dir), side);
}

const struct command play_command = {"play", run, "plays dobutsu shogi against you"};
