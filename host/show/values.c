// values.c - outcomes and distances of chess positions as the commands print them
#include "show/values.h"

#include "util/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const colour_word[COLOURS] = {"white", "black"};

enum { DRAW_SLOT = CLTB_DRAW + 2 };

void json_distance(struct json *json, const char *key, struct cltb_value value)
{
    json_int_if(json, key, has_dtz(value), value.dtz);
}

void json_value(struct json *json, const char *key, struct cltb_value value)
{
    if (value.outcome == CLTB_UNKNOWN)
        json_null(json, "outcome");
    else
        json_text(json, "outcome", cltb_outcome_name(value.outcome));
    json_distance(json, key, value);
    if (value.rounded)
        json_int(json, "dtz_max", value.dtz + 1);
}

void text_dtz(FILE *to, const char *before, struct cltb_value value, const char *between)
{
    if (!has_dtz(value))
        return;
    fprintf(to, "%s%d", before, value.dtz);
    if (value.rounded)
        fprintf(to, "%s%d", between, value.dtz + 1);
}

void text_distance(FILE *to, const char *before, enum metric metric, struct cltb_value value)
{
    if (!has_dtz(value))
        return;
    fprintf(to, "%s", before);
    if (metric == METRIC_DTZ)
        text_dtz(to, "DTZ ", value, " or ");
    else
        fprintf(to, "%s in %d (%d plies)", metric == METRIC_DTM ? "mate" : "conversion", (value.dtz + 1) / 2,
                value.dtz);
}

// What begins an outcome's colour on a terminal that may have colours; otherwise "".
static const char *colour_of(FILE *to, int outcome)
{
    static const char *const colours[TABLE_OUTCOMES] = {"\033[31m", "\033[33m", "", "\033[33m", "\033[32m"};
    const char *never = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    const bool plain = (never != NULL && *never != '\0') || term == NULL || strcmp(term, "dumb") == 0;
    return outcome == CLTB_UNKNOWN || to != stdout || plain || !isatty(STDOUT_FILENO) ? "" : colours[outcome + 2];
}

void text_outcome(FILE *to, int outcome)
{
    const char *colour = colour_of(to, outcome);
    fputs(colour, to);
    for (const char *c = cltb_outcome_name(outcome); *c != '\0'; c++)
        putc(*c == '-' ? ' ' : *c, to);
    if (*colour != '\0')
        fputs("\033[0m", to);
}

void text_value(FILE *to, enum metric metric, struct cltb_value value)
{
    text_outcome(to, value.outcome);
    text_distance(to, ", ", metric, value);
}

// `all` > 0: also print the share of it in per cent. `longest`: a value with the longest distance;
// of 0 plies, those of a side that has lost already, nothing is said.
static void print_outcome(int slot, uint64_t positions, uint64_t all, enum metric metric, struct cltb_value longest)
{
    if (positions == 0)
        return;
    printf("    %-13s %15" PRIu64, cltb_outcome_name(slot - 2), positions);
    if (all > 0)
        printf(" %6.2f %%", 100 * (double)positions / (double)all);
    if (longest.dtz > 0 || longest.rounded)
        text_distance(stdout, "   longest ", metric, longest);
    printf("\n");
}

void text_outcomes(enum metric metric, const uint64_t positions[TABLE_OUTCOMES], const int longest[TABLE_OUTCOMES])
{
    for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--)
        print_outcome(slot, positions[slot], 0, metric, (struct cltb_value){.outcome = slot - 2, .dtz = longest[slot]});
}

void json_outcomes(struct json *json, const char *unit, const uint64_t positions[TABLE_OUTCOMES],
                   const int longest[TABLE_OUTCOMES])
{
    json_open(json, "outcomes", '{');
    for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
        json_open(json, cltb_outcome_name(slot - 2), '{');
        json_count(json, unit, positions[slot]);
        if (slot != DRAW_SLOT && longest[slot] >= 0)
            json_int(json, "longest", longest[slot]);
        json_close(json);
    }
    json_close(json);
}

// ---- statistics ----

static const char *key_of(const struct counts *counts)
{
    return metric_names[counts->metric];
}

struct longest {
    int side;
    int slot;
    int plies;
    const char *fen;
};

static struct cltb_value value_of(const struct counts *counts, int side, int slot, int ply)
{
    const bool rounded = counts->rounded != NULL && counts->rounded(counts->stats, side, slot, ply);
    return (struct cltb_value){.outcome = slot - 2, .dtz = ply, .rounded = rounded};
}

// Finds the next outcome that occurs, in printing order: White's from wins to losses, then Black's. *at starts at 0;
// false after the last one.
static bool next_longest(const struct counts *counts, int *at, struct longest *longest)
{
    while (*at < COLOURS * TABLE_OUTCOMES) {
        longest->side = *at / TABLE_OUTCOMES;
        longest->slot = TABLE_OUTCOMES - 1 - (*at)++ % TABLE_OUTCOMES;
        longest->plies = counts->longest(counts->stats, longest->side, longest->slot, &longest->fen);
        if (longest->plies >= 0)
            return true;
    }
    return false;
}

void text_counts(const char *name, const struct counts *counts)
{
    printf("%s\n", name);
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t positions[TABLE_OUTCOMES] = {0};
        int longest[TABLE_OUTCOMES] = {0};
        uint64_t all = 0;
        for (int slot = 0; slot < TABLE_OUTCOMES; slot++) {
            for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
                const uint64_t count = counts->count(counts->stats, side, slot, ply);
                positions[slot] += count;
                if (count > 0)
                    longest[slot] = ply;
            }
            all += positions[slot];
        }
        printf("%s to move: %" PRIu64 " legal positions\n", colour_word[side], all);
        for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--)
            print_outcome(slot, positions[slot], all, counts->metric, value_of(counts, side, slot, longest[slot]));
    }
    struct longest l;
    for (int at = 0; next_longest(counts, &at, &l);) {
        const struct cltb_value longest = value_of(counts, l.side, l.slot, l.plies);
        if (longest.dtz == 0 && !longest.rounded)
            continue;
        printf("longest ");
        text_outcome(stdout, l.slot - 2);
        printf(" with %s to move", colour_word[l.side]);
        text_distance(stdout, ": ", counts->metric, longest);
        printf(", as in %s\n", l.fen);
    }
}

static void tsv_start(const char *name, int side, int slot)
{
    printf("%s\t%c\t%s\t", name, side == WHITE ? 'w' : 'b', cltb_outcome_name(slot - 2));
}

void tsv_counts(const char *name, const struct counts *counts)
{
    printf("material\tstm\toutcome\t%s\tcount\n", key_of(counts));
    for (int side = WHITE; side <= BLACK; side++) {
        for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
            for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
                const uint64_t count = counts->count(counts->stats, side, slot, ply);
                if (count == 0)
                    continue;
                tsv_start(name, side, slot);
                text_dtz(stdout, "", value_of(counts, side, slot, ply), "-");
                printf("\t%" PRIu64 "\n", count);
            }
        }
    }
}

void tsv_longest(const char *name, const struct counts *counts)
{
    printf("material\tstm\toutcome\t%s\tfen\n", key_of(counts));
    struct longest l;
    for (int at = 0; next_longest(counts, &at, &l);) {
        tsv_start(name, l.side, l.slot);
        text_dtz(stdout, "", value_of(counts, l.side, l.slot, l.plies), "-");
        printf("\t%s\n", l.fen);
    }
}

void json_counts(struct json *json, const struct counts *counts)
{
    for (int side = WHITE; side <= BLACK; side++) {
        json_open(json, colour_word[side], '[');
        for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
            for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
                const uint64_t count = counts->count(counts->stats, side, slot, ply);
                if (count == 0)
                    continue;
                json_open(json, NULL, '{');
                json_value(json, key_of(counts), value_of(counts, side, slot, ply));
                json_count(json, "count", count);
                json_close(json);
            }
        }
        json_close(json);
    }
}

void json_longest_by_side(struct json *json, const struct counts *counts)
{
    json_open(json, "longest_by_side", '[');
    struct longest l;
    for (int at = 0; next_longest(counts, &at, &l);) {
        json_open(json, NULL, '{');
        json_text(json, "to_move", colour_word[l.side]);
        json_value(json, key_of(counts), value_of(counts, l.side, l.slot, l.plies));
        json_text(json, "fen", l.fen);
        json_close(json);
    }
    json_close(json);
}

// ---- a board ----

void text_board(const struct position *p, int bottom)
{
    const int turn = bottom == WHITE ? 0 : 63; // turns a square by 180 degrees
    for (int rank = 7; rank >= 0; rank--) {
        printf("  %d ", square_rank(8 * rank ^ turn) + 1);
        for (int file = 0; file < 8; file++) {
            const int code = p->board[(8 * rank + file) ^ turn];
            printf(" %c", code == EMPTY ? '.' : piece_letter(code));
        }
        if (rank == (p->side == bottom ? 0 : 7))
            printf("   %s to move", colour_name(p->side));
        printf("\n");
    }
    printf("     %s\n", bottom == WHITE ? "a b c d e f g h" : "h g f e d c b a");
}
