// show.c - a position with its moves and the least and greatest values
#include "structures/cli/show.h"

#include "chess/notation.h"
#include "show/values.h"
#include "util/error.h"

#include <stdio.h>

enum { LINE_PLIES_MAX = 100 };

const char *verdict_outcomes(const struct verdict_value *value, char text[VERDICT_MAX])
{
    if (verdict_certain(value, false))
        return cltb_outcome_name(value->low.outcome);
    snprintf(text, VERDICT_MAX, "%s to %s", cltb_outcome_name(value->low.outcome),
             cltb_outcome_name(value->high.outcome));
    return text;
}

static void print_interval(const struct verdict_value *value)
{
    char outcomes[VERDICT_MAX];
    if (verdict_certain(value, true)) {
        printf("%s", cltb_outcome_name(value->low.outcome));
        text_dtz(stdout, " ", value->low, " or ");
    } else if (verdict_certain(value, false)) {
        const int a = value->low.dtz;
        const int b = value->high.dtz;
        printf("%s %d to %d", cltb_outcome_name(value->low.outcome), a < b ? a : b, a < b ? b : a);
    } else {
        printf("%s", verdict_outcomes(value, outcomes));
    }
}

static int print_line(const struct structure_answer *answer, const struct structure_values *values)
{
    uint32_t line[LINE_PLIES_MAX];
    struct position p;
    const int plies = structure_line(answer, values, line, LINE_PLIES_MAX);
    if (plies <= 0)
        return plies;
    position_copy(&p, &answer->position);
    printf("best line:");
    for (int i = 0; i < plies; i++) {
        char san[SAN_MAX];
        san_write(&p, line[i], san);
        if (p.side == WHITE || i == 0)
            printf(" %u%s", (unsigned)p.move_number, p.side == WHITE ? "." : "...");
        printf(" %s", san);
        TRY(position_make(&p, line[i]));
    }
    printf("\n");
    return 0;
}

int text_structure_answer(const struct structure_answer *answer, const struct structure_values *values)
{
    const bool proved = verdict_certain(&answer->value, false);
    char san[SAN_MAX];
    print_interval(&answer->value);
    printf(proved ? ", proved" : ", not decided");
    if (answer->moves == 0)
        printf(position_in_check(&answer->position) ? " (checkmate)" : " (stalemate)");
    if (answer->moves > 0 && proved) {
        const int only = structure_only_move(answer);
        san_write(&answer->position, answer->move[0].move, san);
        printf(": %s%s", san,
               only > 0    ? " is the only move"
               : only == 0 ? ", and other moves, too"
                           : "; whether others do is not decided");
    }
    printf("\n");
    for (int i = 0; i < answer->moves; i++) {
        char uci[UCI_MAX];
        san_write(&answer->position, answer->move[i].move, san);
        uci_write(answer->move[i].move, uci);
        printf("    %-8s %-6s ", san, uci);
        print_interval(&answer->move[i].value);
        printf("\n");
    }
    return print_line(answer, values);
}

void tsv_structure_answer(const struct structure_answer *answer)
{
    const struct verdict_value *value = &answer->value;
    char outcomes[VERDICT_MAX];
    printf("\t%s\t", verdict_outcomes(value, outcomes));
    if (verdict_certain(value, true))
        text_dtz(stdout, "", value->low, "-");
    printf("\n");
}

static void json_interval(struct json *json, const struct verdict_value *value)
{
    json_bool(json, "proved", verdict_certain(value, false));
    if (verdict_certain(value, true)) {
        json_value(json, "dtz", value->low);
        return;
    }
    json_open(json, "least", '{');
    json_value(json, "dtz", value->low);
    json_close(json);
    json_open(json, "greatest", '{');
    json_value(json, "dtz", value->high);
    json_close(json);
}

int json_structure_answer(struct json *json, const struct structure_answer *answer,
                          const struct structure_values *values)
{
    const int only = structure_only_move(answer);
    uint32_t line[LINE_PLIES_MAX];
    const int plies = structure_line(answer, values, line, LINE_PLIES_MAX);
    char san[SAN_MAX];
    char uci[UCI_MAX];
    json_interval(json, &answer->value);
    if (only >= 0)
        json_bool(json, "only_move", only > 0 && answer->moves > 0);
    else
        json_null(json, "only_move");
    json_open(json, "moves", '[');
    for (int i = 0; i < answer->moves; i++) {
        const struct verdict_move *move = &answer->move[i];
        san_write(&answer->position, move->move, san);
        uci_write(move->move, uci);
        json_open(json, NULL, '{');
        json_text(json, "uci", uci);
        json_text(json, "san", san);
        json_interval(json, &move->value);
        json_bool(json, "zeroing", move->zeroing);
        json_bool(json, "mate", move->mate);
        json_close(json);
    }
    json_close(json);
    json_open(json, "line", '[');
    for (int i = 0; i < plies; i++) {
        uci_write(line[i], uci);
        json_text(json, NULL, uci);
    }
    json_close(json);
    return plies < 0 ? plies : 0;
}
