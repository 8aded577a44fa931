// test_api.c - the probing library with missing arguments, and on a system that fails for a while
#include "support/compare_tables.h"
#include "support/support.h"

#include <cltb/cltb.h>
#include <cltb/dobutsu.h>

#include <sys/resource.h>

static const char win[] = "8/8/8/8/8/2k5/8/2K2Q2 w - - 0 1";

TEST(test_null_arguments)
{
    cltb_tables *tables = NULL;
    cltb_dobutsu *dobutsu = NULL;
    cltb_position position;
    cltb_value value;
    cltb_move moves[CLTB_MOVES_MAX];
    int outcome;
    int8_t outcomes;
    GOOD(cltb_open(&tables, tables_folder, NULL));
    GOOD(cltb_position_from_fen(&position, win));
    const int codes[] = {
        cltb_open(NULL, tables_folder, NULL),
        cltb_position_from_fen(NULL, win),
        cltb_position_from_fen(&position, NULL),
        cltb_probe(NULL, &position, &value),
        cltb_probe(tables, NULL, &value),
        cltb_probe(tables, &position, NULL),
        cltb_probe_fen(NULL, win, &value),
        cltb_probe_fen(tables, NULL, &value),
        cltb_probe_fen(tables, win, NULL),
        cltb_root_moves_fen(NULL, win, moves),
        cltb_root_moves_fen(tables, NULL, moves),
        cltb_root_moves_fen(tables, win, NULL),
        cltb_probe_mate(NULL, &position, &value),
        cltb_probe_mate(tables, NULL, &value),
        cltb_probe_mate(tables, &position, NULL),
        cltb_probe_conversion(tables, &position, NULL),
        cltb_probe_outcome(NULL, &position, &outcome),
        cltb_probe_outcome(tables, NULL, &outcome),
        cltb_probe_outcome(tables, &position, NULL),
        cltb_probe_many(NULL, &position, 1, &outcomes, NULL),
        cltb_probe_many(tables, NULL, 1, &outcomes, NULL),
        cltb_probe_many(tables, &position, 1, NULL, NULL),
        cltb_root_moves(NULL, &position, moves),
        cltb_root_moves(tables, NULL, moves),
        cltb_root_moves(tables, &position, NULL),
        cltb_has_table(NULL, "KQvK"),
        cltb_has_table(tables, NULL),
        cltb_complete_men(NULL),
        cltb_dobutsu_open(NULL, tables_folder, NULL),
        cltb_dobutsu_open(&dobutsu, NULL, NULL),
        cltb_dobutsu_probe(NULL, CLTB_DOBUTSU_START, NULL),
        cltb_dobutsu_moves(NULL, CLTB_DOBUTSU_START, NULL),
        cltb_dobutsu_line(NULL, CLTB_DOBUTSU_START, NULL),
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i] != CLTB_E_USAGE)
            fail_msg("call %zu with NULL returns %d", i, codes[i]);
    cltb_close(tables);
    cltb_close(NULL);
    cltb_dobutsu_close(NULL);
}

// A process that has used up its file descriptors may have some again later: what could not be opened is tried again.
TEST(test_passing_errors)
{
    cltb_tables *tables;
    cltb_value value;
    struct rlimit before;
    GOOD(cltb_open(&tables, tables_folder, NULL));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const int code = cltb_probe_fen(tables, win, &value);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(code, CLTB_E_IO);
    assert_non_null(strstr(cltb_error(), "KQvK.cltb: Too many open files"));
    GOOD(cltb_probe_fen(tables, win, &value));
    assert_int_equal(value.outcome, CLTB_WIN);
    cltb_close(tables);
}

// Only the table of KQvKR: moves that need no other are known; without the best move the list is refused.
TEST(test_missing_tables)
{
    cltb_tables *tables;
    cltb_position position;
    cltb_move moves[CLTB_MOVES_MAX];
    GOOD(remove(table_in(tables_folder, "KRvK")));
    GOOD(remove(table_in(tables_folder, "KQvK")));
    GOOD(cltb_open(&tables, tables_folder, NULL));
    // A mate needs no table; a king's move may lose the queen to a capture.
    GOOD(cltb_position_from_fen(&position, "k7/7r/1K6/8/8/8/8/2Q5 w"));
    const int count = cltb_root_moves(tables, &position, moves);
    assert_in_range(count, 2, 40);
    assert_string_equal(moves[0].san, "Qc8#");
    assert_int_equal(moves[0].value.outcome, CLTB_WIN);
    assert_int_equal(moves[count - 1].value.outcome, CLTB_UNKNOWN);
    GOOD(cltb_position_from_fen(&position, "1k6/1r6/2K5/Q7/8/8/8/8 w"));
    FAILS(cltb_root_moves(tables, &position, moves), CLTB_E_MISSING, "no table K");
    position.en_passant = 200;
    FAILS(cltb_root_moves(tables, &position, moves), CLTB_E_POSITION, "en passant square 200: squares are 0 (a1)");
    cltb_close(tables);
}

static int complete_men(const char *folders)
{
    cltb_tables *tables;
    GOOD(cltb_open(&tables, folders, NULL));
    const int men = cltb_complete_men(tables);
    cltb_close(tables);
    return men;
}

TEST(test_which_tables)
{
    static const char *const three[] = {"KQvK", "KRvK", "KBvK", "KNvK", "KPvK"};
    char folders[2 * TEST_PATH_MAX];
    char part[TEST_PATH_MAX];
    cltb_tables *tables;
    GOOD(cltb_open(&tables, tables_folder, NULL));
    assert_int_equal(cltb_has_table(tables, "KQvKR"), 1);
    assert_int_equal(cltb_has_table(tables, "KRKQ"), 1);
    assert_int_equal(cltb_has_table(tables, "KQvKN"), 0);
    FAILS(cltb_has_table(tables, "KQ"), CLTB_E_USAGE, "a side is missing");
    assert_int_equal(cltb_complete_men(tables), 2);
    // Tables that are built later are not seen by a set that has asked for them.
    cltb_value value;
    FAILS(cltb_probe_fen(tables, "8/8/8/8/8/2k5/8/2K2R2 w - - 0 1", &value), CLTB_E_MISSING, "KRvK");
    for (int i = 0; i < 5; i++)
        make_table(three[i], false);
    assert_int_equal(cltb_has_table(tables, "KRvK"), 0);
    assert_int_equal(cltb_has_table(tables, "KBvK"), 1);
    cltb_close(tables);
    assert_int_equal(complete_men(tables_folder), 3);
    // A file that holds another table, and one that is cut short, count as missing; an earlier folder hides a later.
    test_folder_make(part);
    snprintf(folders, sizeof folders, "%s:%s", part, tables_folder);
    assert_int_equal(complete_men(folders), 3);
    struct bytes bytes = read_file(table_in(tables_folder, "KRvK"));
    write_file(table_in(part, "KBvK"), bytes.data, bytes.size);
    write_file(table_in(part, "KRvK"), bytes.data, bytes.size - 1);
    free(bytes.data);
    assert_int_equal(complete_men(folders), 2);
    GOOD(cltb_open(&tables, folders, NULL));
    FAILS(cltb_has_table(tables, "KBvK"), CLTB_E_CORRUPT, "holds the table KRvK");
    FAILS(cltb_has_table(tables, "KRvK"), CLTB_E_CORRUPT, "is damaged");
    assert_int_equal(cltb_has_table(tables, "KPvK"), 1);
    cltb_close(tables);
    test_folder_remove(part);
}

TESTS(folder_with_table, folder_remove)
