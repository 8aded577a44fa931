// inventory.c - the tables in some folders, and the missing tables that they need
#include "make/inventory.h"

#include "make/plan_material.h"
#include "syzygy/file.h"
#include "table/block_cache.h"
#include "table/properties.h"
#include "table/table.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the files ----

static int examine_other(struct inventory_table *table)
{
    struct container *container;
    char value[64];
    TRY(container_open(&container, table->path));
    const char *text = container_text(container);
    int code = 0;
    if (property_check_game(text, "dobutsu", table->path) == 0) {
        table->kind = INVENTORY_DOBUTSU;
        table->metric = "plies";
    } else if ((code = property_check_game(text, "chess", table->path)) == 0) {
        table->metric = "dtz";
        if (property_text(text, "restricted", value, sizeof value))
            table->kind = INVENTORY_RESTRICTED;
        else
            code = property_text(text, "material", value, sizeof value)
                       ? error_set(CLTB_E_FOREIGN, "%s holds the table %s, so the file was renamed", table->path, value)
                       : container_invalid(container, "its material is missing");
    }
    container_close(container);
    return code;
}

// Keeps the sentence about what is wrong with a file; `code` is the result of reading it.
static int keep_fault(struct inventory_table *table, int code)
{
    if (code == 0 || code == CLTB_E_MEMORY)
        return code;
    table->fault = strdup(error_text());
    return table->fault != NULL ? 0 : error_memory(strlen(error_text()), "a sentence");
}

static int add_file(struct inventory *inventory, const char *path, const char *file, struct inventory_table **table)
{
    TRY(memory_grow(&inventory->table, &inventory->table_room, inventory->tables + 1, sizeof *inventory->table,
                    "a list of tables"));
    *table = &inventory->table[inventory->tables];
    **table = (struct inventory_table){.path = strdup(path)};
    if ((*table)->path == NULL)
        return error_memory(strlen(path), "a path");
    (*table)->file = (*table)->path + (file - path);
    for (size_t i = 0; i < inventory->tables; i++)
        (*table)->hidden |= strcmp(inventory->table[i].file, file) == 0;
    inventory->tables++;
    return 0;
}

// Adds a file and what its head says, as far as it can be read.
static int add_table(void *context, const char *path, const char *file)
{
    struct inventory_table *table;
    TRY(add_file(context, path, file, &table));
    table->kind = INVENTORY_UNKNOWN;
    table->metric = "";
    struct table *opened = NULL;
    if (material_of_file(&table->material, table->file, ".cltb")) {
        table->kind = INVENTORY_FULL;
        table->men = material_men(&table->material);
        table->metric = metric_names[table->material.metric];
        TRY(keep_fault(table, table_open_material(&opened, table->path, &table->material)));
        table_close(opened);
    } else {
        TRY(keep_fault(table, examine_other(table)));
    }
    const int code = container_size(table->path, &table->bytes);
    return table->fault != NULL ? 0 : code;
}

// ---- Syzygy files ----

struct syzygy_folders {
    struct inventory *inventory;
    const char *folders;
    struct block_cache *cache;
};

// Opens one of the two files to read its head, and adds its size.
static int examine_syzygy(const struct syzygy_folders *in, struct inventory_table *table, const char *path,
                          enum syzygy_kind kind)
{
    struct syzygy_file *file;
    TRY(syzygy_open(&file, path, kind, &table->material, in->cache));
    table->bytes += syzygy_file_bytes(file);
    if (kind == SYZYGY_DISTANCES)
        table->metric = syzygy_counts_plies(file) ? "dtz" : "dtz~";
    syzygy_close(file);
    return 0;
}

// The name of that material's file with another ending.
static void other_name(char *name, size_t size, const char *file, const char *ending)
{
    snprintf(name, size, "%.*s%s", (int)(strlen(file) - strlen(".rtbw")), file, ending);
}

static int examine_pair(const struct syzygy_folders *in, struct inventory_table *table)
{
    char file[NAME_MAX + 1];
    char path[PATH_MAX];
    if (!material_of_file(&table->material, table->file, ".rtbw"))
        return error_set(CLTB_E_FOREIGN, "%s does not have the standard name of a table, so it is never looked up",
                         table->path);
    table->men = material_men(&table->material);
    TRY(examine_syzygy(in, table, table->path, SYZYGY_OUTCOMES));
    table->metric = "wdl";
    other_name(file, sizeof file, table->file, ".rtbz");
    return folders_find(path, sizeof path, in->folders, file) ? examine_syzygy(in, table, path, SYZYGY_DISTANCES) : 0;
}

static int add_outcomes(void *context, const char *path, const char *file)
{
    const struct syzygy_folders *in = context;
    char other[NAME_MAX + 1];
    char found[PATH_MAX];
    struct inventory_table *table;
    TRY(add_file(in->inventory, path, file, &table));
    table->kind = INVENTORY_SYZYGY;
    table->metric = "";
    other_name(other, sizeof other, file, ".cltb");
    table->hidden |= folders_find(found, sizeof found, in->folders, other);
    return keep_fault(table, examine_pair(in, table));
}

// Adds a file of distances without a file of outcomes.
static int add_distances(void *context, const char *path, const char *file)
{
    const struct syzygy_folders *in = context;
    char other[NAME_MAX + 1];
    char found[PATH_MAX];
    struct inventory_table *table;
    other_name(other, sizeof other, file, ".rtbw");
    if (folders_find(found, sizeof found, in->folders, other))
        return 0;
    TRY(add_file(in->inventory, path, file, &table));
    table->kind = INVENTORY_SYZYGY;
    table->metric = "";
    if (material_of_file(&table->material, file, ".rtbz"))
        table->men = material_men(&table->material);
    return keep_fault(table,
                      error_set(CLTB_E_MISSING, "there is no %s, without which distances cannot be read", other));
}

static int add_syzygy(struct inventory *inventory, const char *folders)
{
    enum { CACHE_BYTES = 1 << 20 }; // only heads are read
    struct syzygy_folders in = {.inventory = inventory, .folders = folders};
    TRY(block_cache_open(&in.cache, CACHE_BYTES));
    int code = folders_each(folders, ".rtbw", add_outcomes, &in);
    THEN(code, folders_each(folders, ".rtbz", add_distances, &in));
    block_cache_close(in.cache);
    return code;
}

static int compare_tables(const void *left, const void *right)
{
    const struct inventory_table *a = left;
    const struct inventory_table *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->men != b->men)
        return a->men < b->men ? -1 : 1;
    const int order = strcmp(a->file, b->file);
    return order != 0 ? order : a->hidden - b->hidden;
}

// ---- what is missing ----

static bool usable(const struct inventory_table *table)
{
    return !table->hidden && table->fault == NULL;
}

static bool is_there(const struct inventory *inventory, const struct material *material)
{
    for (size_t i = 0; i < inventory->tables; i++)
        if (usable(&inventory->table[i]) && inventory->table[i].kind <= INVENTORY_SYZYGY &&
            material_equal(&inventory->table[i].material, material))
            return true;
    return false;
}

static int find_missing(struct inventory *inventory, const struct material *material, struct inventory_missing **found)
{
    for (size_t i = 0; i < inventory->missings; i++) {
        *found = &inventory->missing[i];
        if (material_equal(&(*found)->material, material))
            return 0;
    }
    TRY(memory_grow(&inventory->missing, &inventory->missing_room, inventory->missings + 1, sizeof *inventory->missing,
                    "a list of tables"));
    *found = &inventory->missing[inventory->missings++];
    **found = (struct inventory_missing){.material = *material};
    return 0;
}

// Notes the tables that are missing for table number `from`, starting with those that `material` needs.
static int add_missing(struct inventory *inventory, const struct material *material, size_t from)
{
    struct material base[PLAN_FUTUREBASES_MAX];
    const int count = plan_futurebases(material, base);
    for (int i = 0; i < count; i++) {
        struct inventory_missing *missing;
        if (is_there(inventory, &base[i]))
            continue;
        TRY(find_missing(inventory, &base[i], &missing));
        if (missing->froms > 0 && missing->from[missing->froms - 1] == from)
            continue; // already by another way
        TRY(memory_grow(&missing->from, &missing->from_room, missing->froms + 1, sizeof *missing->from,
                        "a list of tables"));
        missing->from[missing->froms++] = from;
        TRY(add_missing(inventory, &base[i], from));
    }
    return 0;
}

static int compare_missing(const void *left, const void *right)
{
    const struct material *a = &((const struct inventory_missing *)left)->material;
    const struct material *b = &((const struct inventory_missing *)right)->material;
    char name[2][MATERIAL_NAME_MAX];
    if (material_men(a) != material_men(b))
        return material_men(a) < material_men(b) ? -1 : 1;
    return strcmp(material_name(a, name[0]), material_name(b, name[1]));
}

static int count_material(void *context, const struct material *material)
{
    struct inventory_set *set = context;
    (void)material;
    set->all++;
    return 0;
}

// ---- the whole ----

static int take_stock(struct inventory *inventory)
{
    if (inventory->tables > 0)
        qsort(inventory->table, inventory->tables, sizeof *inventory->table, compare_tables);
    for (size_t i = 0; i < inventory->tables; i++) {
        const struct inventory_table *table = &inventory->table[i];
        inventory->faults += !table->hidden && table->fault != NULL;
        if (table->kind > INVENTORY_SYZYGY || !usable(table))
            continue;
        TRY(add_missing(inventory, &table->material, i));
        if (table->kind == INVENTORY_FULL && table->material.metric != METRIC_DTZ)
            continue; // not part of the set
        struct inventory_set *set = &inventory->set[table->men];
        const bool full = table->kind == INVENTORY_FULL;
        *(full ? &set->present : &set->syzygy) += 1;
        *(full ? &set->bytes : &set->syzygy_bytes) += table->bytes;
    }
    if (inventory->missings > 0)
        qsort(inventory->missing, inventory->missings, sizeof *inventory->missing, compare_missing);
    inventory->complete_men = 2;
    for (int men = 3; men <= MATERIAL_MEN_MAX; men++) {
        struct inventory_set *set = &inventory->set[men];
        TRY(material_each(men, count_material, set));
        if (set->present + set->syzygy == set->all && inventory->complete_men == men - 1)
            inventory->complete_men = men;
    }
    return 0;
}

int inventory_make(struct inventory **result, const char *folders)
{
    TRY(memory_new(result, 1, sizeof **result, "a list of tables"));
    int code = folders_each(folders, ".cltb", add_table, *result);
    THEN(code, add_syzygy(*result, folders));
    THEN(code, take_stock(*result));
    if (code != 0) {
        inventory_free(*result);
        *result = NULL;
    }
    return code;
}

void inventory_free(struct inventory *inventory)
{
    if (inventory == NULL)
        return;
    for (size_t i = 0; i < inventory->tables; i++) {
        free(inventory->table[i].path);
        free(inventory->table[i].fault);
    }
    for (size_t i = 0; i < inventory->missings; i++)
        free(inventory->missing[i].from);
    free(inventory->table);
    free(inventory->missing);
    free(inventory);
}
