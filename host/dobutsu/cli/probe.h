// probe.h - `cltb probe --game dobutsu`, and how values and lines of dobutsu are shown
#ifndef CLTB_DOBUTSU_CLI_PROBE_H
#define CLTB_DOBUTSU_CLI_PROBE_H

#include "dobutsu/probe.h"
#include "kind/kind.h"

// Opens what answers positions (kind/kind.h).
int dobutsu_probe(struct prober *prober, const struct probe_request *request);

// "win 21", "loss 4", "draw", "unknown".
enum { DOBUTSU_VALUE_MAX = 16 };
void dobutsu_value_write(struct cltb_dobutsu_value value, char text[DOBUTSU_VALUE_MAX]);

// Prints a best line of a position whose ranking is given: " 1. Gc4-c3 Ga1-a2 2. ...", or " 1... Ga1-a2" if Gote moves
// first. If `json` is not NULL, each move is added there as a string instead.
int dobutsu_print_line(struct dobutsu_table *table, const struct dobutsu *p, const struct dobutsu_ranking *ranking,
                       struct json *json);

#endif
