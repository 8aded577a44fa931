// counts_print.c - prints the counts of a kind that has no other statistics than these counts
#include "kind/counts_print.h"

#include "show/values.h"

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

void counts_print(const struct stats_request *request, const char *name, const struct outcome_counts *counts,
                  void (*more)(const struct outcome_counts *counts, struct json *json))
{
    const struct counts of = {counts, count_of, longest_of, NULL, METRIC_DTZ};
    struct json json = {.depth = 0};
    if (strcmp(request->format, "tsv") == 0) {
        (request->longest ? tsv_longest : tsv_counts)(name, &of);
    } else if (strcmp(request->format, "text") == 0) {
        text_counts(name, &of);
        if (more != NULL)
            more(counts, NULL);
    } else {
        json_open(&json, NULL, '{');
        json_text(&json, "material", name);
        json_counts(&json, &of);
        json_longest_by_side(&json, &of);
        if (more != NULL)
            more(counts, &json);
        json_close(&json);
    }
}
