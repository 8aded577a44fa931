// stats.c - `cltb stats dobutsu`: how many codes or reachable positions have which value
#include "dobutsu/cli/tables.h"

#include "dobutsu/check/reachable.h"
#include "dobutsu/check/stats.h"
#include "util/threads.h"

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

static void print_json_values(const char *name, const uint64_t count[DOBUTSU_VALUES])
{
    const char *comma = "";
    printf("\"%s\": [", name);
    for (int value = 0; value < DOBUTSU_VALUES; value++) {
        char meaning[DOBUTSU_MEANING_MAX];
        dobutsu_meaning(value, meaning);
        if (count[value] == 0)
            continue;
        printf("%s{\"byte\": %d, \"meaning\": \"%s\", \"count\": %" PRIu64 "}", comma, value, meaning, count[value]);
        comma = ", ";
    }
    printf("]");
}

static void print_json(const struct dobutsu_stats *stats)
{
    printf("{\"game\": \"dobutsu\", \"codes\": %" PRIu32 ", \"won\": %" PRIu64 ", \"lost\": %" PRIu64
           ", \"drawn\": %" PRIu64 ", ",
           DOBUTSU_CODES, dobutsu_stats_won(stats), dobutsu_stats_lost(stats), stats->count[DOBUTSU_DRAW]);
    print_json_values("values", stats->count);
    printf(", \"invalid\": {\"overlapping\": %" PRIu64 ", \"rooster_in_hand\": %" PRIu64 ", \"both\": %" PRIu64 "}",
           stats->overlapping, stats->rooster_in_hand, stats->overlapping_and_hand);
    printf(", \"won_at_once\": {\"take_lion\": %" PRIu64 ", \"ascend\": %" PRIu64 ", \"both\": %" PRIu64 "}",
           stats->take_lion, stats->ascend, stats->take_lion_and_ascend);
    printf(", \"duplicates\": {\"other_owners\": %" PRIu64 ", \"mirrored\": %" PRIu64 "}", stats->other_owners,
           stats->mirrored);
    printf(", \"stalemates\": %" PRIu64 ", \"most_moves\": %d}\n", stats->stalemates, stats->most_moves);
}

static int count_codes(const struct dobutsu_stats_request *request, struct dobutsu_values *values,
                       struct thread_pool *pool)
{
    struct dobutsu_stats stats;
    const int code = dobutsu_stats_count(&stats, dobutsu_values_cells, values, pool);
    if (code != 0)
        return code;
    if (strcmp(request->format, "tsv") == 0)
        dobutsu_stats_write_tsv(&stats, stdout);
    else
        (strcmp(request->format, "json") == 0 ? print_json : print_text)(&stats);
    return 0;
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

static void print_reachable_json(const struct dobutsu_reachable *r)
{
    const struct dobutsu_results results = dobutsu_reachable_results(r);
    const char *comma = "";
    printf("{\"game\": \"dobutsu\", \"reachable\": %" PRIu64 ", \"open\": %" PRIu64 ", \"catch\": %" PRIu64
           ", \"try_lost\": %" PRIu64 ", \"can_ascend\": %" PRIu64 ", \"moves\": %" PRIu64 ", \"won\": %" PRIu64
           ", \"lost\": %" PRIu64 ", \"drawn\": %" PRIu64 ", ",
           dobutsu_reached_sum(&r->all), r->all.open, r->all.catch, r->all.try_lost, r->all.can_ascend, r->moves,
           results.won, results.lost, results.drawn);
    print_json_values("open_values", r->value);
    printf(", \"plies\": [");
    for (int ply = 0; ply < r->plies; ply++) {
        const struct dobutsu_reached *found = &r->ply[ply];
        printf("%s{\"new\": %" PRIu64 ", \"open\": %" PRIu64 ", \"catch\": %" PRIu64 ", \"try_lost\": %" PRIu64
               ", \"can_ascend\": %" PRIu64 "}",
               comma, dobutsu_reached_sum(found), found->open, found->catch, found->try_lost, found->can_ascend);
        comma = ", ";
    }
    printf("]}\n");
}

static int count_reachable(const struct dobutsu_stats_request *request, struct dobutsu_values *values,
                           struct thread_pool *pool)
{
    struct dobutsu_reachable reachable;
    const struct dobutsu_reachable_options options = {
        .stop = request->stop, .source = dobutsu_values_cells, .context = values, .pool = pool};
    const int code = dobutsu_reachable_count(&reachable, &options);
    if (code != 0)
        return code;
    if (strcmp(request->format, "tsv") == 0)
        (request->plies ? dobutsu_reachable_write_plies : dobutsu_reachable_write_values)(&reachable, stdout);
    else
        (strcmp(request->format, "json") == 0 ? print_reachable_json : print_reachable_text)(&reachable);
    return 0;
}

// ---- both ----

int dobutsu_stats_name(const struct dobutsu_stats_request *request)
{
    struct dobutsu_values *values = NULL;
    struct thread_pool *pool = NULL;
    int code = dobutsu_values_open(&values, request->name, request->folders);
    if (code == 0)
        code = threads_open(&pool, (int)request->threads);
    if (code == 0)
        code = (request->reachable ? count_reachable : count_codes)(request, values, pool);
    threads_close(pool);
    dobutsu_values_close(values);
    return code != 0 ? report("stats", code) : EXIT_DONE;
}
