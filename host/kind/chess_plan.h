// chess_plan.h - what `cltb plan` and `cltb build --dry-run` print about full tables
#ifndef CLTB_KIND_CHESS_PLAN_H
#define CLTB_KIND_CHESS_PLAN_H

#include "kind/kind.h"
#include "make/graph.h"

// Is it a format for jobs (make, slurm, parallel), each of which builds one table?
bool chess_plan_is_jobs(const char *format);

// request->format: NULL or "text", "tsv", "json", "dot", or one for jobs. CLTB_E_USAGE if jobs cannot name the folders;
// CLTB_E_MEMORY.
int chess_plan_print(const struct plan *plan, const struct build_request *request);

// Prints the jobs for chess_plan_print().
int chess_plan_jobs(const struct plan_graph *graph, const struct build_request *request);

#endif
