// listing.c - what the pages ask for first: the version, and all tables
#include "serve/listing.h"

#include "kind/chess_stats.h"
#include "show/json.h"
#include "util/error.h"

bool listing_has(const struct inventory_table *table)
{
    return !table->hidden && table->fault == NULL && table->men > 0;
}

bool listing_write(FILE *file, cltb_tables *tables, const struct inventory *inventory, lila_fault *fault, void *context)
{
    struct json json = {.file = file};
    bool complete = true;
    json_open(&json, NULL, '[');
    for (size_t i = 0; i < inventory->tables; i++) {
        const struct inventory_table *table = &inventory->table[i];
        char name[MATERIAL_NAME_MAX];
        if (!listing_has(table))
            continue;
        json_open(&json, NULL, '{');
        json_text(&json, "material", material_name(&table->material, name));
        json_int(&json, "men", table->men);
        json_count(&json, "bytes", table->bytes);
        json_text(&json, "metric", table->metric);
        const int code = table->kind != INVENTORY_FULL ? 0 : chess_stats_summary(&json, tables, &table->material);
        complete &= code == 0; // A table that was just made may be missing for a second.
        if (code != 0 && code != CLTB_E_MISSING)
            fault(context, error_text());
        json_close(&json);
    }
    json_close(&json);
    return complete;
}

void listing_about(FILE *file, bool watches)
{
    struct json json = {.file = file};
    json_open(&json, NULL, '{');
    json_text(&json, "program", "cltb");
    json_text(&json, "version", cltb_version());
    json_bool(&json, "watches", watches);
    json_close(&json);
}
