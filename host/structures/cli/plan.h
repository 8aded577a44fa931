// plan.h - the graph of structures by material, as text and as a drawing; the assumptions behind a verdict
#ifndef CLTB_STRUCTURES_CLI_PLAN_H
#define CLTB_STRUCTURES_CLI_PLAN_H

#include "show/json.h"
#include "structures/verdict.h"

// Prints "structures 118, positions 386 M, memory 282 MB; 72 more are bounded".
void print_graph_size(const struct structure_graph *graph);

// Prints a line for each material of structures that are solved, then for those in tables.
int print_graph_materials(struct structure_graph *graph);

// Prints a graph for Graphviz: a node for each material, an edge where a capture or (dashed) a promotion leads to
// another.
int print_graph_dot(struct structure_graph *graph, const char *fen);

// Prints each side's claim and the assumption that it rests on most.
void print_rests(const struct verdict *verdict);
void json_rests(struct json *json, const struct verdict *verdict);

#endif
