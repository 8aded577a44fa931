// test_pawn_tables.c - tables with pawns from the solver to the prober: all of KPvK, and en passant in KPvKP
//
// Tables have no right to capture en passant; the value of a double step takes the possible reply into account. The
// values are those of the naive oracle (tests/oracle), which treats the capture like any other move; test_slow_pawns.c
// compares every position with it. Two more pieces are needed before the capture can be the only legal move, or
// forbidden by a pin: see test_slow_en_passant.c.
#include "support/compare_tables.h"

static cltb_tables *tables;

TEST(test_facts)
{
    if (sanitized())
        skip();
    static const struct {
        const char *fen;
        int outcome;
        int dtz;
        const char *best; // the only best move, or NULL
    } facts[] = {
        // The same men with and without the slot.
        // A loss becomes a win: Black queens first, and White's pawn is gone.
        {"8/8/8/8/pP6/8/K1k5/8 b - b3 0 1", CLTB_WIN, 1, "a4b3"},
        {"8/8/8/8/pP6/8/K1k5/8 b - - 0 1", CLTB_LOSS, 2, NULL},
        {"4k3/2K5/8/3pP3/8/8/8/8 w - d6 0 1", CLTB_WIN, 1, "e5d6"},
        {"4k3/2K5/8/3pP3/8/8/8/8 w - - 0 1", CLTB_LOSS, 2, NULL},
        {"8/8/8/8/3pP3/1K5k/8/8 b - e3 0 1", CLTB_WIN, 1, "d4e3"},
        {"8/8/8/8/3pP3/1K5k/8/8 b - - 0 1", CLTB_LOSS, 4, NULL},
        // A loss becomes a draw: the king stands in front of the pawn that captures.
        {"8/8/8/8/pP6/K7/8/k7 b - b3 0 1", CLTB_DRAW, 0, "a4b3"},
        {"8/8/8/8/pP6/K7/8/k7 b - - 0 1", CLTB_LOSS, 2, NULL},
        {"8/8/8/8/1pP5/7k/8/1K6 b - c3 0 1", CLTB_DRAW, 0, "b4c3"},
        {"8/8/8/8/1pP5/7k/8/1K6 b - - 0 1", CLTB_LOSS, 6, NULL},
        // A draw becomes a win.
        {"8/8/8/3pP3/8/8/2k5/4K3 w - d6 0 1", CLTB_WIN, 1, "e5d6"},
        {"8/8/8/3pP3/8/8/2k5/4K3 w - - 0 1", CLTB_DRAW, 0, NULL},
        // A shorter win.
        {"8/8/8/8/pP6/8/8/k2K4 b - b3 0 1", CLTB_WIN, 1, "a4b3"},
        {"8/8/8/8/pP6/8/8/k2K4 b - - 0 1", CLTB_WIN, 3, NULL},
        // It is legal and changes nothing.
        {"8/8/8/4k3/pP6/2K5/8/8 b - b3 0 1", CLTB_DRAW, 0, NULL},
        {"8/8/8/4k3/pP6/2K5/8/8 b - - 0 1", CLTB_DRAW, 0, NULL},
        // The double step gives check; the capture takes the pawn that does.
        {"8/8/8/k7/pP6/8/8/4K3 b - b3 0 1", CLTB_WIN, 1, "a4b3"},
        {"8/8/8/k7/pP6/8/8/4K3 b - - 0 1", CLTB_DRAW, 0, NULL},
        {"8/8/8/k7/pP6/8/8/K7 b - b3 0 1", CLTB_DRAW, 0, NULL},
        {"3k4/8/8/pP6/1K6/8/8/8 w - a6 0 1", CLTB_WIN, 1, NULL},
        // Values that would be those in brackets if the double step had no reply.
        {"8/8/8/8/p7/8/1P6/K1k5 w - - 0 1", CLTB_DRAW, 0, NULL},   // (win 1)
        {"8/8/8/8/3p4/8/4P2k/3K4 w - - 0 1", CLTB_DRAW, 0, NULL},  // (win 1)
        {"4k3/2Kp4/8/4P3/8/8/8/8 b - - 0 1", CLTB_DRAW, 0, NULL},  // (win 1)
        {"k4K2/2p5/8/1P6/8/8/8/8 b - - 0 1", CLTB_DRAW, 0, NULL},  // (win 1)
        {"8/8/8/8/p7/8/1P2K3/k7 w - - 0 1", CLTB_LOSS, 2, NULL},   // (draw)
        {"8/8/8/8/3p4/6K1/2Pk4/8 w - - 0 1", CLTB_LOSS, 2, NULL},  // (draw)
        {"1K6/2p5/8/1P6/8/8/8/5k2 b - - 0 1", CLTB_LOSS, 2, NULL}, // (draw)
        {"8/Kp2k3/8/P7/8/8/8/8 b - - 0 1", CLTB_LOSS, 2, NULL},    // (draw)
        {"8/8/8/8/2p5/8/1P5k/4K3 w - - 0 1", CLTB_WIN, 5, NULL},   // (win 1)
        {"8/1p6/3k4/P7/7K/8/8/8 b - - 0 1", CLTB_WIN, 5, NULL},    // (win 1)
        {"8/8/8/8/p7/8/KP6/4k3 w - - 0 1", CLTB_WIN, 3, NULL},     // (win 1)
        {"8/3p2K1/8/k1P5/8/8/8/8 b - - 0 1", CLTB_WIN, 3, NULL},   // (win 1)
        {"8/8/8/8/pP6/8/8/k2K4 w - - 0 1", CLTB_WIN, 1, NULL},     // the double step has been made: no reply any more
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const char *fen = facts[i].fen;
        cltb_value value;
        cltb_position position;
        cltb_move moves[CLTB_MOVES_MAX];
        int outcome;
        GOOD(cltb_probe_fen(tables, fen, &value));
        if (value.outcome != facts[i].outcome || (value.outcome != CLTB_DRAW && value.dtz != facts[i].dtz))
            fail_msg("%s: %s %d", fen, cltb_outcome_name(value.outcome), value.dtz);
        GOOD(cltb_position_from_fen(&position, fen));
        if (cltb_root_moves(tables, &position, moves) <= 0)
            fail_msg("%s: no moves: %s", fen, cltb_error());
        assert_memory_equal(&moves[0].value, &value, sizeof value);
        if (facts[i].best != NULL)
            assert_string_equal(moves[0].uci, facts[i].best);
        GOOD(cltb_probe_outcome(tables, &position, &outcome));
        assert_int_equal(outcome, facts[i].outcome);
    }
}

// The slot is set after every double step, even if no pawn attacks it.
TEST(test_nobody_attacks)
{
    if (sanitized())
        skip();
    static const char *const pairs[][2] = {
        {"8/8/8/8/1P1p4/8/8/K1k5 b - b3 0 1", "8/8/8/8/1P1p4/8/8/K1k5 b - - 0 1"},
        {"8/8/8/8/P6p/8/8/K1k5 b - a3 0 1", "8/8/8/8/P6p/8/8/K1k5 b - - 0 1"}, // not around the edge
        {"8/8/8/7p/P7/8/8/K1k5 b - a3 0 1", "8/8/8/7p/P7/8/8/K1k5 b - - 0 1"},
        {"k7/8/8/P6p/8/8/8/6K1 w - h6 0 1", "k7/8/8/P6p/8/8/8/6K1 w - - 0 1"},
        {"k7/8/8/3p4/8/4P3/8/6K1 w - d6 0 1", "k7/8/8/3p4/8/4P3/8/6K1 w - - 0 1"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        cltb_value with;
        cltb_value without;
        GOOD(cltb_probe_fen(tables, pairs[i][0], &with));
        GOOD(cltb_probe_fen(tables, pairs[i][1], &without));
        assert_memory_equal(&with, &without, sizeof with);
    }
}

// The value of a double step in the list of moves: the other side's best answer is the capture.
TEST(test_root_moves)
{
    if (sanitized())
        skip();
    static const struct {
        const char *fen;
        const char *move;
        cltb_value value;
    } facts[] = {
        {"8/8/8/8/p7/8/KPk5/8 w - - 0 1", "b2b4", {CLTB_LOSS, 1, 0}},
        {"8/8/8/8/p7/K7/1P6/k7 w - - 0 1", "b2b4", {CLTB_DRAW, 0, 0}},
        {"4k3/2Kp4/8/4P3/8/8/8/8 b - - 0 1", "d7d5", {CLTB_LOSS, 1, 0}},
        {"8/8/8/k7/p7/8/1P6/4K3 w - - 0 1", "b2b4", {CLTB_LOSS, 1, 0}},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        cltb_position position;
        cltb_move moves[CLTB_MOVES_MAX];
        GOOD(cltb_position_from_fen(&position, facts[i].fen));
        const int count = cltb_root_moves(tables, &position, moves);
        int at = 0;
        while (at < count && strcmp(moves[at].uci, facts[i].move) != 0)
            at++;
        assert_in_range(at, 0, count - 1);
        assert_memory_equal(&moves[at].value, &facts[i].value, sizeof facts[i].value);
    }
}

TEST(test_kpvk)
{
    struct naive *oracle = NULL;
    assert_int_equal(compare_table(&oracle, "KPvK"), 0);
    // The same men with colours flipped: the prober flips the board.
    if (!sanitized())
        assert_int_equal(compare_table(&oracle, "KvKP"), 0);
    naive_free(oracle);
}

static int setup(void **state)
{
    if (folder_make(state) != 0)
        return -1;
    if (sanitized())
        return 0; // all 25 tables take long; test_probe.c probes positions with en passant
    make_table("KPvKP", false);
    return cltb_open(&tables, tables_folder, NULL);
}

static int teardown(void **state)
{
    cltb_close(tables);
    return folder_remove(state);
}

TESTS(setup, teardown)
