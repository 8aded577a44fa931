// stats.c - `cltb stats dobutsu`: how many codes or reachable positions have which value
#include "dobutsu/cli/stats.h"

#include "dobutsu/check/reachable.h"
#include "dobutsu/check/stats.h"
#include "show/json.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---- all codes ----

static void print_share(const char *name, uint64_t n, uint64_t all)
{
    printf("    %-11s %12" PRIu64 " %6.2f %%", name, n, 100 * (double)n / (double)all);
}

static void print_longest(const struct dobutsu_stats *stats, int win)
{
    if (stats->longest[win] >= 0) {
        struct dobutsu p;
        char text[DOBUTSU_TEXT_MAX];
        dobutsu_decode(stats->longest_code[win], &p);
        dobutsu_write(&p, text);
        printf("   longest %d, as in %s", stats->longest[win], text);
    }
    printf("\n");
}

static void print_line(const char *name, uint64_t n)
{
    printf("    %-45s %12" PRIu64 "\n", name, n);
}

static void print_text(const struct dobutsu_stats *stats)
{
    printf("dobutsu: %" PRIu32 " codes, by value for Sente, who is to move\n", DOBUTSU_CODES);
    print_share("won", dobutsu_stats_won(stats), DOBUTSU_CODES);
    print_longest(stats, 1);
    print_share("lost", dobutsu_stats_lost(stats), DOBUTSU_CODES);
    print_longest(stats, 0);
    print_share("drawn", stats->count[DOBUTSU_DRAW], DOBUTSU_CODES);
    printf("\n");
    print_share("invalid", stats->count[DOBUTSU_INVALID], DOBUTSU_CODES);
    printf("\ninvalid codes\n");
    print_line("men share a square", stats->overlapping);
    print_line("a rooster in hand", stats->rooster_in_hand);
    print_line("both", stats->overlapping_and_hand);
    printf("won at once\n");
    print_line("by taking the lion", stats->take_lion);
    print_line("by ascending", stats->ascend);
    print_line("either way", stats->take_lion_and_ascend);
    printf("of the same position as another code\n");
    print_line("men in hand in the other order of owners", stats->other_owners);
    print_line("mirror images, Sente's lion on file b", stats->mirrored);
    printf("positions to be searched\n");
    print_line("without any move", stats->stalemates);
    print_line("most moves in one", (uint64_t)stats->most_moves);
}

static void json_values(struct json *json, const char *key, const uint64_t count[DOBUTSU_VALUES])
{
    json_open(json, key, '[');
    for (int value = 0; value < DOBUTSU_VALUES; value++) {
        char meaning[DOBUTSU_MEANING_MAX];
        if (count[value] == 0)
            continue;
        dobutsu_meaning(value, meaning);
        json_open(json, NULL, '{');
        json_int(json, "byte", value);
        json_text(json, "meaning", meaning);
        json_count(json, "count", count[value]);
        json_close(json);
    }
    json_close(json);
}

// An object of counts.
struct named_count {
    const char *name;
    uint64_t count;
};

static void json_group(struct json *json, const char *key, const struct named_count *counts, int n)
{
    json_open(json, key, '{');
    for (int i = 0; i < n; i++)
        json_count(json, counts[i].name, counts[i].count);
    json_close(json);
}

static void print_json(const struct dobutsu_stats *s)
{
    const struct named_count invalid[] = {
        {"overlapping", s->overlapping}, {"rooster_in_hand", s->rooster_in_hand}, {"both", s->overlapping_and_hand}};
    const struct named_count won[] = {
        {"take_lion", s->take_lion}, {"ascend", s->ascend}, {"both", s->take_lion_and_ascend}};
    const struct named_count duplicates[] = {{"other_owners", s->other_owners}, {"mirrored", s->mirrored}};
    struct json json = {.depth = 0};
    json_open(&json, NULL, '{');
    json_text(&json, "game", "dobutsu");
    json_count(&json, "codes", DOBUTSU_CODES);
    json_count(&json, "won", dobutsu_stats_won(s));
    json_count(&json, "lost", dobutsu_stats_lost(s));
    json_count(&json, "drawn", s->count[DOBUTSU_DRAW]);
    json_values(&json, "values", s->count);
    json_group(&json, "invalid", invalid, 3);
    json_group(&json, "won_at_once", won, 3);
    json_group(&json, "duplicates", duplicates, 2);
    json_count(&json, "stalemates", s->stalemates);
    json_int(&json, "most_moves", s->most_moves);
    json_close(&json);
}

// ---- reachable positions ----

static int longest(const struct dobutsu_reachable *r, int value)
{
    while (value >= 0 && r->value[value] == 0)
        value -= 2;
    return value;
}

static void print_reachable_text(const struct dobutsu_reachable *r)
{
    const struct dobutsu_results results = dobutsu_reachable_results(r);
    const uint64_t all = dobutsu_reached_sum(&r->all);
    printf("%" PRIu64 " positions can be reached from the start, the last of them at ply %d\n", all, r->plies - 1);
    printf("nothing is played from those in which\n");
    print_line("the side to move takes the lion (catch)", r->all.catch);
    if (r->stop)
        print_line("the side to move can ascend", r->all.can_ascend);
    else
        print_line("the enemy lion has ascended (try)", r->all.try_lost);
    printf("open are\n");
    print_line("all others", r->all.open);
    print_line("moves out of them", r->moves);
    printf("by result for the side to move\n");
    print_share("won", results.won, all);
    printf("   longest %d\n", longest(r, DOBUTSU_DRAW - 2));
    print_share("lost", results.lost, all);
    printf("   longest %d\n", longest(r, DOBUTSU_DRAW - 1));
    print_share("drawn", results.drawn, all);
    printf("\n");
}

static void json_reached(struct json *json, const struct dobutsu_reached *reached)
{
    json_count(json, "open", reached->open);
    json_count(json, "catch", reached->catch);
    json_count(json, "try_lost", reached->try_lost);
    json_count(json, "can_ascend", reached->can_ascend);
}

static void print_reachable_json(const struct dobutsu_reachable *r)
{
    const struct dobutsu_results results = dobutsu_reachable_results(r);
    struct json json = {.depth = 0};
    json_open(&json, NULL, '{');
    json_text(&json, "game", "dobutsu");
    json_count(&json, "reachable", dobutsu_reached_sum(&r->all));
    json_reached(&json, &r->all);
    json_count(&json, "moves", r->moves);
    json_count(&json, "won", results.won);
    json_count(&json, "lost", results.lost);
    json_count(&json, "drawn", results.drawn);
    json_values(&json, "open_values", r->value);
    json_open(&json, "plies", '[');
    for (int ply = 0; ply < r->plies; ply++) {
        json_open(&json, NULL, '{');
        json_count(&json, "new", dobutsu_reached_sum(&r->ply[ply]));
        json_reached(&json, &r->ply[ply]);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

static int count(const struct stats_request *request, struct dobutsu_values *values)
{
    const bool as_tsv = strcmp(request->format, "tsv") == 0;
    const bool as_json = strcmp(request->format, "json") == 0;
    if (request->reachable) {
        struct dobutsu_reachable reachable;
        const struct dobutsu_reachable_options options = {
            .stop = request->stop, .source = dobutsu_values_cells, .context = values, .pool = request->pool};
        TRY(dobutsu_reachable_count(&reachable, &options));
        if (as_tsv)
            (request->plies ? dobutsu_reachable_write_plies : dobutsu_reachable_write_values)(&reachable, stdout);
        else
            (as_json ? print_reachable_json : print_reachable_text)(&reachable);
        return 0;
    }
    struct dobutsu_stats stats;
    TRY(dobutsu_stats_count(&stats, dobutsu_values_cells, values, request->pool));
    if (as_tsv)
        dobutsu_stats_write_tsv(&stats, stdout);
    else
        (as_json ? print_json : print_text)(&stats);
    return 0;
}

int dobutsu_stats_print(const struct stats_request *request)
{
    struct dobutsu_values *values = NULL;
    TRY(dobutsu_values_open(&values, request->name, request->folders));
    const int code = count(request, values);
    dobutsu_values_close(values);
    return code;
}
