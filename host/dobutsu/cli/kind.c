// kind.c - the dobutsu database as a kind of table: build, stats, verify and info; probe.c has the rest
#include "kind/kind.h"

#include "dobutsu/check/reachable.h"
#include "dobutsu/check/stats.h"
#include "dobutsu/check/verify.h"
#include "dobutsu/cli/probe.h"
#include "dobutsu/make/build.h"
#include "dobutsu/rules.h"
#include "show/json.h"
#include "util/error.h"
#include "util/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool makes(const char *word)
{
    return strcasecmp(word, DOBUTSU_NAME) == 0;
}

static int build(const struct build_request *request)
{
    if (request->names != 1)
        return error_set(CLTB_E_USAGE, "dobutsu is built alone, without other names");
    return dobutsu_build(&request->options, request->format != NULL);
}

// ---- stats of all codes ----

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

static void print_codes_text(const struct dobutsu_stats *stats)
{
    printf("dobutsu: %" PRIu32 " codes, by value for Sente, who is to move\n", DOBUTSU_CODES);
    print_share("won", dobutsu_count_sum(stats->count, 0), DOBUTSU_CODES);
    print_longest(stats, 1);
    print_share("lost", dobutsu_count_sum(stats->count, 1), DOBUTSU_CODES);
    print_longest(stats, 0);
    print_share("drawn", stats->count[DOBUTSU_DRAW], DOBUTSU_CODES);
    printf("\n");
    print_share("invalid", stats->count[DOBUTSU_INVALID], DOBUTSU_CODES);
    printf("\n");
    for (int kind = 0; kind < DOBUTSU_CODE_KINDS; kind++) {
        if (dobutsu_kind_names[kind].section != NULL)
            printf("%s\n", dobutsu_kind_names[kind].section);
        print_line(dobutsu_kind_names[kind].text, stats->kind[kind]);
    }
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

static void print_codes_json(const struct dobutsu_stats *s)
{
    struct json json = {.depth = 0};
    json_open(&json, NULL, '{');
    json_text(&json, "game", "dobutsu");
    json_count(&json, "codes", DOBUTSU_CODES);
    json_count(&json, "won", dobutsu_count_sum(s->count, 0));
    json_count(&json, "lost", dobutsu_count_sum(s->count, 1));
    json_count(&json, "drawn", s->count[DOBUTSU_DRAW]);
    json_values(&json, "values", s->count);
    for (int kind = 0; kind < DOBUTSU_CODE_KINDS; kind++) {
        const char *object = dobutsu_kind_names[kind].object;
        if (object != NULL && kind > 0)
            json_close(&json);
        if (object != NULL && *object != '\0')
            json_open(&json, object, '{');
        json_count(&json, dobutsu_kind_names[kind].key, s->kind[kind]);
    }
    json_close(&json);
}

// ---- stats of reachable positions ----

// The largest of the values `value`, `value` - 2 and so on that occurs, or a negative number.
static int longest(const uint64_t count[DOBUTSU_VALUES], int value)
{
    while (value >= 0 && count[value] == 0)
        value -= 2;
    return value;
}

static void print_reachable_text(const struct dobutsu_reachable *r)
{
    const struct dobutsu_results results = dobutsu_reachable_results(r);
    const uint64_t all = dobutsu_reached_sum(r->all);
    printf("%" PRIu64 " positions can be reached from the start, the last of them at ply %d\n", all, r->plies - 1);
    printf("nothing is played from those in which\n");
    print_line("the side to move takes the lion (catch)", r->all[DOBUTSU_CATCH]);
    if (r->stop)
        print_line("the side to move can ascend", r->all[DOBUTSU_CAN_ASCEND]);
    else
        print_line("the enemy lion has ascended (try)", r->all[DOBUTSU_TRY]);
    printf("open are\n");
    print_line("all others", r->all[DOBUTSU_OPEN]);
    print_line("moves out of them", r->moves);
    printf("by result for the side to move\n");
    print_share("won", results.won, all);
    printf("   longest %d\n", longest(r->value, DOBUTSU_DRAW - 2));
    print_share("lost", results.lost, all);
    printf("   longest %d\n", longest(r->value, DOBUTSU_DRAW - 1));
    print_share("drawn", results.drawn, all);
    printf("\n");
}

static void json_reached(struct json *json, const uint64_t reached[DOBUTSU_REACHED])
{
    static const char *const keys[DOBUTSU_REACHED] = {"open", "catch", "try_lost", "can_ascend"};
    for (int class = 0; class < DOBUTSU_REACHED; class ++)
        json_count(json, keys[class], reached[class]);
}

static void print_reachable_json(const struct dobutsu_reachable *r)
{
    const struct dobutsu_results results = dobutsu_reachable_results(r);
    struct json json = {.depth = 0};
    json_open(&json, NULL, '{');
    json_text(&json, "game", "dobutsu");
    json_count(&json, "reachable", dobutsu_reached_sum(r->all));
    json_reached(&json, r->all);
    json_count(&json, "moves", r->moves);
    json_count(&json, "won", results.won);
    json_count(&json, "lost", results.lost);
    json_count(&json, "drawn", results.drawn);
    json_values(&json, "open_values", r->value);
    json_open(&json, "plies", '[');
    for (int ply = 0; ply < r->plies; ply++) {
        json_open(&json, NULL, '{');
        json_count(&json, "new", dobutsu_reached_sum(r->ply[ply]));
        json_reached(&json, r->ply[ply]);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

static int stats(const struct stats_request *request)
{
    const bool as_tsv = strcmp(request->format, "tsv") == 0;
    const bool as_json = strcmp(request->format, "json") == 0;
    struct dobutsu_table *table;
    struct dobutsu_stats codes;
    struct dobutsu_reachable reachable;
    TRY(dobutsu_table_find(&table, request->name, request->folders, 0));
    uint8_t *all = memory_map(DOBUTSU_CODES);
    int code = all == NULL ? error_memory(DOBUTSU_CODES, "the values of all codes")
                           : dobutsu_table_load(table, all, request->pool);
    const struct dobutsu_reachable_options options = {.stop = request->stop, .values = all, .pool = request->pool};
    if (request->reachable)
        THEN(code, dobutsu_reachable_count(&reachable, &options));
    else
        THEN(code, dobutsu_stats_count(&codes, all, request->pool));
    memory_unmap(all, DOBUTSU_CODES);
    dobutsu_table_close(table);
    TRY(code);
    if (request->reachable && as_tsv)
        (request->plies ? dobutsu_reachable_write_plies : dobutsu_reachable_write_values)(&reachable, stdout);
    else if (request->reachable)
        (as_json ? print_reachable_json : print_reachable_text)(&reachable);
    else if (as_tsv)
        dobutsu_stats_write_tsv(&codes, stdout);
    else
        (as_json ? print_codes_json : print_codes_text)(&codes);
    return 0;
}

// ---- verify ----

static int verify(const struct verify_request *request, struct verify_summary *summary)
{
    const struct dobutsu_verify_options options = {request->sample, request->seed, request->pool};
    struct dobutsu_verify_result result;
    struct dobutsu_table *table;
    TRY(dobutsu_table_find(&table, request->name, request->folders, 0));
    threads_watch(request->pool, request->progress, request->pool);
    const int code = dobutsu_verify(table, &options, &result);
    if (code == CLTB_E_MISMATCH)
        error_prefix(code, "%s is wrong", dobutsu_table_path(table));
    *summary = (struct verify_summary){.checked = result.codes,
                                       .unit = "codes",
                                       .sampled = request->sample > 0,
                                       .checksums = dobutsu_table_info(table) != NULL};
    snprintf(summary->parts, sizeof summary->parts,
             "%" PRIu64 " invalid, %" PRIu64 " won at once, %" PRIu64 " by their moves", result.invalid, result.won,
             result.codes - result.invalid - result.won);
    dobutsu_table_close(table);
    return code;
}

// ---- info ----

static int info(const char *path, bool as_json)
{
    struct dobutsu_table *table;
    TRY(dobutsu_table_open(&table, path, 1 << 20));
    const struct dobutsu_table_info *info = dobutsu_table_info(table);
    // The first level of compression: the values, and 2 bytes for the number of each bucket's values.
    const uint64_t first_level = info->kept + 2 * DOBUTSU_BUCKETS;
    const uint64_t won = dobutsu_count_sum(info->count, 0);
    const uint64_t lost = dobutsu_count_sum(info->count, 1);
    const uint64_t drawn = info->count[DOBUTSU_DRAW];
    const uint64_t invalid = info->count[DOBUTSU_INVALID];
    const int longest_win = longest(info->count, DOBUTSU_DRAW - 2);
    const int longest_loss = longest(info->count, DOBUTSU_DRAW - 1);
    if (as_json) {
        struct json json = {.depth = 0};
        json_open(&json, NULL, '{');
        json_text(&json, "file", path);
        json_text(&json, "game", "dobutsu");
        json_count(&json, "bytes", info->file_bytes);
        json_count(&json, "codes", DOBUTSU_CODES);
        json_count(&json, "kept", info->kept);
        json_count(&json, "first_level_bytes", first_level);
        json_int(&json, "bucket_codes", DOBUTSU_BUCKET_CODES);
        json_count(&json, "bucket_bytes", info->bucket_bytes);
        json_count(&json, "value_bytes", info->value_bytes);
        json_count(&json, "block_values", info->block_values);
        json_count(&json, "won", won);
        json_count(&json, "lost", lost);
        json_count(&json, "drawn", drawn);
        json_count(&json, "invalid", invalid);
        json_int(&json, "longest_win", longest_win);
        json_int(&json, "longest_loss", longest_loss);
        json_open(&json, "count", '[');
        for (int value = 0; value < DOBUTSU_VALUES; value++)
            json_count(&json, NULL, info->count[value]);
        json_close(&json);
        json_close(&json);
    } else {
        printf("%s: dobutsu, %" PRIu64 " bytes\n", path, info->file_bytes);
        printf("raw: %" PRIu32 " bytes, one for each code\n", DOBUTSU_CODES);
        printf("first level: %" PRIu64 " bytes: %" PRIu64 " values kept, in %d buckets of %d codes\n", first_level,
               info->kept, DOBUTSU_BUCKETS, DOBUTSU_BUCKET_CODES);
        printf("second level: buckets %" PRIu64 " bytes, values %" PRIu64 " bytes, in blocks of %" PRIu32 " values\n",
               info->bucket_bytes, info->value_bytes, info->block_values);
        printf("Sente to move\n");
        printf("    %-11s %12" PRIu64 "   longest %d\n", "won", won, longest_win);
        printf("    %-11s %12" PRIu64 "   longest %d\n", "lost", lost, longest_loss);
        printf("    %-11s %12" PRIu64 "\n", "drawn", drawn);
        printf("    %-11s %12" PRIu64 "\n", "invalid", invalid);
    }
    dobutsu_table_close(table);
    return 0;
}

// ---- perft ----

static int print_move(void *context, const struct dobutsu *p, const struct dobutsu_move *move,
                      const struct dobutsu_perft *behind)
{
    char name[DOBUTSU_MOVE_MAX];
    (void)context;
    dobutsu_move_write(p, move, name);
    printf("%s: %" PRIu64 "\n", name, behind->sequences);
    return 0;
}

static int count_leaves(const struct perft_request *request, struct perft_result *result)
{
    struct dobutsu p;
    struct dobutsu_perft count;
    TRY(dobutsu_read(&p, request->position != NULL ? request->position : DOBUTSU_START));
    dobutsu_perft_divide(&p, request->depth, request->stop, request->divide ? print_move : NULL, NULL, &count);
    result->leaves = count.sequences;
    snprintf(result->parts, sizeof result->parts, "%" PRIu64 " won by the last move", count.last_move_wins);
    return 0;
}

// ---- the kind ----

static const struct option_rule build_rules[] = {
    {"--prune --futurebases --output", NULL, "", "--prune, --futurebases and --output are for restricted endgames"},
    {"--dry-run --both-sides --metric", NULL, "",
     "dobutsu is built alone, without --dry-run, --both-sides and --metric"},
    {"--format", NULL, "--format=raw", "--format belongs to --dry-run"},
    {"--format=raw", "--best --solve-only", "", "--format raw does not go with --best and --solve-only"},
    {"--pawnless", NULL, "--men", "--pawnless belongs to --men"},
    {NULL}};

static const struct option_rule probe_rules[] = {{"--table --epd --board --syzygy --metric", NULL, "",
                                                  "--table, --epd, --board, --syzygy and --metric belong to chess"},
                                                 {NULL}};

static const struct option_rule stats_rules[] = {
    {"--format=syzygy --longest --zugzwangs --syzygy", NULL, "",
     "--format syzygy, --longest, --zugzwangs and --syzygy belong to chess"},
    {"--recount --keep", NULL, "", "--recount and --keep belong to chess"},
    {"--stop --plies", NULL, "--reachable", "--stop and --plies belong to --reachable"},
    {"--plies", NULL, "--format=tsv", "--plies belongs to --format tsv"},
    {NULL}};

static const struct option_rule perft_rules[] = {
    {"--threads", NULL, "", "--threads belongs to chess: --game dobutsu takes one thread"}, {NULL}};

const struct endgame_kind kind_dobutsu = {.options = "--game=dobutsu",
                                          .makes = makes,
                                          .names = dobutsu_table_named,
                                          .build_rules = build_rules,
                                          .probe_rules = probe_rules,
                                          .stats_rules = stats_rules,
                                          .perft_rules = perft_rules,
                                          .build = build,
                                          .probe = dobutsu_probe,
                                          .stats = stats,
                                          .verify = verify,
                                          .info = info,
                                          .perft = count_leaves};
