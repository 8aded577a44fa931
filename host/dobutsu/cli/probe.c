// probe.c - `cltb probe --game dobutsu`: what positions of dobutsu shogi are worth
#include "dobutsu/cli/probe.h"

#include "cli/answers.h"
#include "cli/json.h"
#include "util/error.h"

#include <stdio.h>
#include <string.h>

// One position and all that is to be said about it.
struct request {
    struct dobutsu_bytes bytes;
    bool all_moves; // text and json
    struct dobutsu position;
    struct cltb_dobutsu_value value;
    struct dobutsu_ranking ranking;
};

// ---- values and lines ----

const char *dobutsu_outcome_name(struct cltb_dobutsu_value value)
{
    return value.outcome == CLTB_DOBUTSU_UNKNOWN ? "unknown" : cltb_outcome_name(value.outcome);
}

static bool has_plies(struct cltb_dobutsu_value value)
{
    return value.outcome == CLTB_WIN || value.outcome == CLTB_LOSS;
}

void dobutsu_value_write(struct cltb_dobutsu_value value, char text[DOBUTSU_VALUE_MAX])
{
    if (has_plies(value))
        snprintf(text, DOBUTSU_VALUE_MAX, "%s %d", dobutsu_outcome_name(value), value.plies);
    else
        snprintf(text, DOBUTSU_VALUE_MAX, "%s", dobutsu_outcome_name(value));
}

// Finds a best line and calls each() for every move of it, before it is made.
static int best_line(const struct dobutsu_bytes *bytes, const struct dobutsu *p, const struct dobutsu_ranking *ranking,
                     void (*each)(const struct dobutsu *p, const char *move, int ply))
{
    struct dobutsu_line line;
    struct dobutsu at = *p;
    TRY(dobutsu_best_line(bytes, p, ranking, CLTB_DOBUTSU_LINE_MAX, &line));
    for (int ply = 0; ply < line.plies; ply++) {
        const struct dobutsu before = at;
        char move[DOBUTSU_MOVE_MAX];
        dobutsu_move_write(&before, &line.move[ply], move);
        each(&before, move, ply);
        if (!line.move[ply].wins)
            dobutsu_make(&before, &line.move[ply], &at);
    }
    return 0;
}

static void text_line_move(const struct dobutsu *p, const char *move, int ply)
{
    if (!p->turned || ply == 0)
        printf(" %d%s", (ply + 1) / 2 + 1, p->turned ? "..." : ".");
    printf(" %s", move);
}

int dobutsu_print_line(const struct dobutsu_bytes *bytes, const struct dobutsu *p,
                       const struct dobutsu_ranking *ranking)
{
    return best_line(bytes, p, ranking, text_line_move);
}

static void json_line_move(const struct dobutsu *p, const char *move, int ply)
{
    (void)p;
    printf("%s\"%s\"", ply > 0 ? ", " : "", move);
}

// ---- formats ----

static bool has_byte(struct cltb_dobutsu_value value)
{
    return value.byte != CLTB_DOBUTSU_NO_BYTE;
}

static int print_tsv(void *context, const char *text)
{
    const struct request *r = context;
    print_tsv_text(text);
    printf("\t%s\t", dobutsu_outcome_name(r->value));
    if (has_plies(r->value))
        printf("%d", r->value.plies);
    printf("\t");
    if (has_byte(r->value))
        printf("%d", r->value.byte);
    printf("\n");
    return 0;
}

static void print_value_text(const struct request *r)
{
    printf("%s", dobutsu_outcome_name(r->value));
    if (!has_byte(r->value)) {
        printf(" (the game is over: the lion has ascended)\n");
        return;
    }
    if (has_plies(r->value))
        printf(" in %d", r->value.plies);
    printf(" (byte %d%s)\n", r->value.byte, r->ranking.count == 0 ? ", no move" : "");
}

static int print_text(void *context, const char *text)
{
    const struct request *r = context;
    printf("%s\n", text);
    print_value_text(r);
    for (int i = 0; i < r->ranking.count; i++) {
        char move[DOBUTSU_MOVE_MAX];
        char value[DOBUTSU_VALUE_MAX];
        dobutsu_move_write(&r->position, &r->ranking.best[i].move, move);
        dobutsu_value_write(r->ranking.best[i].value, value);
        printf("    %-8s %s\n", move, value);
    }
    if (r->ranking.count == 0 || !has_plies(r->value))
        return 0;
    printf("best line:");
    int code = dobutsu_print_line(&r->bytes, &r->position, &r->ranking);
    printf("\n");
    return code;
}

static void json_number(const char *name, bool is_there, int number)
{
    printf("\"%s\": ", name);
    if (is_there)
        printf("%d", number);
    else
        printf("null");
}

static void json_value(struct cltb_dobutsu_value value)
{
    printf("\"outcome\": \"%s\", ", dobutsu_outcome_name(value));
    json_number("plies", has_plies(value), value.plies);
    printf(", ");
    json_number("byte", has_byte(value), value.byte);
}

static int print_json(void *context, const char *text)
{
    const struct request *r = context;
    printf("{\"position\": ");
    json_string(text);
    printf(", ");
    json_value(r->value);
    printf(", \"moves\": [");
    for (int i = 0; i < r->ranking.count; i++) {
        char move[DOBUTSU_MOVE_MAX];
        dobutsu_move_write(&r->position, &r->ranking.best[i].move, move);
        printf("%s{\"move\": \"%s\", ", i > 0 ? ", " : "", move);
        json_value(r->ranking.best[i].value);
        printf(", \"wins\": %s}", r->ranking.best[i].move.wins ? "true" : "false");
    }
    printf("], \"line\": [");
    int code = best_line(&r->bytes, &r->position, &r->ranking, json_line_move);
    printf("]}");
    return code;
}

// ---- the command ----

static int work_out(void *context, const char *text)
{
    struct request *r = context;
    r->ranking.count = 0;
    TRY(dobutsu_read(&r->position, text));
    TRY(dobutsu_known_value(&r->bytes, &r->position, &r->value));
    if (r->all_moves && !dobutsu_is_over(&r->position))
        return dobutsu_rank(&r->bytes, &r->position, &r->ranking);
    return 0;
}

int dobutsu_probe(const char *dir, const char *format, const struct arguments *arguments)
{
    cltb_dobutsu *table;
    int code = cltb_dobutsu_open(&table, dir, NULL);
    if (code != 0)
        return report("probe", code);
    struct request r = {.bytes = dobutsu_bytes_of(table), .all_moves = strcmp(format, "tsv") != 0};
    struct answers answers = {
        .format = format, .key = "position", .columns = 4, .context = &r, .work_out = work_out, .print = print_text};
    if (strcmp(format, "tsv") == 0)
        answers.print = print_tsv;
    else if (strcmp(format, "json") == 0)
        answers.print = print_json;
    int status = answers_give(&answers, arguments);
    cltb_dobutsu_close(table);
    return status;
}
