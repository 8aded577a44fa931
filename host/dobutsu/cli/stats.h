// stats.h - `cltb stats dobutsu`: how many codes or reachable positions have which value
#ifndef CLTB_DOBUTSU_CLI_STATS_H
#define CLTB_DOBUTSU_CLI_STATS_H

#include "kind/kind.h"

// 0 or a negative code.
int dobutsu_stats_print(const struct stats_request *request);

#endif
