// chess_plan.c - what `cltb plan` and `cltb build --dry-run` print about full tables
#include "kind/chess_plan.h"

#include "show/json.h"
#include "util/error.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---- text ----

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

static void table_text(const struct plan_table *table, bool syzygy)
{
    const struct plan_stream *stream = &table->stream;
    char name[MATERIAL_NAME_MAX];
    printf("%-10s", material_name(&table->material, name));
    if (table->state == PLAN_PRESENT) {
        printf(" %s, %s\n", table->gone ? "made before" : "already present", unit_bytes(table->file_bytes).text);
        return;
    }
    printf(" %8s", unit_count((double)table->entries).text);
    printf(" %9s", unit_bytes(table->memory).text);
    printf(" %9s", table->work_bytes > 0 ? unit_bytes(table->work_bytes).text : "-");
    printf(" %9s", stream->streamed ? unit_bytes(stream->ply_bytes).text : "-");
    printf(" %9s", table->write ? unit_bytes(table->file_bytes).text : "-");
    if (syzygy)
        printf(" %9s", table->syzygy ? unit_bytes(table->syzygy_bytes).text : "-");
    printf("  ");
    text_time(table->seconds);
    if (table->reason != NULL)
        printf("  (rebuilt: %s)", table->reason);
    else if (table->again)
        printf("  (made again)");
    printf("\n");
    if (stream->packed)
        printf("    distances and finished planes packed in memory\n");
    if (stream->block_bytes > 0) {
        printf("    planes %s in blocks of %s", stream->kept_memory > 0 ? "in memory and on disk" : "on disk",
               unit_bytes(stream->block_bytes).text);
        if (stream->block_memory > 0 && stream->block_memory != PLAN_NO_MEMORY)
            printf(" (larger ones: with %s of memory)", unit_bytes(stream->block_memory).text);
        printf("\n");
    }
}

static void text_disk(const struct plan *plan)
{
    char name[MATERIAL_NAME_MAX];
    if (plan->ledger.faults > 0)
        printf("tables.tsv: damaged rows, which are not believed: %zu (the first is line %zu)\n", plan->ledger.faults,
               plan->ledger.first_fault);
    if (plan->disk_most > 0)
        printf("on the disk: at most %s have to stand at once, when %s is made; made again: %zu\n",
               unit_bytes(plan->disk_most).text, material_name(&plan->disk_at, name), plan->made_again);
}

// `syzygy`: print a column for Syzygy files.
static void plan_text(const struct plan *plan, bool syzygy)
{
    const size_t present = plan->count - plan->to_make;
    if (plan->to_make > 0)
        printf("%-10s %8s %9s %9s %9s %9s%s  %s\n", "table", "entries", "memory", "work file", "disk/ply", "file",
               syzygy ? "    Syzygy" : "", "time");
    for (size_t i = 0; i < plan->count; i++)
        table_text(&plan->table[i], syzygy);
    if (plan->to_make > 0) {
        printf("%zu table%s to make: about %s of files, ", plan->to_make, plural(plan->to_make),
               unit_bytes(plan->file_bytes).text);
        text_time(plan->seconds);
        printf("; a table takes at most %s of memory", unit_bytes(plan->memory).text);
        if (plan->work_bytes > 0)
            printf(" and %s of work files", unit_bytes(plan->work_bytes).text);
        printf(", besides 10 MB for the program and what OpenCL's libraries take\n");
        if (plan->at_once > 1)
            printf("up to %d tables at a time, as long as they take no more than %s together\n", plan->at_once,
                   unit_bytes(plan->at_once_memory).text);
    } else {
        printf("nothing to make\n");
    }
    text_disk(plan);
    if (present > 0)
        printf("%zu table%s already present: %s\n", present, plural(present), unit_bytes(plan->present_bytes).text);
}

// ---- tsv, JSON ----

static const char *state_name(const struct plan_table *table)
{
    const bool present = table->state == PLAN_PRESENT;
    return present && table->gone ? "recorded" : !present && table->again ? "again" : plan_state_name[table->state];
}

static void plan_tsv(const struct plan *plan)
{
    printf("material\tstate\tentries\tmemory\twork_bytes\tfile_bytes\tseconds\tply_bytes\tblock_bytes\n");
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        char name[MATERIAL_NAME_MAX];
        printf("%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.3f\t%" PRIu64 "\t%" PRIu64 "\n",
               material_name(&table->material, name), state_name(table), table->entries, table->memory,
               table->work_bytes, table->file_bytes, table->seconds,
               table->stream.streamed ? table->stream.ply_bytes : 0,
               table->stream.streamed ? table->stream.block_bytes : 0);
    }
}

static void plan_json(const struct plan_graph *graph)
{
    const struct plan *plan = graph->plan;
    struct json json = {.depth = 0};
    json_open(&json, NULL, '{');
    json_open(&json, "tables", '[');
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        char name[MATERIAL_NAME_MAX];
        json_open(&json, NULL, '{');
        json_text(&json, "material", material_name(&table->material, name));
        json_text(&json, "state", state_name(table));
        json_count(&json, "entries", table->entries);
        json_count(&json, "memory", table->memory);
        json_count(&json, "work_bytes", table->work_bytes);
        json_count(&json, "file_bytes", table->file_bytes);
        json_real(&json, "seconds", 3, table->seconds);
        json_count(&json, "ply_bytes", table->stream.streamed ? table->stream.ply_bytes : 0);
        json_count(&json, "block_bytes", table->stream.streamed ? table->stream.block_bytes : 0);
        json_count(&json, "level", graph->node[i].level);
        json_real(&json, "path_seconds", 3, graph->node[i].path);
        json_open(&json, "needs", '[');
        for (size_t j = 0; j < graph->node[i].bases; j++)
            json_text(&json, NULL, material_name(&plan->table[graph->node[i].base[j]].material, name));
        json_close(&json);
        if (table->reason != NULL)
            json_text(&json, "reason", table->reason);
        json_close(&json);
    }
    json_close(&json);
    json_open(&json, "totals", '{');
    json_count(&json, "make", plan->to_make);
    json_count(&json, "present", plan->count - plan->to_make);
    json_count(&json, "memory", plan->memory);
    json_int(&json, "at_once", plan->at_once);
    json_count(&json, "at_once_memory", plan->at_once_memory);
    json_count(&json, "work_bytes", plan->work_bytes);
    json_count(&json, "file_bytes", plan->file_bytes);
    json_count(&json, "present_bytes", plan->present_bytes);
    json_real(&json, "seconds", 3, plan->seconds);
    json_real(&json, "path_seconds", 3, graph->path);
    if (plan->disk_most > 0) {
        char name[MATERIAL_NAME_MAX];
        json_count(&json, "disk", plan->disk_most);
        json_text(&json, "disk_at", material_name(&plan->disk_at, name));
        json_count(&json, "again", plan->made_again);
    }
    json_close(&json);
    json_close(&json);
}

// ---- Graphviz ----

// Does another futurebase of this node need `base`, too? Then the direct edge is left out.
static bool is_implied(const struct plan_graph *graph, const struct plan_node *node, size_t base)
{
    for (size_t i = 0; i < node->bases; i++) {
        const struct plan_node *other = &graph->node[node->base[i]];
        for (size_t j = 0; j < other->bases; j++)
            if (other->base[j] == base)
                return true;
    }
    return false;
}

static void plan_dot(const struct plan_graph *graph)
{
    const struct plan *plan = graph->plan;
    char name[MATERIAL_NAME_MAX];
    char base[MATERIAL_NAME_MAX];
    printf("// An arrow leads from a table to one that it needs. %zu tables, %.0f s, by the longest path %.0f s.\n"
           "digraph tables {\n    rankdir = RL;\n    node [shape = box];\n",
           plan->count, plan->seconds, graph->path);
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        material_name(&table->material, name);
        if (table->state == PLAN_PRESENT)
            printf("    %s [color = gray, fontcolor = gray];\n", name);
        else
            printf("    %s [label = \"%s\\n%.1f s, %s\"];\n", name, name, table->seconds,
                   unit_bytes(table->memory).text);
    }
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_node *node = &graph->node[i];
        for (size_t j = 0; j < node->bases; j++)
            if (!is_implied(graph, node, node->base[j]))
                printf("    %s -> %s;\n", material_name(&plan->table[i].material, name),
                       material_name(&plan->table[node->base[j]].material, base));
    }
    printf("}\n");
}

int chess_plan_print(const struct plan *plan, const struct build_request *request)
{
    const char *format = request->format != NULL ? request->format : "text";
    struct plan_graph graph;
    int code = 0;
    if (strcmp(format, "tsv") == 0) {
        plan_tsv(plan);
        return 0;
    }
    TRY(plan_graph_make(&graph, plan));
    if (strcmp(format, "json") == 0)
        plan_json(&graph);
    else if (strcmp(format, "dot") == 0)
        plan_dot(&graph);
    else if (chess_plan_is_jobs(format))
        code = chess_plan_jobs(&graph, request);
    else
        plan_text(plan, request->options.syzygy != NULL);
    plan_graph_free(&graph);
    return code;
}
