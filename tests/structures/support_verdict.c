// support_verdict.c - verdicts as tests ask for them
#include "structures/support_verdict.h"

#include "oracle/structures.h"

struct position position_named(const char *fen)
{
    struct position p;
    GOOD(fen_read(&p, fen));
    return p;
}

struct verdict *verdict_of(const char *fen, int first, int last)
{
    const struct verdict_request request = {
        .folders = ".", .tables_men = 2, .first = first, .effort = last, .structures = 1000000, .threads = 2};
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

// ---- by brute force ----

struct comparison {
    const struct verdict *verdict;
    int winner;
    int positions;
};

// Of endgames that other tests compare with tables.
static struct cltb_value small_value(void *context, struct position *p)
{
    const struct comparison *comparison = context;
    struct cltb_value value;
    GOOD(structure_store_value(comparison->verdict->store, comparison->winner, p, &value));
    return value;
}

static void compare_one(void *context, struct position *p, struct cltb_value wanted)
{
    struct comparison *comparison = context;
    struct cltb_value value;
    GOOD(structure_store_value(comparison->verdict->store, comparison->winner, p, &value));
    comparison->positions++;
    if (value.outcome != wanted.outcome || value.dtz != wanted.dtz) {
        char fen[FEN_MAX];
        fen_write(p, fen);
        fail_msg("%s: %s %d, by brute force %s %d", fen, cltb_outcome_name(value.outcome), value.dtz,
                 cltb_outcome_name(wanted.outcome), wanted.dtz);
    }
}

void compare_by_force(const char *fen, int winner)
{
    struct verdict *verdict = verdict_of(fen, 0, 0);
    struct comparison comparison = {verdict, winner, 0};
    const struct oracle_small small = {&comparison, small_value};
    struct oracle_structures *oracle = oracle_structures_solve(&verdict->position, winner, small);
    assert_non_null(oracle);
    GOOD(structure_store_solve(verdict->store, winner));
    oracle_structures_each(oracle, compare_one, &comparison);
    assert_true(comparison.positions > 5000);
    oracle_structures_free(oracle);
    verdict_done(verdict);
}
