// bench_gap.h - `cltb bench gap`: the gap code on a table's planes, as text or JSON
#ifndef CLTB_CLI_BENCH_GAP_H
#define CLTB_CLI_BENCH_GAP_H

#include "show/json.h"

// Measures one table without pawns and prints it (JSON: one object). `threads` solve; one measures.
int bench_gap_print(const char *name, const char *folders, int threads, struct json *json);

#endif
