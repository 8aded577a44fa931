// explore.c - `cltb explore`: steps through best play and its alternatives, from a position on
//
// A line is a command, a move, or a move's number in the list. A line that fails prints one line on standard error;
// moves made before it stay. Where no table covers the position, moves have no values but can still be made: captures
// may lead to tables.
#include "cli/command.h"
#include "cli/line_reader.h"

#include "chess/fen.h"
#include "chess/notation.h"
#include "index/material.h"
#include "kind/missing.h"
#include "show/board.h"
#include "show/values.h"
#include "util/error.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOVES_SHOWN = 10 };

struct explorer {
    const char *folders;
    cltb_tables *tables;
    struct position position; // its history has the moves that `back` takes back
    int bottom;               // the colour at the bottom of the board
    int count;
    cltb_move move[MOVES_MAX]; // [count] of the position, best first
    bool known;                // the values of the moves that matter
    char why[1024];            // some are not known; "": all are
};

// Finds the moves of the position. Tables that do not cover it are no error.
static int look(struct explorer *e)
{
    char fen[FEN_MAX];
    cltb_position position;
    uint32_t legal[MOVES_MAX];
    fen_write(&e->position, fen);
    int code = cltb_position_from_fen(&position, fen);
    if (code == 0)
        code = cltb_root_moves(e->tables, &position, e->move);
    e->count = code;
    e->known = code >= 0;
    e->why[0] = '\0';
    const bool unknown = code > 0 && e->move[code - 1].value.outcome == CLTB_UNKNOWN;
    if (unknown || code == CLTB_E_MISSING) {
        const struct material material = material_of(&e->position);
        missing_tables(e->folders, &material);
    }
    if (unknown || !e->known)
        snprintf(e->why, sizeof e->why, "%s", error_text());
    if (e->known)
        return 0;
    e->count = moves_legal(&e->position, legal);
    for (int i = 0; i < e->count; i++) {
        san_write(&e->position, legal[i], e->move[i].san);
        uci_write(legal[i], e->move[i].uci);
    }
    return code == CLTB_E_POSITION || code == CLTB_E_MISSING ? 0 : code;
}

static int check_values(const struct explorer *e)
{
    return e->known ? 0 : error_set(CLTB_E_MISSING, "the best move is not known: %s", e->why);
}

static int step(struct explorer *e, const char *uci)
{
    uint32_t move;
    TRY(uci_read(&e->position, uci, &move));
    TRY(position_make(&e->position, move));
    return look(e);
}

// Makes up to `plies` best moves and prints them; with `to_zeroing` no more than up to a zeroing move or mate.
static int make_best(struct explorer *e, uint64_t plies, bool to_zeroing)
{
    for (uint64_t ply = 0; ply < plies && e->count > 0; ply++) {
        const struct position *p = &e->position;
        const cltb_move best = e->move[0];
        TRY(check_values(e));
        if (p->side == WHITE || ply == 0)
            printf(" %u%s", (unsigned)p->move_number, p->side == WHITE ? "." : "...");
        printf(" %s", best.san);
        TRY(step(e, best.uci));
        if (to_zeroing && (best.zeroing != 0 || best.mate != 0))
            break;
    }
    return 0;
}

static void print_moves(const struct explorer *e, int most)
{
    for (int i = 0; i < e->count && i < most; i++) {
        printf("%6d  %-*s", i + 1, e->known ? 8 : 0, e->move[i].san);
        if (e->known)
            text_value(stdout, e->move[i].value);
        printf("\n");
    }
    if (e->count > most)
        printf("        and %d more (see: moves)\n", e->count - most);
    if (e->known && e->why[0] != '\0')
        printf("?: %s\n", e->why);
}

static void print_position(const struct explorer *e)
{
    text_board(&e->position, e->bottom);
    if (e->count == 0)
        printf("%s", position_in_check(&e->position) ? "checkmate" : "stalemate");
    else if (e->known)
        text_value(stdout, e->move[0].value);
    else
        printf("no values");
    if (e->position.fifty > 0)
        printf("; half-move clock %d", (int)e->position.fifty);
    printf("%s%s\n", e->known ? "" : ": ", e->known ? "" : e->why);
    print_moves(e, MOVES_SHOWN);
}

enum verb_id { BEST, BACK, MOVES, LINE, FLIP, FEN, HELP, QUIT };

static const struct verb {
    const char *name;
    const char *argument; // for help; NULL: takes none
    enum verb_id id;
    const char *help;
} verbs[] = {
    {"best", "[N]", BEST, "makes the best move, or N of them"},
    {"back", "[N]", BACK, "takes back the last move, or N of them"},
    {"moves", NULL, MOVES, "all moves, best first"},
    {"line", NULL, LINE, "a best line, up to the next zeroing move (capture or pawn move) or mate"},
    {"flip", NULL, FLIP, "turns the board"},
    {"fen", NULL, FEN, "the position as FEN"},
    {"help", NULL, HELP, "this list"},
    {"quit", NULL, QUIT, "the end (or exit, or Ctrl-D)"},
    {"exit", NULL, QUIT, NULL},
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

static int best_line(const struct explorer *e)
{
    struct explorer ahead = *e;
    TRY(check_values(e));
    if (e->count > 0 && !has_dtz(e->move[0].value)) {
        printf("draw: there is no best line\n");
        return 0;
    }
    printf("best line:");
    const int code = make_best(&ahead, POSITION_PLIES, true);
    printf("\n");
    return code;
}

static int carry_out(struct explorer *e, enum verb_id verb, uint64_t number)
{
    char fen[FEN_MAX];
    int code = 0;
    switch (verb) {
    case BEST:
        if (e->count == 0)
            return error_set(CLTB_E_USAGE, "the game is over: there is no move");
        TRY(check_values(e));
        printf("best:");
        code = make_best(e, number, false);
        printf("\n");
        TRY(code);
        break;
    case BACK:
        if (number > e->position.ply)
            return error_set(CLTB_E_USAGE, "cannot take back so many: moves made so far: %d", (int)e->position.ply);
        for (; number > 0; number--)
            position_undo(&e->position);
        TRY(look(e));
        break;
    case FLIP:
        e->bottom ^= 1;
        break;
    case MOVES:
        print_moves(e, MOVES_MAX);
        return 0;
    case LINE:
        return best_line(e);
    case FEN:
        fen_write(&e->position, fen);
        printf("%s\n", fen);
        return 0;
    case HELP:
        printf("A move such as Qd5 or a5d5, its number in the list, or:\n");
        for (const struct verb *v = verbs; v < verbs + VERBS; v++)
            if (v->help != NULL)
                printf("    %-5s %-4s %s\n", v->name, v->argument != NULL ? v->argument : "", v->help);
        printf("Values are for the side to move, with plies to the next zeroing move or mate.\n");
        return 0;
    case QUIT:
        return LINE_END;
    }
    print_position(e);
    return 0;
}

static int run_move(struct explorer *e, const char *word)
{
    uint64_t number;
    uint32_t move;
    char uci[UCI_MAX];
    if (parse_number(word, &number)) {
        if (number < 1 || number > (uint64_t)e->count)
            return error_set(CLTB_E_USAGE, "there is no move %.40s: the list has %d", word, e->count);
        TRY(step(e, e->move[number - 1].uci));
    } else {
        if (strpbrk(word, "12345678-") == NULL)
            return error_set(CLTB_E_USAGE, "'%.40s' is neither a command nor a move (see: help)", word);
        if (uci_read(&e->position, word, &move) != 0)
            TRY(san_read(&e->position, word, &move));
        uci_write(move, uci);
        TRY(step(e, uci));
    }
    print_position(e);
    return 0;
}

static int run_line(void *context, const char *word, const char *argument)
{
    uint64_t number = 1;
    for (const struct verb *verb = verbs; verb < verbs + VERBS; verb++) {
        if (strcasecmp(word, verb->name) != 0)
            continue;
        if (verb->argument == NULL && *argument != '\0')
            return error_set(CLTB_E_USAGE, "'%s' takes no argument", verb->name);
        if (*argument != '\0' && (!parse_number(argument, &number) || number < 1))
            return error_set(CLTB_E_USAGE, "'%s' takes a number of moves, not '%.40s'", verb->name, argument);
        return carry_out(context, verb->id, number);
    }
    if (*argument != '\0')
        return error_set(CLTB_E_USAGE, "'%.40s' is not a command (see: help)", word);
    return run_move(context, word);
}

// Commands and moves.
static const char *candidate(void *context, const char *before, int index)
{
    const struct explorer *e = context;
    if (before[strspn(before, " ")] != '\0' || index >= VERBS + e->count)
        return NULL;
    return index < VERBS ? verbs[index].name : e->move[index - VERBS].san;
}

static void prompt(const void *context, char text[PROMPT_MAX])
{
    const struct position *p = &((const struct explorer *)context)->position;
    snprintf(text, PROMPT_MAX, "%u %s> ", (unsigned)p->move_number, colour_name(p->side));
}

static int run(int argc, char **argv)
{
    const char *dir = NULL;
    const struct option options[] = {{.name = "--dir", .kind = OPTION_FOLDER, .value = &dir}, {.name = NULL}};
    struct arguments arguments;
    struct explorer e = {.bottom = WHITE};
    const struct line_session session = {"explore", &e, prompt, run_line, candidate};
    int status = options_parse(&arguments, "explore", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    if (arguments.count != 1)
        return usage_fault("explore", "needs a FEN, in quotes");
    e.folders = tables_dir(dir);
    int code = fen_read(&e.position, arguments.word[0]);
    if (code == 0)
        code = cltb_open(&e.tables, e.folders, NULL);
    if (code == 0)
        code = look(&e);
    if (code == 0) {
        printf("`help` lists the commands.\n");
        print_position(&e);
        status = line_session(&session);
    } else {
        status = report("explore", code);
    }
    cltb_close(e.tables);
    return status;
}

const struct command explore_command = {"explore", run, "steps through best play and alternatives"};
