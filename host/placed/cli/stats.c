// stats.c - prints the counts of a set of placements
#include "placed/cli/stats.h"

#include "show/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t count_of(const void *stats, int side, int slot, int ply)
{
    return ((const struct outcome_counts *)stats)->count[side][slot][ply];
}

static int longest_of(const void *stats, int side, int slot, const char **fen)
{
    const struct longest_count *longest = &((const struct outcome_counts *)stats)->longest[side][slot];
    *fen = longest->fen;
    return longest->plies;
}

static void print_undecided(const struct outcome_counts *counts, struct json *json)
{
    for (int side = WHITE; side <= BLACK; side++) {
        if (json != NULL)
            json_count(json, side == WHITE ? "white_undecided" : "black_undecided", counts->undecided[side]);
        else
            printf("%s to move: %" PRIu64 " positions are not decided, %" PRIu64 " more except for the distance\n",
                   colour_word[side], counts->undecided[side], counts->bounds[side]);
    }
}

void placed_stats_print(const struct stats_request *request, const char *name, const struct outcome_counts *counts,
                        bool bounds)
{
    const struct counts of = {counts, count_of, longest_of, NULL, METRIC_DTZ};
    struct json json = {.depth = 0};
    if (strcmp(request->format, "tsv") == 0) {
        (request->longest ? tsv_longest : tsv_counts)(name, &of);
    } else if (strcmp(request->format, "text") == 0) {
        text_counts(name, &of);
        if (bounds)
            print_undecided(counts, NULL);
    } else {
        json_open(&json, NULL, '{');
        json_text(&json, "material", name);
        json_counts(&json, &of);
        json_longest_by_side(&json, &of);
        if (bounds)
            print_undecided(counts, &json);
        json_close(&json);
    }
}
