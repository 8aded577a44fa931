// counts_print.h - prints the counts of a kind that has no other statistics than these counts
#ifndef CLTB_KIND_COUNTS_PRINT_H
#define CLTB_KIND_COUNTS_PRINT_H

#include "check/outcome_counts.h"
#include "kind/kind.h"
#include "show/json.h"

// In the format that is wanted. more(): adds to the text (json NULL) or to the JSON object; NULL: nothing.
void counts_print(const struct stats_request *request, const char *name, const struct outcome_counts *counts,
                  void (*more)(const struct outcome_counts *counts, struct json *json));

#endif
