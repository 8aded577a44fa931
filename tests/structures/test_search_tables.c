// test_search_tables.c - the search with tables of what captures lead to, against tables of one man more
//
// Positions of four men are searched with tables of three men: what is known must be true, more must be known
// than if these are asked for single positions only, and proofs of it are right.
#include "support/compare_tables.h"

#include "structures/check/prove.h"
#include "structures/search/search.h"
#include "table/path.h"

#include <unistd.h>

enum { WORK = 60000 }; // blocks

static cltb_tables *tables;
static int proofs;

static int setup(void **state)
{
    folder_make(state);
    for (int i = 0; i < 5; i++)
        make_table((const char *[]){"KQvK", "KRvK", "KBvK", "KNvK", "KPvK"}[i], false);
    GOOD(cltb_open(&tables, tables_folder, NULL));
    return pool_setup(state);
}

static int teardown(void **state)
{
    cltb_close(tables);
    folder_remove(state);
    return pool_teardown(state);
}

static bool never(void *context)
{
    (void)context;
    return false;
}

static bool has_table(void *context, const struct material *material)
{
    char path[PATH_MAX];
    (void)context;
    return table_locate(path, sizeof path, tables_folder, material) == 0 && access(path, R_OK) == 0;
}

// Returns whether the outcome is known, which must then be this one.
static bool finds(const char *fen, int outcome, bool whole)
{
    const struct search_request request = {.tables = tables,
                                           .tables_men = 3,
                                           .has_table = whole ? has_table : NULL,
                                           .memory = UINT64_C(1) << 30,
                                           .pool = test_pool,
                                           .stopped = never};
    struct search *search;
    struct search_bounds bounds;
    struct position position;
    GOOD(fen_read(&position, fen));
    GOOD(search_open(&search, &position, &request));
    GOOD(search_decide(search, &position, WORK));
    GOOD(search_bounds(search, &position, &bounds));
    const int wanted = outcome == CLTB_CURSED_WIN || outcome == CLTB_BLESSED_LOSS ? CLTB_DRAW : outcome;
    const int white = position.side == WHITE ? wanted : -wanted;
    if (white < bounds.least || white > bounds.greatest)
        fail_msg("%s: %d, but the search says %d to %d", fen, white, bounds.least, bounds.greatest);
    if (whole && (bounds.least > CLTB_LOSS || bounds.greatest < CLTB_WIN)) {
        struct proof *proof;
        int least;
        int greatest;
        const int code = proof_write(tmp_path("proof.cltb"), search, &position, UINT64_C(1) << 26, test_pool);
        if (code == CLTB_E_MEMORY) {
            search_close(search);
            return bounds.least == bounds.greatest;
        }
        GOOD(code);
        proofs++;
        GOOD(proof_open(&proof, tmp_path("proof.cltb"), tables_folder));
        if (proof_verify(proof, test_pool, &least, &greatest) != 0)
            fail_msg("%s: %s", fen, error_text());
        assert_int_equal(least, bounds.least);
        assert_int_equal(greatest, bounds.greatest);
        proof_close(proof);
    }
    search_close(search);
    return bounds.least == bounds.greatest;
}

static void test_captures(void **state)
{
    FILE *file = fopen(data_path("positions.tsv"), "r");
    char line[256];
    int known[2] = {0, 0};
    int all = 0;
    (void)state;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (int row = 0; fgets(line, sizeof line, file) != NULL; row++) {
        char name[16];
        char fen[128];
        char word[16];
        int outcome = CLTB_LOSS;
        assert_int_equal(sscanf(line, "%15[^\t]\t%127[^\t]\t%15[^\t\n]", name, fen, word), 3);
        if (strlen(name) != 5 || row % (sanitized() ? 160 : 64) != 0)
            continue;
        while (outcome < CLTB_WIN && strcmp(word, cltb_outcome_name(outcome)) != 0)
            outcome++;
        known[0] += finds(fen, outcome, false);
        known[1] += finds(fen, outcome, true);
        all++;
    }
    fclose(file);
    print_message("of %d, %d known, and %d with all positions of tables; %d proofs\n", all, known[0], known[1], proofs);
    assert_true(proofs > 0);
    assert_in_range(known[1], known[0], all);
    assert_in_range(10 * known[1], 8 * all, 10 * all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_captures)};
    return cmocka_run_group_tests_name("search with tables", tests, setup, teardown);
}
