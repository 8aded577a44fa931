// list.c - `cltb list`: the tables in the folders, which sets are complete, and which tables are missing
#include "cli/command.h"

#include "make/inventory.h"
#include "show/json.h"
#include "util/error.h"
#include "util/os.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_name[] = {[INVENTORY_FULL] = "full",
                                        [INVENTORY_SYZYGY] = "syzygy",
                                        [INVENTORY_RESTRICTED] = "restricted",
                                        [INVENTORY_DOBUTSU] = "dobutsu",
                                        [INVENTORY_UNKNOWN] = "unknown"};

static const char *state_of(const struct inventory_table *table)
{
    return table->hidden ? "hidden" : table->fault != NULL ? "unusable" : "present";
}

static int name_length(const struct inventory_table *table)
{
    return (int)(strlen(table->file) - strlen(".cltb")); // .rtbw has the same length
}

// ---- text ----

static void text_table(const struct inventory_table *table)
{
    const int length = name_length(table);
    text_print(stdout, table->file, length);
    printf("%*s ", length < 10 ? 10 - length : 0, "");
    if (table->men > 0)
        printf("%d men", table->men);
    else
        printf("%-5.5s", table->kind == INVENTORY_RESTRICTED ? "set" : "-");
    printf("  %-5s  %8s  ", table->metric, unit_bytes(table->bytes).text);
    text_print(stdout, table->path, INT_MAX);
    if (table->hidden)
        printf("  (hidden: %s)", table->kind == INVENTORY_SYZYGY ? "a table or an earlier folder is read instead"
                                                                 : "an earlier folder has this file, too");
    else if (table->fault != NULL)
        printf("  (unusable: %s)", table->fault);
    printf("\n");
}

static void print_text(const struct inventory *inventory)
{
    for (size_t i = 0; i < inventory->tables; i++)
        text_table(&inventory->table[i]);
    for (int men = 3; men <= MATERIAL_MEN_MAX; men++) {
        const struct inventory_set *set = &inventory->set[men];
        if (set->present > 0)
            printf("%d men: %zu of %zu tables, %s%s\n", men, set->present, set->all, unit_bytes(set->bytes).text,
                   set->present == set->all ? ", complete" : "");
        if (set->syzygy > 0)
            printf("%d men: %zu of %zu as Syzygy files, %s%s\n", men, set->syzygy, set->all,
                   unit_bytes(set->syzygy_bytes).text, set->syzygy == set->all ? ", complete" : "");
    }
    if (inventory->complete_men >= 3)
        printf("all tables of up to %d men are present\n", inventory->complete_men);
    for (size_t i = 0; i < inventory->missings; i++) {
        const struct inventory_missing *missing = &inventory->missing[i];
        const struct inventory_table *first = &inventory->table[missing->from[0]];
        char name[MATERIAL_NAME_MAX];
        printf("missing: %s, which captures or promotions lead to from %.*s", material_name(&missing->material, name),
               name_length(first), first->file);
        if (missing->froms > 1)
            printf(" and %zu other%s", missing->froms - 1, missing->froms == 2 ? "" : "s");
        printf("\n");
    }
    if (inventory->missings > 0)
        printf("`cltb build NAME` makes one with those that it needs in turn\n");
}

// ---- tsv ----

static void print_tsv(const struct inventory *inventory)
{
    printf("table\tkind\tmen\tmetric\tbytes\tstate\tpath\tnote\n");
    for (size_t i = 0; i < inventory->tables; i++) {
        const struct inventory_table *table = &inventory->table[i];
        text_print(stdout, table->file, name_length(table));
        printf("\t%s\t", kind_name[table->kind]);
        if (table->men > 0)
            printf("%d", table->men);
        printf("\t%s\t%" PRIu64 "\t%s\t", table->metric, table->bytes, state_of(table));
        text_print(stdout, table->path, INT_MAX);
        putchar('\t');
        if (table->fault != NULL)
            text_print(stdout, table->fault, INT_MAX);
        putchar('\n');
    }
    for (size_t i = 0; i < inventory->missings; i++) {
        const struct inventory_missing *missing = &inventory->missing[i];
        char name[MATERIAL_NAME_MAX];
        printf("%s\tfull\t%d\tdtz\t\tmissing\t\t", material_name(&missing->material, name),
               material_men(&missing->material));
        for (size_t j = 0; j < missing->froms; j++) {
            const struct inventory_table *from = &inventory->table[missing->from[j]];
            printf("%s%.*s", j > 0 ? "," : "", name_length(from), from->file);
        }
        putchar('\n');
    }
}

// ---- json ----

static void json_name(struct json *json, const char *key, const struct inventory_table *table)
{
    char name[NAME_MAX + 1];
    snprintf(name, sizeof name, "%.*s", name_length(table), table->file);
    json_text(json, key, name);
}

static void json_table(struct json *json, const struct inventory_table *table)
{
    json_open(json, NULL, '{');
    json_name(json, "table", table);
    json_text(json, "kind", kind_name[table->kind]);
    if (table->men > 0)
        json_int(json, "men", table->men);
    json_text(json, "metric", table->metric);
    json_count(json, "bytes", table->bytes);
    json_text(json, "state", state_of(table));
    json_text(json, "path", table->path);
    if (table->fault != NULL)
        json_text(json, "fault", table->fault);
    json_close(json);
}

static void print_json(const struct inventory *inventory)
{
    struct json json = {.depth = 0};
    json_open(&json, NULL, '{');
    json_open(&json, "tables", '[');
    for (size_t i = 0; i < inventory->tables; i++)
        json_table(&json, &inventory->table[i]);
    json_close(&json);
    json_open(&json, "sets", '[');
    for (int men = 3; men <= MATERIAL_MEN_MAX; men++) {
        json_open(&json, NULL, '{');
        json_int(&json, "men", men);
        json_count(&json, "present", inventory->set[men].present);
        json_count(&json, "all", inventory->set[men].all);
        json_count(&json, "bytes", inventory->set[men].bytes);
        json_count(&json, "syzygy", inventory->set[men].syzygy);
        json_count(&json, "syzygy_bytes", inventory->set[men].syzygy_bytes);
        json_close(&json);
    }
    json_close(&json);
    json_int(&json, "complete_men", inventory->complete_men);
    json_open(&json, "missing", '[');
    for (size_t i = 0; i < inventory->missings; i++) {
        const struct inventory_missing *missing = &inventory->missing[i];
        char name[MATERIAL_NAME_MAX];
        json_open(&json, NULL, '{');
        json_text(&json, "table", material_name(&missing->material, name));
        json_open(&json, "from", '[');
        for (size_t j = 0; j < missing->froms; j++)
            json_name(&json, NULL, &inventory->table[missing->from[j]]);
        json_close(&json);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

static int run(int argc, char **argv)
{
    struct inventory *inventory;
    const char *format = "text";
    const char *dir = NULL;
    const char *syzygy = NULL;
    char *folders;
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--syzygy", .kind = OPTION_FOLDER, .value = &syzygy},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &format, .choices = "text|tsv|json"},
        {.name = NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "list", argc, argv, options));
    if (arguments.count > 0)
        return usage_fault("list", "takes no arguments, not '%.40s': folders are given by --dir", arguments.word[0]);
    int code = folders_given(&folders, dir, syzygy);
    THEN(code, inventory_make(&inventory, folders));
    free(folders);
    if (code != 0)
        return report("list", code);
    if (strcmp(format, "tsv") == 0)
        print_tsv(inventory);
    else
        (strcmp(format, "json") == 0 ? print_json : print_text)(inventory);
    const size_t faults = inventory->faults;
    if (faults > 0)
        fault_line("cltb list: %zu of the tables cannot be used", faults);
    inventory_free(inventory);
    return faults > 0 ? EXIT_FAILED : EXIT_DONE;
}

const struct command list_command = {"list", run, "lists the tables in the folders and what is missing"};
