// graph.c - which tables of a plan wait for which others
#include "make/graph.h"

#include "make/plan_material.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>

// A plan lists each table after its futurebases, and not far behind them.
static int find_bases(struct plan_node *node, const struct plan *plan, size_t table)
{
    struct material futurebases[PLAN_FUTUREBASES_MAX];
    const int found = plan_futurebases(&plan->table[table].material, futurebases);
    TRY(memory_new(&node->base, (size_t)found + 1, sizeof *node->base, "a plan"));
    for (int i = 0; i < found; i++) {
        for (size_t at = table; at-- > 0;) {
            if (!material_equal(&plan->table[at].material, &futurebases[i]))
                continue;
            node->base[node->bases++] = at;
            break;
        }
    }
    return 0;
}

static bool to_make(const struct plan *plan, size_t table)
{
    return plan->table[table].state != PLAN_PRESENT;
}

// A plan is in dependency order, so levels are found from the first table to the last, and paths in the opposite
// direction.
static void measure(struct plan_graph *graph)
{
    const struct plan *plan = graph->plan;
    for (size_t i = 0; i < plan->count; i++) {
        struct plan_node *node = &graph->node[i];
        for (size_t j = 0; j < node->bases; j++)
            if (to_make(plan, node->base[j]) && node->level <= graph->node[node->base[j]].level)
                node->level = graph->node[node->base[j]].level + 1;
        if (to_make(plan, i) && graph->levels <= node->level)
            graph->levels = node->level + 1;
    }
    for (size_t i = plan->count; i-- > 0;) {
        struct plan_node *node = &graph->node[i];
        node->path += plan->table[i].seconds; // so far the path of what waits for it
        if (graph->path < node->path)
            graph->path = node->path;
        for (size_t j = 0; j < node->bases; j++) {
            struct plan_node *base = &graph->node[node->base[j]];
            if (base->path < node->path)
                base->path = node->path;
        }
    }
}

int plan_graph_make(struct plan_graph *graph, const struct plan *plan)
{
    size_t count = 0;
    *graph = (struct plan_graph){.plan = plan};
    int code = memory_new(&graph->node, plan->count + 1, sizeof *graph->node, "a plan");
    THEN(code, memory_new(&graph->order, plan->to_make + 1, sizeof *graph->order, "a plan"));
    for (size_t i = 0; code == 0 && i < plan->count; i++)
        code = find_bases(&graph->node[i], plan, i);
    if (code != 0) {
        plan_graph_free(graph);
        return code;
    }
    measure(graph);
    // The longest path comes first; equal ones are in the plan's order.
    for (size_t i = 0; i < plan->count; i++) {
        size_t at = to_make(plan, i) ? count++ : 0;
        for (; at > 0 && graph->node[graph->order[at - 1]].path < graph->node[i].path; at--)
            graph->order[at] = graph->order[at - 1];
        if (to_make(plan, i))
            graph->order[at] = i;
    }
    return 0;
}

void plan_graph_free(struct plan_graph *graph)
{
    for (size_t i = 0; graph->node != NULL && i < graph->plan->count; i++)
        free(graph->node[i].base);
    free(graph->node);
    free(graph->order);
    *graph = (struct plan_graph){.plan = NULL};
}
