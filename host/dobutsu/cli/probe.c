// probe.c - `cltb probe --game dobutsu`: what positions of dobutsu shogi are worth
#include "dobutsu/cli/probe.h"

#include "dobutsu/table.h"
#include "show/json.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A position and everything there is to say about it.
struct dobutsu_prober {
    struct dobutsu_table *table;
    struct dobutsu position;
    struct cltb_dobutsu_value value;
    struct dobutsu_ranking ranking;
};

// ---- values and lines ----

static const char *outcome_name(struct cltb_dobutsu_value value)
{
    return value.outcome == CLTB_DOBUTSU_UNKNOWN ? "unknown" : cltb_outcome_name(value.outcome);
}

void dobutsu_value_write(struct cltb_dobutsu_value value, char text[DOBUTSU_VALUE_MAX])
{
    if (dobutsu_is_decided(value))
        snprintf(text, DOBUTSU_VALUE_MAX, "%s %d", outcome_name(value), value.plies);
    else
        snprintf(text, DOBUTSU_VALUE_MAX, "%s", outcome_name(value));
}

int dobutsu_print_line(struct dobutsu_table *table, const struct dobutsu *p, const struct dobutsu_ranking *ranking,
                       struct json *json)
{
    struct dobutsu_line line;
    TRY(dobutsu_best_line(table, p, ranking, CLTB_DOBUTSU_LINE_MAX, &line));
    for (int ply = 0; ply < line.plies; ply++) {
        const bool gote = p->turned != (ply % 2 == 1);
        if (json != NULL)
            json_text(json, NULL, line.move[ply]);
        else if (!gote || ply == 0)
            printf(" %d%s %s", (ply + 1) / 2 + 1, gote ? "..." : ".", line.move[ply]);
        else
            printf(" %s", line.move[ply]);
    }
    return 0;
}

// ---- formats ----

static bool has_byte(struct cltb_dobutsu_value value)
{
    return value.byte != CLTB_DOBUTSU_NO_BYTE;
}

static int print_tsv(struct prober *prober)
{
    const struct cltb_dobutsu_value value = ((const struct dobutsu_prober *)prober->context)->value;
    printf("\t%s\t", outcome_name(value));
    if (dobutsu_is_decided(value))
        printf("%d", value.plies);
    printf("\t");
    if (has_byte(value))
        printf("%d", value.byte);
    printf("\n");
    return 0;
}

static int print_text(struct prober *prober)
{
    const struct dobutsu_prober *r = prober->context;
    printf("%s", outcome_name(r->value));
    if (has_byte(r->value) && dobutsu_is_decided(r->value))
        printf(" in %d", r->value.plies);
    if (has_byte(r->value))
        printf(" (byte %d%s)\n", r->value.byte, r->ranking.count == 0 ? ", no move" : "");
    else
        printf(" (the game is over: the lion has ascended)\n");
    for (int i = 0; i < r->ranking.count; i++) {
        char move[DOBUTSU_MOVE_MAX];
        char value[DOBUTSU_VALUE_MAX];
        dobutsu_move_write(&r->position, &r->ranking.best[i].move, move);
        dobutsu_value_write(r->ranking.best[i].value, value);
        printf("    %-8s %s\n", move, value);
    }
    if (r->ranking.count == 0 || !dobutsu_is_decided(r->value))
        return 0;
    printf("best line:");
    const int code = dobutsu_print_line(r->table, &r->position, &r->ranking, NULL);
    printf("\n");
    return code;
}

static void json_value(struct json *json, struct cltb_dobutsu_value value)
{
    json_text(json, "outcome", outcome_name(value));
    json_int_if(json, "plies", dobutsu_is_decided(value), value.plies);
    json_int_if(json, "byte", has_byte(value), value.byte);
}

static int print_json(struct prober *prober, struct json *json)
{
    const struct dobutsu_prober *r = prober->context;
    json_value(json, r->value);
    json_open(json, "moves", '[');
    for (int i = 0; i < r->ranking.count; i++) {
        char move[DOBUTSU_MOVE_MAX];
        dobutsu_move_write(&r->position, &r->ranking.best[i].move, move);
        json_open(json, NULL, '{');
        json_text(json, "move", move);
        json_value(json, r->ranking.best[i].value);
        json_bool(json, "wins", r->ranking.best[i].move.wins);
        json_close(json);
    }
    json_close(json);
    json_open(json, "line", '[');
    const int code = dobutsu_print_line(r->table, &r->position, &r->ranking, json);
    json_close(json);
    return code;
}

// ---- the prober ----

static int work_out(struct prober *prober, const char *text)
{
    struct dobutsu_prober *r = prober->context;
    r->ranking.count = 0;
    TRY(dobutsu_read(&r->position, text));
    TRY(dobutsu_known_value(r->table, &r->position, &r->value));
    if (prober->all_moves && !dobutsu_is_over(&r->position))
        return dobutsu_rank(r->table, &r->position, &r->ranking);
    return 0;
}

static void close_prober(struct prober *prober)
{
    struct dobutsu_prober *r = prober->context;
    dobutsu_table_close(r->table);
    free(r);
}

int dobutsu_probe(struct prober *prober, const struct probe_request *request)
{
    struct dobutsu_prober *r;
    TRY(memory_new(&r, 1, sizeof *r, "probing"));
    *prober = (struct prober){.key = "position",
                              .columns = 4,
                              .all_moves = strcmp(request->format, "tsv") != 0,
                              .context = r,
                              .work_out = work_out,
                              .print_text = print_text,
                              .print_tsv = print_tsv,
                              .print_json = print_json,
                              .close = close_prober};
    const int code = dobutsu_table_find(&r->table, "dobutsu", request->folders, 0);
    if (code != 0)
        free(r);
    return code;
}
