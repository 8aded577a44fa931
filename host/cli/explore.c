// explore.c - `cltb explore`: steps through best play and its alternatives, from a position on
//
// A line is a command, a move, or a move's number in the list. A line that fails prints one line on standard error;
// moves made before it stay. Where no table covers the position, moves have no values but can still be made: captures
// may lead to tables.
#include "cli/command.h"
#include "cli/line_reader.h"

#include "chess/fen.h"
#include "chess/notation.h"
#include "kind/chess_answer.h"
#include "show/values.h"
#include "util/error.h"

#include <stdio.h>
#include <string.h>

enum { MOVES_SHOWN = 10 };

struct explorer {
    struct prober prober;
    struct chess_prober *chess; // its context
    struct answer *answer;      // the prober's answer; the history of its position has the moves that `back` takes back
    int bottom;                 // the colour at the bottom of the board
    bool known;                 // the value of the position is known
    char why[ANSWER_MISSING_MAX]; // or why it is not
    char candidate[SAN_MAX];
};

// Finds the value and the moves of the position. It is not an error if tables do not cover it.
static int look(struct explorer *e)
{
    struct answer *answer = e->answer;
    uint32_t legal[MOVES_MAX];
    answer->moves = 0;
    answer->missing[0] = '\0';
    const int code = e->chess->look_up(e->chess, true);
    e->known = code == 0;
    if (e->known)
        return 0;
    snprintf(e->why, sizeof e->why, "%s", error_text());
    answer->moves = moves_legal(&answer->position, legal);
    for (int i = 0; i < answer->moves; i++)
        answer->move[i] = (struct answer_move){.ranked = {.move = legal[i]}};
    return code == CLTB_E_POSITION || code == CLTB_E_MISSING ? 0 : code;
}

static int check_best(const struct explorer *e)
{
    const struct answer *answer = e->answer;
    if (!e->known)
        return error_set(CLTB_E_MISSING, "the best move is not known: %s", e->why);
    if (answer->moves > 0 && answer->move[0].kind == MOVE_DISCARDED)
        return error_set(CLTB_E_USAGE, "every move is discarded: there is no best one");
    if (answer->moves > 0 && !answer_best_known(answer))
        return error_set(CLTB_E_MISSING, "the best move is not known: %s", answer->missing);
    return 0;
}

static int step(struct explorer *e, uint32_t move)
{
    TRY(position_make(&e->answer->position, move));
    return look(e);
}

// Makes up to `plies` best moves and prints them.
static int make_best(struct explorer *e, uint64_t plies)
{
    const struct position *p = &e->answer->position;
    for (uint64_t ply = 0; ply < plies && e->answer->moves > 0; ply++) {
        char san[SAN_MAX];
        TRY(check_best(e));
        const int chosen = answer_chosen(e->chess, &e->answer->position, e->answer->move, e->answer->moves);
        const uint32_t best = e->answer->move[chosen].ranked.move;
        if (p->side == WHITE || ply == 0)
            printf(" %u%s", (unsigned)p->move_number, p->side == WHITE ? "." : "...");
        san_write(p, best, san);
        printf(" %s", san);
        TRY(step(e, best));
    }
    return 0;
}

static void print_moves(const struct explorer *e, int most)
{
    const struct answer *answer = e->answer;
    for (int i = 0; i < answer->moves && i < most; i++) {
        const struct answer_move *move = &answer->move[i];
        char san[SAN_MAX];
        san_write(&answer->position, move->ranked.move, san);
        printf("%6d  %-*s", i + 1, e->known ? 8 : 0, san);
        if (e->known && move->kind != MOVE_DISCARDED)
            text_value(stdout, e->chess->metric, move->ranked.value);
        answer_move_note(move);
        printf("\n");
    }
    if (answer->moves > most)
        printf("        and %d more (see: moves)\n", answer->moves - most);
    if (answer->missing[0] != '\0')
        printf("?: %s\n", answer->missing);
    if (e->known && answer->fault != 0)
        printf("?: %s\n", answer->fault_text);
}

static void print_position(const struct explorer *e)
{
    const struct answer *answer = e->answer;
    const struct position *p = &answer->position;
    text_board(p, e->bottom);
    const bool stalemate = answer->moves == 0 && !position_in_check(p);
    if (answer->moves == 0)
        printf("%s", stalemate ? "stalemate" : "checkmate");
    else if (!e->known)
        printf("no values");
    if (e->known && (answer->moves > 0 || (stalemate && has_dtz(answer->value)))) { // stalemate: by a prune rule
        printf("%s", stalemate ? ", " : "");
        answer_print_value(e->chess);
    }
    if (answer->moves > 0 && answer->move[0].kind == MOVE_DISCARDED)
        printf(" (every move is discarded)");
    if (p->fifty > 0)
        printf("; half-move clock %d", (int)p->fifty);
    printf("%s%s\n", e->known ? "" : ": ", e->known ? "" : e->why);
    print_moves(e, MOVES_SHOWN);
}

enum verb_id { BEST, BACK, MOVES, LINE, FLIP, FEN, HELP, QUIT };

static const struct line_verb verbs[] = {{"best", "[N]", "makes the best move, or N of them", BEST},
                                         {"back", "[N]", "takes back the last move, or N of them", BACK},
                                         {"moves", NULL, "all moves, best first", MOVES},
                                         {"line", NULL, "a best line, as far as distances count", LINE},
                                         {"flip", NULL, "turns the board", FLIP},
                                         {"fen", NULL, "the position as FEN", FEN},
                                         {"help", NULL, "this list", HELP},
                                         {"quit", NULL, "the end (or exit, or Ctrl-D)", QUIT},
                                         {"exit", NULL, NULL, QUIT},
                                         {NULL}};

static int best_line(const struct explorer *e)
{
    TRY(check_best(e));
    if (e->answer->moves > 0 && e->answer->value.outcome == CLTB_DRAW) {
        printf("draw: there is no best line\n");
        return 0;
    }
    const bool told = e->answer->missing[0] != '\0';
    const int code = answer_best_line(e->chess);
    if (!told && e->answer->missing[0] != '\0') {
        printf("?: %s\n", e->answer->missing);
        e->answer->missing[0] = '\0'; // no move of this position is unknown
    }
    return code;
}

static int run_verb(void *context, const struct line_verb *verb, const char *argument)
{
    struct explorer *e = context;
    struct position *p = &e->answer->position;
    uint64_t number = 1;
    char fen[FEN_MAX];
    int code = 0;
    if (*argument != '\0' && (!parse_number(argument, &number) || number < 1))
        return error_set(CLTB_E_USAGE, "'%s' takes a number of moves, not '%.40s'", verb->name, argument);
    switch ((enum verb_id)verb->id) {
    case BEST:
        if (e->answer->moves == 0)
            return error_set(CLTB_E_USAGE, "the game is over: there is no move");
        TRY(check_best(e));
        printf("best:");
        code = make_best(e, number);
        printf("\n");
        TRY(code);
        break;
    case BACK:
        if (number > p->ply)
            return error_set(CLTB_E_USAGE, "cannot take back so many: moves made so far: %d", (int)p->ply);
        for (; number > 0; number--)
            position_undo(p);
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
        fen_write(p, fen);
        printf("%s\n", fen);
        return 0;
    case HELP:
        printf("A move such as Qd5 or a5d5, its number in the list, or:\n");
        line_help(verbs, 5, 4);
        printf("Values are for the side to move. DTZ counts plies to the next capture or pawn move, or to mate.\n");
        return 0;
    case QUIT:
        return LINE_END;
    }
    print_position(e);
    return 0;
}

static int run_move(void *context, const char *word)
{
    struct explorer *e = context;
    const struct answer *answer = e->answer;
    uint64_t number;
    uint32_t move;
    if (parse_number(word, &number)) {
        if (number < 1 || number > (uint64_t)answer->moves)
            return error_set(CLTB_E_USAGE, "there is no move %.40s: the list has %d", word, answer->moves);
        move = answer->move[number - 1].ranked.move;
    } else {
        if (strpbrk(word, "12345678-") == NULL)
            return error_set(CLTB_E_USAGE, "'%.40s' is neither a command nor a move (see: help)", word);
        if (uci_read(&answer->position, word, &move) != 0)
            TRY(san_read(&answer->position, word, &move));
    }
    TRY(step(e, move));
    print_position(e);
    return 0;
}

static const char *candidate(void *context, const char *before, int index)
{
    struct explorer *e = context;
    if (before[strspn(before, " ")] != '\0' || index >= e->answer->moves)
        return NULL;
    san_write(&e->answer->position, e->answer->move[index].ranked.move, e->candidate);
    return e->candidate;
}

static void prompt(const void *context, char text[PROMPT_MAX])
{
    const struct position *p = &((const struct explorer *)context)->answer->position;
    snprintf(text, PROMPT_MAX, "%u %s> ", (unsigned)p->move_number, colour_name(p->side));
}

static int run(int argc, char **argv)
{
    struct probe_request request = {.format = "text"};
    const char *dir = NULL;
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--table", .kind = OPTION_FILE, .value = &request.table},
        {.name = "--metric", .kind = OPTION_CHOICE, .value = &request.metric, .choices = "dtz|dtm|dtc"},
        {.name = NULL}};
    struct arguments arguments;
    struct explorer e = {.bottom = WHITE};
    const struct line_session session = {"explore", &e, verbs, prompt, run_verb, run_move, candidate};
    TRY(options_parse(&arguments, "explore", argc, argv, options));
    if (arguments.count != 1)
        return usage_fault("explore", "needs a FEN, in quotes");
    const struct endgame_kind *kind = kind_of_table(options_kind(&arguments), request.table);
    TRY(options_check(&arguments, kind->probe_rules));
    request.folders = tables_dir(dir);
    int code = kind->probe(&e.prober, &request);
    if (code != 0)
        return report("explore", code);
    e.chess = e.prober.context;
    e.answer = &e.chess->answer;
    code = fen_read(&e.answer->position, arguments.word[0]);
    THEN(code, look(&e));
    if (code == 0) {
        printf("`help` lists the commands.\n");
        print_position(&e);
    }
    const int status = code == 0 ? line_session(&session) : report("explore", code);
    e.prober.close(&e.prober);
    return status;
}

const struct command explore_command = {"explore", run, "steps through best play and alternatives"};
