// test_fathom.c - Fathom's interface: ranks and scores, mixed folders, bad input, threads
//
// compare.c judges values and moves, against the other library.
#include <cltb-fathom/tbprobe.h>

#include "support/compare_tables.h"
#include "support/support.h"

#include "util/threads.h"

static char other[TEST_PATH_MAX];

static int set_up(void **state)
{
    if (folder_make(state) != 0)
        return -1;
    make_table("KPvK", false);
    test_folder_make(other);
    return 0;
}

static int tear_down(void **state)
{
    tb_free();
    test_folder_remove(other);
    return folder_remove(state);
}

// ---- the calls, with a FEN ----

static cltb_position read(const char *fen)
{
    cltb_position p;
    GOOD(cltb_position_from_fen(&p, fen));
    return p;
}

#define SETS(p) (p).white, (p).black, (p).kings, (p).queens, (p).rooks, (p).bishops, (p).knights, (p).pawns

static unsigned wdl(const char *fen)
{
    const cltb_position p = read(fen);
    return tb_probe_wdl(SETS(p), p.fifty, p.castling, p.en_passant, p.side == 0);
}

static unsigned root(const char *fen, unsigned *results)
{
    const cltb_position p = read(fen);
    return tb_probe_root(SETS(p), p.fifty, p.castling, p.en_passant, p.side == 0, results);
}

static struct TbRootMoves ranked;

static int by_distance(const char *fen, bool repeated, bool rule50)
{
    const cltb_position p = read(fen);
    return tb_probe_root_dtz(SETS(p), p.fifty, p.castling, p.en_passant, p.side == 0, repeated, rule50, &ranked);
}

static int by_outcome(const char *fen, bool rule50)
{
    const cltb_position p = read(fen);
    return tb_probe_root_wdl(SETS(p), p.fifty, p.castling, p.en_passant, p.side == 0, rule50, &ranked);
}

static void all_fail(const char *fen)
{
    assert_int_equal(wdl(fen), TB_RESULT_FAILED);
    assert_int_equal(root(fen, NULL), TB_RESULT_FAILED);
    assert_int_equal(by_distance(fen, false, true), 0);
    assert_int_equal(by_outcome(fen, true), 0);
}

// ---- values ----

#define WON "8/8/8/8/8/2k5/8/2K2Q2 w - - "

TEST(test_results)
{
    unsigned results[TB_MAX_MOVES] = {TB_RESULT_FAILED};
    assert_true(tb_init(tables_folder));
    assert_int_equal(TB_LARGEST, 3);
    assert_int_equal(wdl(WON "0 1"), TB_WIN);
    assert_int_equal(wdl(WON "1 1"), TB_RESULT_FAILED); // only after zeroing moves
    const unsigned best = root(WON "0 1", results);
    cltb_tables *tables;
    cltb_move moves[CLTB_MOVES_MAX];
    const cltb_position p = read(WON "0 1");
    GOOD(cltb_open(&tables, tables_folder, NULL));
    const int count = cltb_root_moves(tables, &p, moves);
    cltb_close(tables);
    assert_int_equal(results[count], TB_RESULT_FAILED);
    assert_int_equal(best, results[0]);
    for (int i = 0; i < count; i++) {
        const char *uci = moves[i].uci;
        assert_int_equal(TB_GET_FROM(results[i]), uci[0] - 'a' + (uci[1] - '1') * 8);
        assert_int_equal(TB_GET_TO(results[i]), uci[2] - 'a' + (uci[3] - '1') * 8);
        assert_int_equal(TB_GET_WDL(results[i]), moves[i].value.outcome + 2);
        assert_int_equal(TB_GET_DTZ(results[i]), moves[i].value.dtz);
    }
    assert_int_equal(root("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", results), TB_RESULT_STALEMATE);
    assert_int_equal(results[0], TB_RESULT_FAILED);
    assert_int_equal(root("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", results), TB_RESULT_CHECKMATE);
    const unsigned promotion = root("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", results);
    assert_int_equal(TB_GET_PROMOTES(promotion), TB_PROMOTES_QUEEN);
    assert_int_equal(TB_GET_DTZ(promotion), 1);
    assert_int_equal(wdl("8/8/8/8/8/2k5/8/2K5 w - - 0 1"), TB_DRAW);
}

// The rank of the best move, with its score.
static void rank_is(const char *fen, bool repeated, bool rule50, int rank, int score)
{
    assert_int_equal(by_distance(fen, repeated, rule50), 1);
    for (unsigned i = 1; i < ranked.size; i++)
        assert_true(ranked.moves[i].tbRank <= ranked.moves[i - 1].tbRank);
    assert_int_equal(ranked.moves[0].tbRank, rank);
    assert_int_equal(ranked.moves[0].tbScore, score);
    assert_int_equal(ranked.moves[0].pvSize, 0);
}

TEST(test_ranks)
{
    enum { SURE = TB_VALUE_MATE - TB_MAX_MATE_PLY - 1 };
    char fen[100];
    assert_true(tb_init(tables_folder));
    const int dtz = (int)TB_GET_DTZ(root(WON "0 1", NULL));
    assert_true(dtz > 5 && dtz < 30);
    const struct {
        int clock;
        bool repeated, rule50;
        int rank, score;
    } cases[] = {
        {0, false, true, 1000, SURE},         {100 - dtz, false, true, 1000, SURE}, {101 - dtz, false, true, 899, 49},
        {101 - dtz, false, false, 899, SURE}, {110 - dtz, false, true, 890, 45},    {0, true, true, 1000 - dtz, SURE},
        {95 - dtz, true, false, 905, SURE},   {300 - dtz, false, true, 700, 1},     {5000 - dtz, true, false, 1, SURE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(fen, sizeof fen, WON "%d 1", cases[i].clock);
        rank_is(fen, cases[i].repeated, cases[i].rule50, cases[i].rank, cases[i].score);
    }
    // Black to move loses in as many plies.
    const char *lost = "8/8/8/8/8/2k5/8/K4Q2 b - - ";
    snprintf(fen, sizeof fen, "%s0 1", lost);
    const int plies = (int)TB_GET_DTZ(root(fen, NULL));
    rank_is(fen, true, true, -1000, -SURE);
    snprintf(fen, sizeof fen, "%s%d 1", lost, 99 - 2 * plies);
    rank_is(fen, false, true, -1000, -SURE);
    snprintf(fen, sizeof fen, "%s%d 1", lost, 100 - 2 * plies);
    rank_is(fen, false, true, -900 - plies, -SURE);
    snprintf(fen, sizeof fen, "%s%d 1", lost, 101 - plies);
    rank_is(fen, false, true, -899, -49);
    rank_is("8/8/8/8/8/2k5/8/2K2B2 w - - 0 1", false, true, 0, TB_VALUE_DRAW);
}

TEST(test_outcome_ranks)
{
    assert_true(tb_init(tables_folder));
    assert_int_equal(by_outcome(WON "99 1", true), 1); // whatever the clock
    assert_int_equal(ranked.moves[0].tbRank, 1000);
    assert_int_equal(ranked.moves[ranked.size - 1].tbRank, 0); // gives the queen up, or stalemate
    for (unsigned i = 1; i < ranked.size; i++)
        assert_true(ranked.moves[i].tbRank <= ranked.moves[i - 1].tbRank);
}

// ---- folders ----

// Copies a file, without its last bytes.
static void copy(const char *from, const char *name, size_t without)
{
    char path[TEST_PATH_MAX + 40];
    struct bytes file = read_file(from);
    snprintf(path, sizeof path, "%s/%s", other, name);
    write_file(path, file.data, file.size - without);
    free(file.data);
}

TEST(test_mixed)
{
    char folders[2 * TEST_PATH_MAX];
    char path[TEST_PATH_MAX];
    // Queens from tables, rooks from Syzygy files without distances, and a file that is cut.
    test_folder_clear(other);
    snprintf(folders, sizeof folders, "/nowhere:%s::/nowhere", other);
    assert_true(tb_init(folders));
    assert_int_equal(TB_LARGEST, 0);
    all_fail(WON "0 1");
    copy(table_in(tables_folder, "KQvK"), "KQvK.dtm.cltb", 0);
    assert_true(tb_init(folders));
    assert_int_equal(TB_LARGEST, 0);
    copy(table_in(tables_folder, "KQvK"), "KQvK.cltb", 0);
    snprintf(path, sizeof path, "%s/KRvK.rtbw", data_path("syzygy"));
    copy(path, "KRvK.rtbw", 0);
    copy(path, "KRvKR.rtbw", 1);
    copy(path, "KRvKN.rtbw", 0); // of another endgame
    copy(table_in(tables_folder, "KPvK"), "KPvKP.cltb", 100);
    assert_true(tb_init_impl(folders));
    assert_int_equal(TB_LARGEST, 3);
    assert_int_equal(wdl(WON "0 1"), TB_WIN);
    assert_int_equal(by_distance(WON "0 1", false, true), 1);
    assert_int_equal(wdl("8/8/8/8/8/2k5/8/2K2R2 w - - 0 1"), TB_WIN);
    assert_int_equal(root("8/8/8/8/8/2k5/8/2K2R2 w - - 0 1", NULL), TB_RESULT_FAILED);
    assert_int_equal(by_distance("8/8/8/8/8/2k5/8/2K2R2 w - - 0 1", false, true), 0);
    assert_int_equal(by_outcome("8/8/8/8/8/2k5/8/2K2R2 w - - 0 1", true), 1);
    all_fail("8/8/8/8/8/2k5/r7/2K2R2 w - - 0 1");
    all_fail("8/8/8/8/p7/2k5/7P/2K5 w - - 0 1");
    all_fail("8/8/8/8/8/2k5/8/2K2B2 w - - 0 1");
    tb_free();
    assert_int_equal(TB_LARGEST, 0);
    all_fail(WON "0 1");
    tb_free();
}

TEST(test_damaged)
{
    char path[TEST_PATH_MAX + 20];
    test_folder_clear(other);
    copy(table_in(tables_folder, "KQvK"), "KQvK.cltb", 0);
    snprintf(path, sizeof path, "%s/KQvK.cltb", other);
    struct bytes file = read_file(path);
    for (size_t i = file.size / 4; i < file.size; i++)
        file.data[i] ^= 1;
    write_file(path, file.data, file.size);
    free(file.data);
    assert_true(tb_init(other));
    all_fail(WON "0 1");
}

TEST(test_nothing)
{
    static const char *const none[] = {NULL, "", ":", "<empty>", "/nowhere", "/dev/null"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_true(tb_init(none[i]));
        assert_int_equal(TB_LARGEST, 0);
        all_fail(WON "0 1");
    }
    assert_int_equal(wdl("8/8/8/8/8/2k5/8/2K5 w - - 0 1"), TB_DRAW);
}

// ---- positions that no table has ----

TEST(test_refusals)
{
    const cltb_position p = read(WON "0 1");
    assert_true(tb_init(tables_folder));
    assert_int_equal(tb_probe_wdl_impl(0, 0, 0, 0, 0, 0, 0, 0, 0, true), TB_RESULT_FAILED);
    assert_int_equal(tb_probe_wdl(SETS(p), 0, TB_CASTLING_K, 0, true), TB_RESULT_FAILED);
    assert_int_equal(tb_probe_root(SETS(p), 0, TB_CASTLING_q, 0, true, NULL), TB_RESULT_FAILED);
    assert_int_equal(tb_probe_root_dtz(SETS(p), 0, TB_CASTLING_k, 0, true, false, true, &ranked), 0);
    assert_int_equal(tb_probe_root_wdl(SETS(p), 0, TB_CASTLING_Q, 0, true, true, &ranked), 0);
    assert_int_equal(tb_probe_root_dtz(SETS(p), 0, 0, 0, true, false, true, NULL), 0);
    assert_int_equal(tb_probe_root_wdl(SETS(p), 0, 0, 0, true, true, NULL), 0);
    // A slot that no double step can give
    for (unsigned slot = 1; slot < 1000; slot += 3)
        assert_int_equal(tb_probe_wdl_impl(SETS(p), slot, true), TB_WIN);
    // Every man of a king, two kings of a colour, men on each other, nine men
    assert_int_equal(tb_probe_wdl_impl(UINT64_MAX, 0, UINT64_MAX, 0, 0, 0, 0, 0, 0, true), TB_RESULT_FAILED);
    assert_int_equal(tb_probe_wdl_impl(SETS(p) | 1, 0, true), TB_RESULT_FAILED);
    assert_int_equal(tb_probe_root_impl(p.white | 0xff00, p.black, p.kings, p.queens, p.rooks, p.bishops, p.knights,
                                        p.pawns | 0xff00, 0, 0, true, NULL),
                     TB_RESULT_FAILED);
    // The side not to move is in check.
    assert_int_equal(tb_probe_wdl_impl(0x11, UINT64_C(1) << 60, 0x10 | UINT64_C(1) << 60, 0, 0, 0, 0, 0, 0, true),
                     TB_RESULT_FAILED);
    assert_int_equal(
        tb_probe_root_impl(0x90, UINT64_C(1) << 63, 0x10 | UINT64_C(1) << 63, 0, 0x80, 0, 0, 0, 7, 0, true, NULL),
        TB_RESULT_FAILED);
}

// ---- threads ----

enum { THREADS = 4, ITEMS = 2000 };

static int probe_item(void *context, uint64_t item, int worker)
{
    unsigned *outcome = context;
    const uint64_t white = UINT64_C(1) << item % 61;
    const uint64_t queen = UINT64_C(1) << item * 7 % 63;
    const uint64_t black = UINT64_C(1) << item * 5 % 59;
    unsigned results[TB_MAX_MOVES] = {TB_RESULT_FAILED};
    outcome[item] = tb_probe_wdl_impl(white | queen, black, white | black, queen, 0, 0, 0, 0, 0, item & 1);
    if (item % 8 == 0)
        tb_probe_root_impl(white | queen, black, white | black, queen, 0, 0, 0, 0, 0, 0, item & 1, results);
    return 0;
}

TEST(test_threads)
{
    static unsigned first[ITEMS], again[ITEMS];
    struct thread_pool *pool;
    GOOD(threads_open(&pool, THREADS));
    for (int round = 0; round < 10; round++) {
        assert_true(tb_init(tables_folder)); // so that all threads open the table at once
        GOOD(threads_each(pool, ITEMS, probe_item, round == 0 ? first : again));
        assert_true(round == 0 || memcmp(first, again, sizeof first) == 0);
    }
    threads_close(pool);
}

// ---- sets of squares ----

TEST(test_helpers)
{
    assert_int_equal(tb_pop_count(0xf0f), 8);
    assert_int_equal(tb_lsb(0x50), 4);
    assert_int_equal(tb_pop_lsb(0x50), 0x40);
    assert_int_equal(tb_king_attacks(0), 0x302);
    assert_int_equal(tb_knight_attacks(0), 0x20400);
    assert_int_equal(tb_pawn_attacks(8, true), 0x20000);
    assert_int_equal(tb_pawn_attacks(8, false), 0x2);
    assert_int_equal(tb_rook_attacks(0, 0x104), 0x106);
    assert_int_equal(tb_bishop_attacks(0, 0x40000), 0x40200);
    assert_int_equal(tb_queen_attacks(0, 0x40104), 0x40306);
}

TESTS(set_up, tear_down)
