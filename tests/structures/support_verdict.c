// support_verdict.c - verdicts as tests ask for them
#include "structures/support_verdict.h"

struct position position_named(const char *fen)
{
    struct position p;
    GOOD(fen_read(&p, fen));
    return p;
}

struct verdict *verdict_of(const char *fen, int effort)
{
    const struct verdict_request request = {
        .folders = ".", .tables_men = 2, .effort = effort, .structures = 1000000, .threads = 2};
    const struct position p = position_named(fen);
    struct verdict *verdict = calloc(1, sizeof *verdict);
    assert_non_null(verdict);
    GOOD(verdict_find(verdict, &p, &request));
    return verdict;
}

void verdict_done(struct verdict *verdict)
{
    verdict_free(verdict);
    free(verdict);
}

struct cltb_value verdict_query(const struct verdict *verdict, const struct position *p)
{
    struct position copy;
    struct cltb_value value;
    position_copy(&copy, p);
    assert_false(verdict->bounded);
    GOOD(structure_store_value(verdict->store, WHITE, &copy, &value));
    return value;
}
