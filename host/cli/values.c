// values.c - outcomes and distances as the commands print them
#include "cli/values.h"

#include <inttypes.h>
#include <stdio.h>

const char *const colour_name[COLOURS] = {"white", "black"};

enum { DRAW_SLOT = 2 };

void json_value(struct cltb_value value)
{
    printf("\"outcome\": \"%s\", \"dtz\": ", cltb_outcome_name(value.outcome));
    if (has_dtz(value))
        printf("%d", value.dtz);
    else
        printf("null");
}

static void text_longest(int slot, int longest)
{
    if (slot != DRAW_SLOT)
        printf("   longest %d", longest);
    printf("\n");
}

void text_outcomes(const uint64_t positions[TABLE_OUTCOMES], const int longest[TABLE_OUTCOMES])
{
    for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
        if (positions[slot] == 0)
            continue;
        printf("    %-13s %15" PRIu64, cltb_outcome_name(slot - 2), positions[slot]);
        text_longest(slot, longest[slot]);
    }
}

void text_shares(const uint64_t positions[TABLE_OUTCOMES], const int longest[TABLE_OUTCOMES], uint64_t all)
{
    for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
        if (positions[slot] == 0)
            continue;
        printf("    %-13s %15" PRIu64 " %6.2f %%", cltb_outcome_name(slot - 2), positions[slot],
               100 * (double)positions[slot] / (double)all);
        text_longest(slot, longest[slot]);
    }
}

void json_outcomes(const char *unit, const uint64_t positions[TABLE_OUTCOMES], const int longest[TABLE_OUTCOMES])
{
    const char *comma = "";
    for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
        printf("%s\"%s\": {\"%s\": %" PRIu64, comma, cltb_outcome_name(slot - 2), unit, positions[slot]);
        if (slot != DRAW_SLOT && longest[slot] >= 0)
            printf(", \"longest\": %d", longest[slot]);
        printf("}");
        comma = ", ";
    }
}

void json_count(const char **comma, int slot, int plies, uint64_t count)
{
    printf("%s{\"outcome\": \"%s\", \"dtz\": ", *comma, cltb_outcome_name(slot - 2));
    if (slot == DRAW_SLOT)
        printf("null");
    else
        printf("%d", plies);
    printf(", \"count\": %" PRIu64 "}", count);
    *comma = ", ";
}

void json_longest(const char **comma, int side, int slot, int plies, const char *fen)
{
    printf("%s{\"to_move\": \"%s\", \"outcome\": \"%s\", \"dtz\": %d, \"fen\": \"%s\"}", *comma, colour_name[side],
           cltb_outcome_name(slot - 2), plies, fen);
    *comma = ", ";
}
