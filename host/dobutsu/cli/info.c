// info.c - `cltb info dobutsu.cltb`: what the dobutsu table says about itself
#include "cli/json.h"
#include "dobutsu/cli/tables.h"

#include "dobutsu/check/stats.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdio.h>

// Its histogram alone, for the sums.
static struct dobutsu_stats counts(const struct dobutsu_table_info *info)
{
    struct dobutsu_stats stats = {.longest = {-1, -1}};
    for (int value = 0; value < DOBUTSU_VALUES; value++) {
        stats.count[value] = info->count[value];
        if (info->count[value] > 0 && value < DOBUTSU_DRAW)
            stats.longest[value % 2 == 0] = value;
    }
    return stats;
}

// The values, and 2 bytes for the number of each bucket's.
static uint64_t first_level(const struct dobutsu_table_info *info)
{
    return info->kept + 2 * DOBUTSU_BUCKETS;
}

static void print_text(const char *path, const struct dobutsu_table_info *info)
{
    const struct dobutsu_stats stats = counts(info);
    printf("%s: dobutsu, %" PRIu64 " bytes\n", path, info->file_bytes);
    printf("raw: %" PRIu32 " bytes, one for each code\n", DOBUTSU_CODES);
    printf("first level: %" PRIu64 " bytes: %" PRIu64 " values kept, in %d buckets of %d codes\n", first_level(info),
           info->kept, DOBUTSU_BUCKETS, DOBUTSU_BUCKET_CODES);
    printf("second level: buckets %" PRIu64 " bytes, values %" PRIu64 " bytes, in blocks of %" PRIu32 " values\n",
           info->bucket_bytes, info->value_bytes, info->block_values);
    printf("Sente to move\n");
    printf("    %-11s %12" PRIu64 "   longest %d\n", "won", dobutsu_stats_won(&stats), stats.longest[1]);
    printf("    %-11s %12" PRIu64 "   longest %d\n", "lost", dobutsu_stats_lost(&stats), stats.longest[0]);
    printf("    %-11s %12" PRIu64 "\n", "drawn", stats.count[DOBUTSU_DRAW]);
    printf("    %-11s %12" PRIu64 "\n", "invalid", stats.count[DOBUTSU_INVALID]);
}

static void print_json(const char *path, const struct dobutsu_table_info *info)
{
    const struct dobutsu_stats stats = counts(info);
    const char *comma = "";
    printf("{\"file\": ");
    json_string(path);
    printf(", \"game\": \"dobutsu\", \"bytes\": %" PRIu64 ", \"codes\": %" PRIu32 ", \"kept\": %" PRIu64
           ", \"first_level_bytes\": %" PRIu64 ", \"bucket_codes\": %d, \"bucket_bytes\": %" PRIu64
           ", \"value_bytes\": %" PRIu64 ", \"block_values\": %" PRIu32 ", \"won\": %" PRIu64 ", \"lost\": %" PRIu64
           ", \"drawn\": %" PRIu64 ", \"invalid\": %" PRIu64
           ", \"longest_win\": %d, \"longest_loss\": %d, \"count\": [",
           info->file_bytes, DOBUTSU_CODES, info->kept, first_level(info), DOBUTSU_BUCKET_CODES, info->bucket_bytes,
           info->value_bytes, info->block_values, dobutsu_stats_won(&stats), dobutsu_stats_lost(&stats),
           stats.count[DOBUTSU_DRAW], stats.count[DOBUTSU_INVALID], stats.longest[1], stats.longest[0]);
    for (int value = 0; value < DOBUTSU_VALUES; value++) {
        printf("%s%" PRIu64, comma, info->count[value]);
        comma = ", ";
    }
    printf("]}\n");
}

int dobutsu_info(const char *path, bool json, bool *known)
{
    struct dobutsu_table *table;
    const int code = dobutsu_table_open(&table, path, 1 << 20);
    *known = code != CLTB_E_FOREIGN;
    if (!*known)
        return EXIT_FAILED;
    if (code != 0)
        return report("info", code);
    (json ? print_json : print_text)(path, dobutsu_table_info(table));
    dobutsu_table_close(table);
    return EXIT_DONE;
}
