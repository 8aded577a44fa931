// chess_probe.h - answers positions from full tables
#ifndef CLTB_KIND_CHESS_PROBE_H
#define CLTB_KIND_CHESS_PROBE_H

#include "kind/kind.h"
#include "probe/tables.h"

// As `probe` of struct endgame_kind.
int chess_probe(struct prober *prober, const struct probe_request *request);

// The tables that such a prober reads.
cltb_tables *chess_probe_tables(const struct prober *prober);

// Names all missing tables of those that a position may need, not only the first one that was looked for: that of its
// material, in any colours, and those that captures and promotions lead to. Returns CLTB_E_MISSING.
int chess_name_missing(cltb_tables *tables, const struct material *material);

#endif
