// inventory.c - what lies in the folders of tables, and what those tables need that does not
#include "make/inventory.h"

#include "make/plan_material.h"
#include "table/properties.h"
#include "table/table.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

// Room for one more element of an array of `count`, which grows by doubling.
static int grow(void *array, size_t count, size_t size)
{
    void *more;
    if (count != 0 && (count < 8 || (count & (count - 1)) != 0))
        return 0;
    memcpy(&more, array, sizeof more);
    more = realloc(more, (count < 8 ? 8 : 2 * count) * size);
    if (more == NULL)
        return error_memory(2 * count * size, "a list of tables");
    memcpy(array, &more, sizeof more);
    return 0;
}

// ---- the files ----

// Is it the standard name of a full table?
static bool names_material(const char *file, struct material *material)
{
    char name[MATERIAL_NAME_MAX];
    char standard[MATERIAL_NAME_MAX];
    const size_t length = strlen(file) - strlen(".cltb");
    if (length >= sizeof name)
        return false;
    memcpy(name, file, length);
    name[length] = '\0';
    return material_parse(material, name, NULL) == 0 && strcmp(material_name(material, standard), name) == 0;
}

static int examine_full(struct inventory_table *table)
{
    struct table *opened;
    table->kind = INVENTORY_FULL;
    table->men = material_men(&table->material);
    table->metric = "dtz";
    TRY(table_open_material(&opened, table->path, &table->material));
    table_close(opened);
    return 0;
}

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

// The head of a file, as far as it can be read.
static int examine(struct inventory_table *table)
{
    table->kind = INVENTORY_UNKNOWN;
    table->metric = "";
    const bool full = names_material(table->file, &table->material);
    int code = full ? examine_full(table) : examine_other(table);
    if (code == CLTB_E_MEMORY)
        return code;
    if (code != 0) {
        table->fault = strdup(error_text());
        if (table->fault == NULL)
            return error_memory(strlen(error_text()), "a sentence");
    }
    code = container_size(table->path, &table->bytes);
    return table->fault != NULL ? 0 : code;
}

static int add_table(void *context, const char *path, const char *file)
{
    struct inventory *inventory = context;
    TRY(grow(&inventory->table, inventory->tables, sizeof *inventory->table));
    struct inventory_table *table = &inventory->table[inventory->tables];
    *table = (struct inventory_table){.path = strdup(path)};
    if (table->path == NULL)
        return error_memory(strlen(path), "a path");
    table->file = table->path + (file - path);
    for (size_t i = 0; i < inventory->tables; i++)
        table->hidden |= strcmp(inventory->table[i].file, file) == 0;
    inventory->tables++;
    return examine(table);
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
        if (usable(&inventory->table[i]) && inventory->table[i].kind == INVENTORY_FULL &&
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
    TRY(grow(&inventory->missing, inventory->missings, sizeof *inventory->missing));
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
            continue; // by another way already
        TRY(grow(&missing->from, missing->froms, sizeof *missing->from));
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
    qsort(inventory->table, inventory->tables, sizeof *inventory->table, compare_tables);
    for (size_t i = 0; i < inventory->tables; i++) {
        const struct inventory_table *table = &inventory->table[i];
        inventory->faults += !table->hidden && table->fault != NULL;
        if (table->kind != INVENTORY_FULL || !usable(table))
            continue;
        inventory->set[table->men].present++;
        inventory->set[table->men].bytes += table->bytes;
        TRY(add_missing(inventory, &table->material, i));
    }
    qsort(inventory->missing, inventory->missings, sizeof *inventory->missing, compare_missing);
    inventory->complete_men = 2;
    for (int men = 3; men <= MATERIAL_MEN_MAX; men++) {
        struct inventory_set *set = &inventory->set[men];
        TRY(material_each(men, count_material, set));
        if (set->present == set->all && inventory->complete_men == men - 1)
            inventory->complete_men = men;
    }
    return 0;
}

int inventory_make(struct inventory **result, const char *folders)
{
    TRY(memory_new(result, 1, sizeof **result, "a list of tables"));
    int code = grow(&(*result)->table, 0, sizeof *(*result)->table);
    if (code == 0)
        code = grow(&(*result)->missing, 0, sizeof *(*result)->missing);
    if (code == 0)
        code = folders_each(folders, ".cltb", add_table, *result);
    if (code == 0)
        code = take_stock(*result);
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
