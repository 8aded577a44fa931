// graph.c - which tables of a plan wait for which others
#include "make/graph.h"

#include "make/plan_material.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

// A material's place in the plan.
struct place {
    struct material material;
    size_t at;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *left = a;
    const struct place *right = b;
    const int order = memcmp(left->material.count, right->material.count, sizeof left->material.count);
    return order != 0 ? order : left->material.metric - right->material.metric;
}

static int find_bases(struct plan_node *node, const struct material *material, const struct place *places, size_t count)
{
    struct material futurebases[PLAN_FUTUREBASES_MAX];
    const int found = plan_futurebases(material, futurebases);
    TRY(memory_new(&node->base, (size_t)found + 1, sizeof *node->base, "a plan"));
    for (int i = 0; i < found; i++) {
        const struct place wanted = {.material = futurebases[i]};
        const struct place *place = bsearch(&wanted, places, count, sizeof *places, compare_places);
        if (place != NULL) // it is never NULL, as a plan lists all of them
            node->base[node->bases++] = place->at;
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

struct rank {
    double path;
    size_t table;
};

// The longest path comes first; equal ones are in the plan's order.
static int compare_ranks(const void *a, const void *b)
{
    const struct rank *left = a;
    const struct rank *right = b;
    if (left->path != right->path)
        return left->path < right->path ? 1 : -1;
    return (left->table > right->table) - (left->table < right->table);
}

static int put_in_order(struct plan_graph *graph)
{
    const struct plan *plan = graph->plan;
    struct rank *rank;
    size_t count = 0;
    TRY(memory_new(&rank, plan->to_make + 1, sizeof *rank, "a plan"));
    for (size_t i = 0; i < plan->count; i++)
        if (to_make(plan, i))
            rank[count++] = (struct rank){graph->node[i].path, i};
    qsort(rank, count, sizeof *rank, compare_ranks);
    for (size_t i = 0; i < count; i++)
        graph->order[i] = rank[i].table;
    free(rank);
    return 0;
}

int plan_graph_make(struct plan_graph *graph, const struct plan *plan)
{
    struct place *places = NULL;
    *graph = (struct plan_graph){.plan = plan};
    int code = memory_new(&graph->node, plan->count + 1, sizeof *graph->node, "a plan");
    THEN(code, memory_new(&graph->order, plan->to_make + 1, sizeof *graph->order, "a plan"));
    THEN(code, memory_new(&places, plan->count + 1, sizeof *places, "a plan"));
    for (size_t i = 0; code == 0 && i < plan->count; i++)
        places[i] = (struct place){plan->table[i].material, i};
    if (code == 0)
        qsort(places, plan->count, sizeof *places, compare_places);
    for (size_t i = 0; code == 0 && i < plan->count; i++)
        code = find_bases(&graph->node[i], &plan->table[i].material, places, plan->count);
    free(places);
    if (code == 0) {
        measure(graph);
        code = put_in_order(graph);
    }
    if (code != 0)
        plan_graph_free(graph);
    return code;
}

void plan_graph_free(struct plan_graph *graph)
{
    for (size_t i = 0; graph->node != NULL && i < graph->plan->count; i++)
        free(graph->node[i].base);
    free(graph->node);
    free(graph->order);
    *graph = (struct plan_graph){.plan = NULL};
}
