// show.c - a position with its moves and the least and greatest values
#include "structures/cli/show.h"

#include "chess/notation.h"
#include "show/values.h"
#include "util/error.h"

#include <stdio.h>

enum { LINE_PLIES_MAX = 200 };

// "a draw", "a cursed win"
static const char *outcome_words(int outcome)
{
    static const char *const words[] = {"a loss", "a blessed loss", "a draw", "a cursed win", "a win"};
    return words[outcome - CLTB_LOSS];
}

const char *verdict_outcomes(const struct verdict_value *value, char text[VERDICT_MAX])
{
    if (verdict_certain(value, false))
        return outcome_words(value->low.outcome) + 2;
    snprintf(text, VERDICT_MAX, "between %s and %s", outcome_words(value->low.outcome),
             outcome_words(value->high.outcome));
    return text;
}

static void print_interval(const struct verdict_value *value)
{
    char outcomes[VERDICT_MAX];
    const int a = value->low.dtz;
    const int b = value->high.dtz;
    printf("%s", verdict_outcomes(value, outcomes));
    if (verdict_certain(value, true))
        text_dtz(stdout, ", DTZ ", value->low, " or ");
    else if (verdict_certain(value, false))
        printf(", DTZ %d to %d", a < b ? a : b, a < b ? b : a);
}

// ---- the sentence ----

// What is certain although the outcome is not.
static void print_undecided(const struct verdict_value *value, int side)
{
    if (value->low.outcome >= CLTB_BLESSED_LOSS && value->high.outcome <= CLTB_CURSED_WIN)
        printf("Draw, perhaps only by the 50-move rule. Proved.\n");
    else if (value->low.outcome >= CLTB_BLESSED_LOSS)
        printf("Not proved: %s at least draws.\n", colour_name(side));
    else if (value->high.outcome <= CLTB_CURSED_WIN)
        printf("Not proved: %s at least draws.\n", colour_name(side ^ 1));
    else
        printf("Not proved: %s may win, draw or lose.\n", colour_name(side));
}

// Prints ", but only with Kb1", and returns the number of moves of which it is not decided whether they do the same.
static int print_keepers(const struct structure_answer *answer)
{
    const struct verdict_value *value = &answer->value;
    const int only = structure_only_move(answer);
    char san[SAN_MAX];
    int keep = 0;
    int open = 0;
    for (int i = 0; i < answer->moves; i++) {
        const bool keeps = answer->move[i].value.low.outcome >= value->low.outcome;
        keep += keeps;
        open += !keeps && answer->move[i].value.high.outcome >= value->low.outcome;
    }
    san_write(&answer->position, answer->move[0].move, san);
    if (answer->moves == 1)
        printf(" with %s, the only legal move", san);
    else if (keep == answer->moves)
        printf(" with any move");
    else if (keep > 1)
        printf(" with %s and %d other move%s", san, keep - 1, keep == 2 ? "" : "s");
    else
        printf(only > 0 ? ", but only with %s" : " with %s", san);
    return open;
}

// `source`: the table that has the position, or NULL.
static void print_sentence(const struct structure_answer *answer, const char *source)
{
    static const char *const ends[] = {"%s loses", "Draw by the 50-move rule: %s loses too late", "Draw",
                                       "Draw by the 50-move rule: %s wins too late", "%s wins"};
    const struct verdict_value *value = &answer->value;
    const int side = answer->position.side;
    int open = 0;
    if (!verdict_certain(value, false)) {
        print_undecided(value, side);
        return;
    }
    if (answer->moves == 0)
        printf(position_in_check(&answer->position) ? "%s is checkmated" : "Draw: %s is stalemated", colour_name(side));
    else
        printf(ends[value->low.outcome - CLTB_LOSS], colour_name(side));
    if (answer->moves > 0 && value->low.outcome >= CLTB_DRAW)
        open = print_keepers(answer);
    printf(source != NULL ? ". From %s" : ". Proved", source);
    if (open > 0)
        printf("; %d other move%s not decided", open, open == 1 ? " is" : "s are");
    printf(".\n");
}

// ---- the line ----

// Says which table takes over, unless it is that of the step before.
static bool print_source(const struct structure_step *step, const struct position *p, struct material *table)
{
    char name[MATERIAL_NAME_MAX];
    struct material material = material_of(p);
    material_normalise(&material);
    if (step->state != STRUCTURE_TABLE || material_equal(&material, table))
        return false;
    *table = material;
    printf(", then table %s takes over (DTZ ", material_name(&material, name));
    text_dtz(stdout, "", step->value, " or ");
    printf("):");
    return true;
}

static int print_line(const struct structure_answer *answer, const struct structure_values *values)
{
    struct structure_step line[LINE_PLIES_MAX];
    struct position p;
    const int plies = structure_line(answer, values, line, LINE_PLIES_MAX);
    if (plies <= 0)
        return plies;
    position_copy(&p, &answer->position);
    struct material table = {.metric = METRIC_DTZ};
    if (line[0].state == STRUCTURE_TABLE) { // the sentence has named it
        table = material_of(&p);
        material_normalise(&table);
    }
    printf("best line:");
    for (int i = 0; i < plies; i++) {
        char san[SAN_MAX];
        const bool takes_over = print_source(&line[i], &p, &table);
        san_write(&p, line[i].move, san);
        if (p.side == WHITE || i == 0 || takes_over)
            printf(" %u%s", (unsigned)p.move_number, p.side == WHITE ? "." : "...");
        printf(" %s", san);
        TRY(position_make(&p, line[i].move));
    }
    printf("%s\n", moves_any(&p) ? " ..." : "");
    return 0;
}

int text_structure_answer(const struct structure_answer *answer, const struct structure_values *values,
                          const char *source)
{
    print_sentence(answer, source);
    TRY(print_line(answer, values));
    for (int i = 0; i < answer->moves; i++) {
        char san[SAN_MAX];
        char uci[UCI_MAX];
        san_write(&answer->position, answer->move[i].move, san);
        uci_write(answer->move[i].move, uci);
        printf("    %-8s %-6s ", san, uci);
        print_interval(&answer->move[i].value);
        printf("\n");
    }
    return 0;
}

void tsv_structure_answer(const struct structure_answer *answer)
{
    const struct verdict_value *value = &answer->value;
    printf("\t%s", cltb_outcome_name(value->low.outcome));
    if (!verdict_certain(value, false))
        printf(" to %s", cltb_outcome_name(value->high.outcome));
    printf("\t");
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
    struct structure_step line[LINE_PLIES_MAX];
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
        uci_write(line[i].move, uci);
        json_text(json, NULL, uci);
    }
    json_close(json);
    return plies < 0 ? plies : 0;
}
