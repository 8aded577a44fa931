// probe.c - `cltb probe`: what positions are worth
#include "dobutsu/cli/probe.h"
#include "cli/answers.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/values.h"
#include "restricted/cli/tables.h"

#include "chess/fen.h"
#include "chess/notation.h"
#include "probe/probe.h"
#include "util/error.h"

#include <stdio.h>
#include <string.h>

enum { LINE_PLIES_MAX = 200 };

// One position and all that is to be said about it.
struct answer {
    struct position position;
    struct cltb_value value;
    int moves;
    struct ranked_move move[CLTB_MOVES_MAX];
};

struct request {
    cltb_tables *tables;
    bool all_moves; // text and json
    struct answer answer;
};

// ---- the best line ----

// Follows best moves up to mate, the first zeroing move or LINE_PLIES_MAX plies. Calls each() for every move, before it
// is made.
static int best_line(cltb_tables *tables, struct answer *answer,
                     void (*each)(const struct position *p, uint32_t move, int ply))
{
    struct position *p = &answer->position;
    int plies = 0;
    int code = 0;
    int count = answer->moves;
    struct ranked_move moves[CLTB_MOVES_MAX];
    memcpy(moves, answer->move, (size_t)count * sizeof moves[0]);
    while (count > 0 && plies < LINE_PLIES_MAX) {
        each(p, moves[0].move, plies);
        bool last = moves[0].zeroing || moves[0].mate;
        if ((code = position_make(p, moves[0].move)) != 0)
            break;
        plies++;
        count = last ? 0 : probe_moves(tables, p, moves);
        if (count < 0)
            code = count;
    }
    for (; plies > 0; plies--)
        position_undo(p);
    return code;
}

static void text_line_move(const struct position *p, uint32_t move, int ply)
{
    char san[SAN_MAX];
    san_write(p, move, san);
    if (p->side == WHITE || ply == 0)
        printf(" %u%s", (unsigned)p->move_number, p->side == WHITE ? "." : "...");
    printf(" %s", san);
    if (move_is_zeroing(p, move))
        printf(" (zeroing)");
}

static void json_line_move(const struct position *p, uint32_t move, int ply)
{
    char uci[UCI_MAX];
    (void)p;
    uci_write(move, uci);
    printf("%s\"%s\"", ply > 0 ? ", " : "", uci);
}

// ---- formats ----

static int print_tsv(void *context, const char *fen)
{
    const struct answer *answer = &((const struct request *)context)->answer;
    print_tsv_text(fen);
    printf("\t%s\t", cltb_outcome_name(answer->value.outcome));
    if (has_dtz(answer->value))
        printf("%d", answer->value.dtz);
    printf("\n");
    return 0;
}

static void print_moves_text(const struct answer *answer)
{
    for (int i = 0; i < answer->moves; i++) {
        const struct ranked_move *m = &answer->move[i];
        char san[SAN_MAX];
        char uci[UCI_MAX];
        san_write(&answer->position, m->move, san);
        uci_write(m->move, uci);
        printf("    %-8s %-6s %s", san, uci, cltb_outcome_name(m->value.outcome));
        if (has_dtz(m->value))
            printf(" %d", m->value.dtz);
        printf("\n");
    }
}

static int print_text(void *context, const char *fen)
{
    struct request *r = context;
    struct answer *answer = &r->answer;
    struct position *p = &answer->position;
    printf("%s\n%s", fen, cltb_outcome_name(answer->value.outcome));
    if (has_dtz(answer->value))
        printf(", dtz %d", answer->value.dtz);
    if (answer->moves == 0)
        printf(" (%s)", position_in_check(p) ? "checkmate" : "stalemate");
    printf("\n");
    print_moves_text(answer);
    if (answer->moves == 0 || !has_dtz(answer->value))
        return 0;
    printf("best line:");
    int code = best_line(r->tables, answer, text_line_move);
    printf("\n");
    return code;
}

static int print_json(void *context, const char *fen)
{
    struct request *r = context;
    struct answer *answer = &r->answer;
    printf("{\"fen\": ");
    json_string(fen);
    printf(", ");
    json_value(answer->value);
    printf(", \"moves\": [");
    for (int i = 0; i < answer->moves; i++) {
        const struct ranked_move *m = &answer->move[i];
        char san[SAN_MAX];
        char uci[UCI_MAX];
        san_write(&answer->position, m->move, san);
        uci_write(m->move, uci);
        printf("%s{\"uci\": \"%s\", \"san\": \"%s\", ", i > 0 ? ", " : "", uci, san);
        json_value(m->value);
        printf(", \"zeroing\": %s}", m->zeroing ? "true" : "false");
    }
    printf("], \"line\": [");
    int code = has_dtz(answer->value) ? best_line(r->tables, answer, json_line_move) : 0;
    printf("]}");
    return code;
}

// ---- the command ----

static int work_out(void *context, const char *fen)
{
    struct request *r = context;
    struct answer *answer = &r->answer;
    answer->moves = 0;
    TRY(fen_read(&answer->position, fen));
    TRY(probe_position(r->tables, &answer->position, &answer->value));
    if (r->all_moves)
        answer->moves = probe_moves(r->tables, &answer->position, answer->move);
    return answer->moves < 0 ? answer->moves : 0;
}

static int chess_probe(const char *dir, const char *format, const struct arguments *arguments)
{
    struct request r = {.all_moves = strcmp(format, "tsv") != 0};
    struct answers answers = {
        .format = format, .key = "fen", .columns = 3, .context = &r, .work_out = work_out, .print = print_text};
    if (strcmp(format, "tsv") == 0)
        answers.print = print_tsv;
    else if (strcmp(format, "json") == 0)
        answers.print = print_json;
    int code = cltb_open(&r.tables, dir, NULL);
    if (code != 0)
        return report("probe", code);
    int status = answers_give(&answers, arguments);
    cltb_close(r.tables);
    return status;
}

static int run(int argc, char **argv)
{
    const char *game = "chess";
    const char *dir = NULL;
    const char *table = NULL;
    const char *format = "text";
    const struct option options[] = {
        {.name = "--game", .kind = OPTION_CHOICE, .value = &game, .choices = "chess|dobutsu"},
        {.name = "--dir", .kind = OPTION_TEXT, .value = &dir},
        {.name = "--table", .kind = OPTION_TEXT, .value = &table},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &format, .choices = "text|tsv|json"},
        {.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "probe", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    bool dobutsu = strcmp(game, "dobutsu") == 0;
    if (table != NULL && dobutsu)
        return usage_fault("probe", "--table belongs to chess");
    if (table != NULL)
        return restricted_file_probe(table, tables_dir(dir), format, &arguments);
    return (dobutsu ? dobutsu_probe : chess_probe)(tables_dir(dir), format, &arguments);
}

const struct command probe_command = {"probe", run, "tells what positions are worth"};
