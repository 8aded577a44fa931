// info.c - `cltb info`: what a table file says about itself
#include "cli/command.h"
#include "cli/json.h"
#include "cli/values.h"
#include "dobutsu/cli/tables.h"
#include "restricted/cli/tables.h"

#include <cltb/cltb.h>

#include "table/block_cache.h"
#include "table/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// A symmetric table stores White to move only.
static int sides(const struct table_info *info)
{
    return info->symmetric ? 1 : COLOURS;
}

static void print_text(const char *path, const struct table_info *info)
{
    char name[MATERIAL_NAME_MAX];
    printf("%s: %s, format version %d, %" PRIu64 " bytes\n", path, material_name(&info->material, name), info->version,
           info->file_bytes);
    printf("%" PRIu64 " entries a side, in blocks of %" PRIu32 ", order of the men %s\n", info->entries,
           info->block_entries, info->order);
    for (int side = WHITE; side < sides(info); side++) {
        printf("%s to move%s: outcomes %" PRIu64 " bytes, ", colour_name[side],
               info->symmetric ? " (and black, mirrored)" : "", info->outcome_bytes[side]);
        if (info->distance[side])
            printf("distances %" PRIu64 " bytes\n", info->distance_bytes[side]);
        else
            printf("distances not stored (found by one ply of search)\n");
        text_outcomes(info->positions[side], info->longest[side]);
    }
}

static void print_json(const char *path, const struct table_info *info)
{
    char name[MATERIAL_NAME_MAX];
    printf("{\"file\": ");
    json_string(path);
    printf(", \"material\": \"%s\", \"version\": %d, \"bytes\": %" PRIu64 ", \"entries\": %" PRIu64
           ", \"block_entries\": %" PRIu32 ", \"order\": ",
           material_name(&info->material, name), info->version, info->file_bytes, info->entries, info->block_entries);
    json_string(info->order);
    printf(", \"symmetric\": %s", info->symmetric ? "true" : "false");
    for (int side = WHITE; side < sides(info); side++) {
        printf(", \"%s\": {\"outcome_bytes\": %" PRIu64 ", \"distance\": %s, \"distance_bytes\": %" PRIu64
               ", \"outcomes\": {",
               colour_name[side], info->outcome_bytes[side], info->distance[side] ? "true" : "false",
               info->distance_bytes[side]);
        json_outcomes("positions", info->positions[side], info->longest[side]);
        printf("}}");
    }
    printf("}\n");
}

static int chess_info(const char *path, bool json, bool *known)
{
    struct block_cache *cache = NULL;
    struct table *table = NULL;
    int code = block_cache_open(&cache, 1 << 20);
    if (code == 0)
        code = table_open(&table, path, cache);
    if (code == 0) {
        (json ? print_json : print_text)(path, table_info(table));
        table_close(table);
    }
    if (cache != NULL)
        block_cache_close(cache);
    *known = code != CLTB_E_FOREIGN;
    return code != 0 && *known ? report("info", code) : EXIT_DONE;
}

static int run(int argc, char **argv)
{
    const char *format = "text";
    const struct option options[] = {
        {.name = "--format", .kind = OPTION_CHOICE, .value = &format, .choices = "text|json"}, {.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "info", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    if (arguments.count != 1)
        return usage_fault("info", "takes one table file");
    const bool json = strcmp(format, "json") == 0;
    bool known;
    status = chess_info(arguments.word[0], json, &known);
    if (!known)
        status = restricted_file_info(arguments.word[0], json, &known);
    if (!known)
        status = dobutsu_info(arguments.word[0], json, &known);
    return known ? status : report("info", CLTB_E_FOREIGN);
}

const struct command info_command = {"info", run, "shows what a table file says about itself"};
