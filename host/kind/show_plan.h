// show_plan.h - what `cltb build --dry-run` prints
#ifndef CLTB_KIND_SHOW_PLAN_H
#define CLTB_KIND_SHOW_PLAN_H

#include "make/plan.h"

// On standard output. `format`: "text", "tsv" or "json".
void show_plan(const struct plan *plan, const char *format);

#endif
