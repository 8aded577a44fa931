// show_plan.c - what `cltb build --dry-run` prints
#include "kind/show_plan.h"

#include "show/json.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const state_name[] = {[PLAN_MAKE] = "make", [PLAN_REPLACE] = "replace", [PLAN_PRESENT] = "present"};

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void text_time(double seconds)
{
    if (seconds < 60)
        printf("%.1f s", seconds);
    else
        printf("%s", unit_duration(seconds).text);
}

static void text(const struct plan *plan)
{
    const size_t present = plan->count - plan->to_make;
    if (plan->to_make > 0)
        printf("%-10s %8s %9s %9s %9s %9s  %s\n", "table", "entries", "memory", "work file", "disk/ply", "file",
               "time");
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        const struct plan_stream *stream = &table->stream;
        char name[MATERIAL_NAME_MAX];
        printf("%-10s", material_name(&table->material, name));
        if (table->state == PLAN_PRESENT) {
            printf(" already present, %s\n", unit_bytes(table->file_bytes).text);
            continue;
        }
        printf(" %8s", unit_count((double)table->entries).text);
        printf(" %9s", unit_bytes(table->memory).text);
        printf(" %9s", table->work_bytes > 0 ? unit_bytes(table->work_bytes).text : "-");
        printf(" %9s", stream->streamed ? unit_bytes(stream->ply_bytes).text : "-");
        printf(" %9s  ", table->write ? unit_bytes(table->file_bytes).text : "-");
        text_time(table->seconds);
        if (table->reason != NULL)
            printf("  (rebuilt: %s)", table->reason);
        printf("\n");
        if (stream->block_bytes > 0) {
            printf("    planes on disk in blocks of %s", unit_bytes(stream->block_bytes).text);
            if (stream->block_memory > 0 && stream->block_memory != PLAN_NO_MEMORY)
                printf(" (larger ones: with %s of memory)", unit_bytes(stream->block_memory).text);
            printf("\n");
        }
    }
    if (plan->to_make > 0) {
        printf("%zu table%s to make: about %s of files, ", plan->to_make, plural(plan->to_make),
               unit_bytes(plan->file_bytes).text);
        text_time(plan->seconds);
        printf("; solving takes at most %s of memory", unit_bytes(plan->memory).text);
        if (plan->work_bytes > 0)
            printf(" and %s of work files", unit_bytes(plan->work_bytes).text);
        printf(" at a time\n");
    } else {
        printf("nothing to make\n");
    }
    if (present > 0)
        printf("%zu table%s already present: %s\n", present, plural(present), unit_bytes(plan->present_bytes).text);
}

static void tsv(const struct plan *plan)
{
    printf("material\tstate\tentries\tmemory\twork_bytes\tfile_bytes\tseconds\tply_bytes\tblock_bytes\n");
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        char name[MATERIAL_NAME_MAX];
        printf("%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.3f\t%" PRIu64 "\t%" PRIu64 "\n",
               material_name(&table->material, name), state_name[table->state], table->entries, table->memory,
               table->work_bytes, table->file_bytes, table->seconds,
               table->stream.streamed ? table->stream.ply_bytes : 0,
               table->stream.streamed ? table->stream.block_bytes : 0);
    }
}

static void print_json(const struct plan *plan)
{
    struct json json = {.depth = 0};
    json_open(&json, NULL, '{');
    json_open(&json, "tables", '[');
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        char name[MATERIAL_NAME_MAX];
        json_open(&json, NULL, '{');
        json_text(&json, "material", material_name(&table->material, name));
        json_text(&json, "state", state_name[table->state]);
        json_count(&json, "entries", table->entries);
        json_count(&json, "memory", table->memory);
        json_count(&json, "work_bytes", table->work_bytes);
        json_count(&json, "file_bytes", table->file_bytes);
        json_real(&json, "seconds", 3, table->seconds);
        json_count(&json, "ply_bytes", table->stream.streamed ? table->stream.ply_bytes : 0);
        json_count(&json, "block_bytes", table->stream.streamed ? table->stream.block_bytes : 0);
        if (table->reason != NULL)
            json_text(&json, "reason", table->reason);
        json_close(&json);
    }
    json_close(&json);
    json_open(&json, "totals", '{');
    json_count(&json, "make", plan->to_make);
    json_count(&json, "present", plan->count - plan->to_make);
    json_count(&json, "memory", plan->memory);
    json_count(&json, "work_bytes", plan->work_bytes);
    json_count(&json, "file_bytes", plan->file_bytes);
    json_count(&json, "present_bytes", plan->present_bytes);
    json_real(&json, "seconds", 3, plan->seconds);
    json_close(&json);
    json_close(&json);
}

void show_plan(const struct plan *plan, const char *format)
{
    if (strcmp(format, "tsv") == 0)
        tsv(plan);
    else if (strcmp(format, "json") == 0)
        print_json(plan);
    else
        text(plan);
}
