// graph.h - which tables of a plan wait for which others
#ifndef CLTB_MAKE_GRAPH_H
#define CLTB_MAKE_GRAPH_H

#include "make/plan.h"

// A table of the plan; tables that are present are included.
struct plan_node {
    size_t *base; // [bases] the tables of the plan that a capture or a promotion leads to
    size_t bases; //
    size_t level; // 0: it waits for no table that must be made; otherwise 1 + the highest level of those
    double path;  // seconds until it and all that waits for it are made, by the longest path
};

struct plan_graph {
    const struct plan *plan;
    struct plan_node *node; // [plan->count]
    size_t *order;          // [plan->to_make] the tables to be made, by falling `path`
    size_t levels;          // of tables to be made
    double path;            // the longest one, seconds
};

// CLTB_E_MEMORY. The plan must outlive the graph.
int plan_graph_make(struct plan_graph *graph, const struct plan *plan);
void plan_graph_free(struct plan_graph *graph);

#endif
