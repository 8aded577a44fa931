// test_search.c - the search for what decides a position, against tables
//
//     1. Positions of three to five men, with the outcomes of `cltb build`'s tables and of another generator's, are
//        searched without any table: what is known must be true, and enough must be known.
//     2. Lines that prove a win are legal, and end in mate or where a search has nothing more to say.
//     3. The number of threads changes nothing, nor does little memory, in which structures are packed.
//     4. Positions of more men with known results.
//     5. A search that is stopped again and again, at any moment, continues from its file to the same result.
#include "support/support.h"

#include "chess/fen.h"
#include "chess/move.h"
#include "structures/search/search.h"
#include "util/error.h"

enum { WORK = 8000 }; // blocks

static struct thread_pool *pool;

static bool never(void *context)
{
    (void)context;
    return false;
}

static int setup(void **state)
{
    (void)state;
    return threads_open(&pool, 2);
}

static int teardown(void **state)
{
    (void)state;
    threads_close(pool);
    return 0;
}

static struct search *searched_within(const struct position *position, uint64_t work, struct thread_pool *threads,
                                      uint64_t memory)
{
    const struct search_request request = {.memory = memory, .pool = threads, .stopped = never};
    struct search *search = NULL;
    assert_int_equal(search_open(&search, position, &request), 0);
    assert_int_equal(search_decide(search, position, work), 0);
    return search;
}

static struct search *searched(const struct position *position, uint64_t work, struct thread_pool *threads)
{
    return searched_within(position, work, threads, UINT64_C(1) << 30);
}

// Returns whether the outcome is known; then plays the line.
static bool agrees(const char *fen, const struct position *position, int outcome)
{
    struct search *search = searched(position, WORK, pool);
    uint32_t line[100];
    struct search_bounds bounds;
    assert_int_equal(search_bounds(search, position, &bounds), 0);
    const int wanted = outcome == CLTB_CURSED_WIN || outcome == CLTB_BLESSED_LOSS ? CLTB_DRAW : outcome;
    const int white = position->side == WHITE ? wanted : -wanted;
    if (white < bounds.least || white > bounds.greatest)
        fail_msg("%s: %d, but the search says %d to %d", fen, white, bounds.least, bounds.greatest);
    const int plies = search_line(search, position, line, 100);
    assert_in_range(plies, 0, 100);
    struct position at;
    position_copy(&at, position);
    for (int i = 0; i < plies; i++) {
        uint32_t moves[MOVES_MAX];
        int number = moves_legal(&at, moves) - 1;
        while (number >= 0 && moves[number] != line[i])
            number--;
        if (number < 0)
            fail_msg("%s: move %d of the line is not legal", fen, i + 1);
        assert_int_equal(position_make(&at, line[i]), 0);
    }
    search_close(search);
    return bounds.least == bounds.greatest;
}

// Compares every `step`-th row; returns how many per cent are known.
static int compare_file(const char *name, int step)
{
    FILE *file = fopen(data_path(name), "r");
    char line[256];
    int known = 0;
    int all = 0;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (int row = 0; fgets(line, sizeof line, file) != NULL; row++) {
        char fen[128];
        char word[16];
        struct position position;
        int outcome = CLTB_LOSS;
        if (row % step != 0)
            continue;
        assert_int_equal(sscanf(line, "%*[^\t]\t%127[^\t]\t%15[^\t\n]", fen, word), 2);
        while (outcome < CLTB_WIN && strcmp(word, cltb_outcome_name(outcome)) != 0)
            outcome++;
        assert_int_equal(fen_read(&position, fen), 0);
        if (position_men(&position) - position.count[WHITE][PAWN] - position.count[BLACK][PAWN] > 4)
            continue;
        known += agrees(fen, &position, outcome);
        all++;
    }
    fclose(file);
    print_message("%s: %d of %d known\n", name, known, all);
    return all > 0 ? 100 * known / all : 0;
}

static void test_tables(void **state)
{
    (void)state;
    const int fewer = sanitized() ? 4 : 1;
    assert_in_range(compare_file("structures-5.tsv", 16 * fewer), 20, 100);
    assert_in_range(compare_file("positions.tsv", 64 * fewer), 20, 100);
    assert_in_range(compare_file("positions-ep.tsv", 8 * fewer), 20, 100);
}

static void test_threads(void **state)
{
    struct position position;
    struct search_counts counts[3];
    (void)state;
    assert_int_equal(fen_read(&position, "8/2p5/3k4/1p1p1K2/8/1P1P4/2P5/8 w - - 0 1"), 0);
    for (int i = 0; i < 3; i++) {
        struct search *search = searched_within(&position, 200000, i == 0 ? NULL : pool, i < 2 ? 1 << 30 : 50000000);
        size_t away = 0;
        for (size_t k = 1; k < search_nodes(search, WHITE)->count; k++)
            away += search_nodes(search, WHITE)->node[k].away;
        if (i < 2)
            assert_int_equal(away, 0);
        else
            assert_true(away > 10);
        counts[i] = search_counts(search);
        search_close(search);
    }
    assert_memory_equal(&counts[0], &counts[1], sizeof counts[0]);
    assert_memory_equal(&counts[0], &counts[2], sizeof counts[0]);
}

static void test_studies(void **state)
{
    static const struct {
        const char *fen;
        int white;
    } study[] = {
        {"7k/1p6/1P2p3/1P2P3/4P1p1/6P1/8/K7 w - - 0 1", CLTB_WIN}, // Bianchetti 1925
        {"8/8/8/2p3k1/2Pp1p2/3P1P1K/8/8 b - - 0 1", CLTB_DRAW},    // tests/data/games.tsv, as the next ones
        {"8/8/2k5/p1P4p/PpK4P/8/8/8 w - - 0 1", CLTB_DRAW},        //
        {"8/8/p7/3pk3/Pp1p4/1P1K4/8/8 w - - 0 1", CLTB_LOSS},      //
        {"8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3", CLTB_DRAW},         // taking en passant at once
        {"k7/8/1KP5/8/8/8/8/8 w - - 0 1", CLTB_WIN},               // a rook, not a queen, is not needed
    };
    (void)state;
    for (size_t i = 0; i < sizeof study / sizeof study[0]; i++) {
        struct position position;
        struct search_bounds bounds;
        assert_int_equal(fen_read(&position, study[i].fen), 0);
        struct search *search = searched(&position, 400000, pool);
        assert_int_equal(search_bounds(search, &position, &bounds), 0);
        if (bounds.least != study[i].white || bounds.greatest != study[i].white)
            fail_msg("%s: %d to %d", study[i].fen, bounds.least, bounds.greatest);
        search_close(search);
    }
}

static bool soon(void *context)
{
    int *left = context;
    return --*left <= 0;
}

// Continues from a file for a while, and keeps what is known there. Returns whether the file was taken up.
static bool go_on(const char *file, const struct position *position, int asked, struct search_bounds *bounds)
{
    const struct search_request request = {
        .memory = UINT64_C(1) << 30, .pool = pool, .kept = file, .stopped = soon, .context = &asked};
    struct search *search = NULL;
    int code = search_open(&search, position, &request);
    if (code == 0)
        code = search_decide(search, position, 20000);
    assert_true(code == 0 || code == CLTB_E_INTERRUPTED);
    assert_int_equal(search_bounds(search, position, bounds), 0);
    assert_int_equal(search_save(search, file), 0);
    const bool resumed = search_resumed(search);
    search_close(search);
    return resumed;
}

static void test_going_on(void **state)
{
    const char *file = tmp_path("kept");
    struct position position;
    struct search_bounds bounds = {CLTB_LOSS, CLTB_WIN, 0};
    int runs = 0;
    (void)state;
    assert_int_equal(fen_read(&position, "7k/1p6/1P2p3/1P2P3/4P1p1/6P1/8/K7 w - - 0 1"), 0);
    for (; runs < 200 && bounds.least != bounds.greatest; runs++)
        assert_int_equal(go_on(file, &position, 20 + 30 * runs, &bounds), runs > 0);
    print_message("decided in %d runs\n", runs);
    assert_in_range(runs, 3, 199);
    assert_int_equal(bounds.least, CLTB_WIN);
    assert_int_equal(bounds.greatest, CLTB_WIN);
    // What is damaged, or of another position, is not taken up.
    struct bytes kept = read_file(file);
    kept.data[kept.size / 2] ^= 1;
    write_file(file, kept.data, kept.size);
    free(kept.data);
    assert_false(go_on(file, &position, 1000, &bounds));
    assert_int_equal(fen_read(&position, "8/8/p7/3pk3/Pp1p4/1P1K4/8/8 w - - 0 1"), 0);
    assert_false(go_on(file, &position, 1000, &bounds));
}

static void test_refused(void **state)
{
    const struct search_request request = {.memory = 1 << 20, .stopped = never};
    struct position position;
    struct search *search;
    (void)state;
    assert_int_equal(fen_read(&position, "4k3/8/8/8/8/8/8/4K2R w K - 0 1"), 0);
    assert_int_equal(search_open(&search, &position, &request), CLTB_E_POSITION);
    search_close(search);
    assert_int_equal(fen_read(&position, "4k3/8/8/8/8/8/8/QQQ1K3 w - - 0 1"), 0);
    assert_int_equal(search_open(&search, &position, &request), CLTB_E_POSITION);
    search_close(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables), cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_studies), cmocka_unit_test(test_going_on),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests_name("search", tests, setup, teardown);
}
