// kind.c - the dobutsu database as a kind of table: build, verify and info; probe.c and stats.c have the rest
#include "kind/kind.h"

#include "dobutsu/check/stats.h"
#include "dobutsu/check/verify.h"
#include "dobutsu/cli/probe.h"
#include "dobutsu/cli/stats.h"
#include "dobutsu/make/build.h"
#include "dobutsu/rules.h"
#include "show/json.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdio.h>
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

// ---- verify ----

static int verify(const struct verify_request *request, struct verify_summary *summary)
{
    const struct dobutsu_verify_options options = {request->sample, request->seed, request->pool};
    struct dobutsu_verify_result result;
    struct dobutsu_values *values;
    TRY(dobutsu_values_open(&values, request->name, request->folders));
    const int code = dobutsu_verify(values, &options, &result);
    if (code == CLTB_E_MISMATCH)
        error_prefix(code, "%s is wrong", dobutsu_values_path(values));
    *summary = (struct verify_summary){.checked = result.codes,
                                       .unit = "codes",
                                       .sampled = request->sample > 0,
                                       .checksums = dobutsu_values_info(values) != NULL};
    snprintf(summary->parts, sizeof summary->parts,
             "%" PRIu64 " invalid, %" PRIu64 " won at once, %" PRIu64 " by their moves", result.invalid, result.won,
             result.codes - result.invalid - result.won);
    dobutsu_values_close(values);
    return code;
}

// ---- info ----

static int info(const char *path, bool as_json)
{
    struct dobutsu_table *table;
    TRY(dobutsu_table_open(&table, path, 1 << 20));
    const struct dobutsu_table_info *info = dobutsu_table_info(table);
    // Of the first level of compression: the values, and 2 bytes for the number of each bucket's values.
    const uint64_t first_level = info->kept + 2 * DOBUTSU_BUCKETS;
    struct dobutsu_stats stats = {.longest = {-1, -1}}; // the histogram alone, for its sums
    for (int value = 0; value < DOBUTSU_VALUES; value++) {
        stats.count[value] = info->count[value];
        if (info->count[value] > 0 && value < DOBUTSU_DRAW)
            stats.longest[value % 2 == 0] = value;
    }
    const uint64_t won = dobutsu_stats_won(&stats);
    const uint64_t lost = dobutsu_stats_lost(&stats);
    const uint64_t drawn = stats.count[DOBUTSU_DRAW];
    const uint64_t invalid = stats.count[DOBUTSU_INVALID];
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
        json_int(&json, "longest_win", stats.longest[1]);
        json_int(&json, "longest_loss", stats.longest[0]);
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
        printf("    %-11s %12" PRIu64 "   longest %d\n", "won", won, stats.longest[1]);
        printf("    %-11s %12" PRIu64 "   longest %d\n", "lost", lost, stats.longest[0]);
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
    {"--dry-run --both-sides", NULL, "", "dobutsu is built alone, without --dry-run and --both-sides"},
    {"--format", NULL, "--format=raw", "--format belongs to --dry-run"},
    {"--format=raw", "--best --solve-only", "", "--format raw does not go with --best and --solve-only"},
    {"--pawnless", NULL, "--men", "--pawnless belongs to --men"},
    {NULL}};

static const struct option_rule probe_rules[] = {{"--table", NULL, "", "--table belongs to chess"}, {NULL}};

static const struct option_rule stats_rules[] = {
    {"--format=syzygy --longest --zugzwangs", NULL, "", "--format syzygy, --longest and --zugzwangs belong to chess"},
    {"--stop --plies", NULL, "--reachable", "--stop and --plies belong to --reachable"},
    {"--plies", NULL, "--format=tsv", "--plies belongs to --format tsv"},
    {NULL}};

static const struct option_rule perft_rules[] = {
    {"--threads", NULL, "", "--threads belongs to chess: --game dobutsu takes one thread"}, {NULL}};

const struct endgame_kind kind_dobutsu = {.options = "--game=dobutsu",
                                          .makes = makes,
                                          .names = dobutsu_values_named,
                                          .build_rules = build_rules,
                                          .probe_rules = probe_rules,
                                          .stats_rules = stats_rules,
                                          .perft_rules = perft_rules,
                                          .build = build,
                                          .probe = dobutsu_probe,
                                          .stats = dobutsu_stats_print,
                                          .verify = verify,
                                          .info = info,
                                          .perft = count_leaves};
