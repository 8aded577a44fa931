// info.c - `cltb info FILE` of a restricted table: its spec, sizes and outcomes
#include "cli/json.h"
#include "cli/values.h"
#include "restricted/cli/tables.h"

#include "restricted/table.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const prune_name[] = {[SPEC_DISCARD] = "discard", [SPEC_CONCEDE] = "concede"};

// ---- text ----

static void print_spec(const struct spec *spec)
{
    for (int i = 0; i < spec->rules; i++)
        printf("%s of %s: %s\n", prune_name[spec->rule[i].prune], colour_name[spec->rule[i].colour],
               spec->rule[i].text);
    for (int i = 0; i < spec->futurebases; i++)
        printf("futurebase %s%s\n", spec->futurebase[i].file,
               spec->futurebase[i].invert ? ", its colours exchanged" : "");
}

static void print_text(const char *path, const struct restricted_table *table)
{
    const struct restricted_info *info = restricted_table_info(table);
    const struct restricted_index *index = restricted_table_index(table);
    char name[SPEC_NAME_MAX];
    spec_name(&index->spec, name);
    printf("%s: %s, restricted, %" PRIu64 " bytes\n", path, name, info->file_bytes);
    print_spec(&index->spec);
    printf("%" PRIu64 " entries a side, in %" PRIu64 " placement%s of the pawns; symmetric images: %d\n", info->entries,
           info->slices, info->slices == 1 ? "" : "s", index->symmetries);
    for (int side = WHITE; side <= BLACK; side++) {
        printf("%s to move: values %" PRIu64 " bytes; entries with a position\n", colour_name[side],
               info->value_bytes[side]);
        text_outcomes(info->positions[side], info->longest[side]);
    }
}

// ---- json ----

static void json_rules(const struct spec *spec)
{
    printf("\"rules\": [");
    for (int i = 0; i < spec->rules; i++) {
        printf("%s{\"colour\": \"%s\", \"prune\": \"%s\", \"pattern\": ", i > 0 ? ", " : "",
               colour_name[spec->rule[i].colour], prune_name[spec->rule[i].prune]);
        json_string(spec->rule[i].text);
        printf("}");
    }
    printf("], \"futurebases\": [");
    for (int i = 0; i < spec->futurebases; i++) {
        printf("%s{\"file\": ", i > 0 ? ", " : "");
        json_string(spec->futurebase[i].file);
        printf(", \"inverted\": %s}", spec->futurebase[i].invert ? "true" : "false");
    }
    printf("]");
}

static void print_json(const char *path, const struct restricted_table *table)
{
    const struct restricted_info *info = restricted_table_info(table);
    const struct restricted_index *index = restricted_table_index(table);
    char name[SPEC_NAME_MAX];
    spec_name(&index->spec, name);
    printf("{\"file\": ");
    json_string(path);
    printf(", \"restricted\": ");
    json_string(name);
    printf(", \"bytes\": %" PRIu64 ", \"entries\": %" PRIu64 ", \"slices\": %" PRIu64 ", \"symmetries\": %d, ",
           info->file_bytes, info->entries, info->slices, index->symmetries);
    json_rules(&index->spec);
    for (int side = WHITE; side <= BLACK; side++) {
        printf(", \"%s\": {\"value_bytes\": %" PRIu64 ", \"outcomes\": {", colour_name[side], info->value_bytes[side]);
        json_outcomes("entries", info->positions[side], info->longest[side]);
        printf("}}");
    }
    printf("}\n");
}

int restricted_file_info(const char *path, bool json, bool *known)
{
    struct restricted_table *table;
    const int code = restricted_table_open(&table, path, 1 << 20);
    *known = code != CLTB_E_FOREIGN;
    if (!*known)
        return EXIT_FAILED;
    if (code != 0)
        return report("info", code);
    (json ? print_json : print_text)(path, table);
    restricted_table_close(table);
    return EXIT_DONE;
}
