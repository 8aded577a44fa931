// support_verdict.h - verdicts as tests ask for them
#ifndef CLTB_TESTS_STRUCTURES_SUPPORT_VERDICT_H
#define CLTB_TESTS_STRUCTURES_SUPPORT_VERDICT_H

#include "support/support.h"

#include "chess/fen.h"
#include "structures/verdict.h"

// No table, every structure solved, but for bounds beyond `effort`.
struct verdict *verdict_of(const char *fen, int effort);
void verdict_done(struct verdict *verdict);

// The value of another position that can come of the verdict's, which must have no bounds.
struct cltb_value verdict_query(const struct verdict *verdict, const struct position *p);

struct position position_named(const char *fen);

#endif
