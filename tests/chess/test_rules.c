// test_rules.c - facts about the rules core: perft counts, en passant traps, keys, undo, notation, self check
#include "chess/fen.h"
#include "chess/notation.h"
#include "chess/perft.h"

#include "oracle/position_check.h"
#include "support/support.h"

// Positions of the Chess Programming Wiki's page of perft results.
static const char KIWIPETE[] = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
static const char POSITION_3[] = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
static const char POSITION_4[] = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1";
static const char POSITION_5[] = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8";
static const char POSITION_6[] = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";

TEST(test_perft)
{
    static const struct {
        const char *fen;
        int depth;
        uint64_t leaves;
    } facts[] = {
        {FEN_START, 0, 1},      {FEN_START, 1, 20},      {FEN_START, 2, 400},      {FEN_START, 3, 8902},
        {FEN_START, 4, 197281}, {FEN_START, 5, 4865609}, {KIWIPETE, 1, 48},        {KIWIPETE, 2, 2039},
        {KIWIPETE, 3, 97862},   {KIWIPETE, 4, 4085603},  {POSITION_3, 1, 14},      {POSITION_3, 2, 191},
        {POSITION_3, 3, 2812},  {POSITION_3, 4, 43238},  {POSITION_3, 5, 674624},  {POSITION_4, 1, 6},
        {POSITION_4, 2, 264},   {POSITION_4, 3, 9467},   {POSITION_4, 4, 422333},  {POSITION_5, 1, 44},
        {POSITION_5, 2, 1486},  {POSITION_5, 3, 62379},  {POSITION_5, 4, 2103487}, {POSITION_6, 1, 46},
        {POSITION_6, 2, 2079},  {POSITION_6, 3, 89890},  {POSITION_6, 4, 3894594},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct position p;
        uint64_t leaves = 0;
        GOOD(fen_read(&p, facts[i].fen));
        GOOD(perft_divide(&p, facts[i].depth, 1, NULL, NULL, &leaves));
        if (leaves != facts[i].leaves)
            fail_msg("%s depth %d: %llu, not %llu", facts[i].fen, facts[i].depth, (unsigned long long)leaves,
                     (unsigned long long)facts[i].leaves);
    }
}

// Of the 960 positions of a public list, fischer.epd as the engine Ethereal has it: some with rooks that stand beside
// each other or the king, and with rights of one side alone.
TEST(test_perft_chess960)
{
    static const struct {
        const char *fen;
        uint64_t leaves[4];
    } facts[] = {
        {"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", {21, 528, 12189, 326672}},
        {"b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9", {20, 479, 10471, 273318}},
        {"qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9", {22, 593, 13440, 382958}},
        {"1qnrkbbr/1pppppp1/p1n4p/8/P7/1P1N1P2/2PPP1PP/QN1RKBBR w HDhd - 0 9", {37, 883, 32187, 815535}},
        {"bnqnrbkr/1pp2pp1/p7/3pP2p/4P1P1/8/PPPP3P/BNQNRBKR w HEhe d6 0 9", {31, 984, 28677, 962591}},
        {"n1bb1rkr/qpnppppp/2p5/p7/P1P5/5P2/1P1PPRPP/NQBBN1KR w Hhf - 1 9", {27, 697, 18724, 505089}},
        {"nb1n1kbr/ppp1rppp/3pq3/P3p3/8/4P3/1PPPRPPP/NBQN1KBR w Hh - 1 9", {19, 566, 11786, 358337}},
        {"nnrkbbqr/1p2pppp/p2p4/2p5/8/1N2P1P1/PPPP1P1P/1NKRBBQR w hc - 0 9", {26, 672, 18136, 477801}},
        {"nnr1kqbr/pp1pp1p1/2p5/b4p1p/P7/1PNP4/2P1PPPP/N1RBKQBR w HChc - 1 9", {12, 421, 6530, 227044}},
        {"nnrkrbbq/pppp2pp/8/4pp2/4P3/P7/1PPPBPPP/NNKRR1BQ w c - 0 9", {25, 792, 19883, 636041}},
        {"1nrbkr1q/1pppp1pp/1n6/p4p2/N1b4P/8/PPPPPPPB/N1RBKR1Q w FCfc - 2 9", {27, 862, 24141, 755171}},
        {"nb1r1nkr/ppp1ppp1/2bp4/7p/3P2qP/P6R/1PP1PPP1/NBQRBNK1 w Dhd - 1 9", {38, 1691, 60060, 2526992}},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct position p;
        uint64_t leaves[4] = {0};
        GOOD(fen_read(&p, facts[i].fen));
        for (int depth = 1; depth <= 4; depth++)
            GOOD(perft_divide(&p, depth, 1, NULL, NULL, &leaves[depth - 1]));
        if (memcmp(leaves, facts[i].leaves, sizeof leaves) != 0)
            fail_msg("%s: %llu of depth 4, not %llu", facts[i].fen, (unsigned long long)leaves[3],
                     (unsigned long long)facts[i].leaves[3]);
    }
}

static int add_leaves(void *context, const struct position *p, uint32_t move, uint64_t leaves)
{
    uint64_t *moves_and_sum = context;
    moves_and_sum[1] += leaves;
    return ++moves_and_sum[0] == 48 ? 7 : 0;
}

TEST(test_divide)
{
    struct position p;
    uint64_t moves_and_sum[2] = {0};
    uint64_t leaves = 0;
    GOOD(fen_read(&p, KIWIPETE));
    // The last visit's value comes back.
    assert_int_equal(perft_divide(&p, 3, 2, add_leaves, moves_and_sum, &leaves), 7);
    assert_memory_equal(moves_and_sum, ((uint64_t[]){48, 97862}), sizeof moves_and_sum);
    assert_int_equal(leaves, 97862);
    assert_int_equal(perft_divide(&p, -1, 1, NULL, NULL, &leaves), CLTB_E_USAGE);
    assert_int_equal(perft_divide(&p, PERFT_DEPTH_MAX + 1, 1, NULL, NULL, &leaves), CLTB_E_USAGE);
    GOOD(fen_read(&p, "7k/5KQ1/8/8/8/8/8/8 b - - 0 1")); // checkmate has no leaves
    GOOD(perft_divide(&p, 3, 2, NULL, NULL, &leaves));
    assert_int_equal(leaves, 0);
}

// Traps of en passant: whether there is a legal capture, and the number of all legal moves.
TEST(test_en_passant)
{
    static const struct {
        const char *fen;
        bool legal;
        int moves;
        const char *why;
    } facts[] = {
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", true, 7, "plain"},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", false, 6, "no slot"},
        {"4k3/8/8/3p4/4P3/8/8/4K3 w - d6 0 1", false, 7, "the pawn does not attack the slot"},
        {"4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 1", false, 6, "pinned on its file"},
        {"7k/8/1b6/2Pp4/3K4/8/8/8 w - d6 0 1", false, 6, "pinned on a diagonal, the slot off the line"},
        {"7k/2b5/8/3pP3/5K2/8/8/8 w - d6 0 1", true, 7, "pinned on a diagonal that holds the slot"},
        {"7k/8/8/K2pP2r/8/8/8/8 w - d6 0 1", false, 6, "rook behind both pawns on the fifth rank"},
        {"7k/8/8/r2pP2K/8/8/8/8 w - d6 0 1", false, 6, "the same from the left"},
        {"7k/8/8/K1NpP2r/8/8/8/8 w - d6 0 1", true, 15, "a knight stands between: nothing is discovered"},
        {"7k/8/8/K1PpP2r/8/8/8/8 w - d6 0 1", true, 9, "two capturers: one of them always stays between"},
        {"7k/8/8/3pP3/4K3/8/8/8 w - d6 0 1", true, 8, "captures the pawn that gives check"},
        {"7k/8/8/3pP3/4K2r/8/8/8 w - d6 0 1", false, 5, "does not answer the other check"},
        {"7k/6b1/8/3pP3/3K4/8/8/8 w - d6 0 1", false, 5, "bishop pins the pawn against its king"},
        {"7k/8/8/b2pP3/8/8/8/4K3 w - d6 0 1", false, 4, "capture does not stop the bishop's check"},
        {"4K3/8/8/8/3Pp3/8/8/4k3 b - d3 0 1", true, 7, "the other colour"},
        {"8/8/8/8/k2Pp2R/8/8/7K b - d3 0 1", false, 6, "the other colour, rook behind both pawns"},
        {"7k/8/8/8/pP6/8/8/K7 b - b3 0 1", true, 5, "from the a-file"},
        {"7k/8/8/Pp6/7p/8/8/K7 w - b6 0 1", true, 5, "from the a-file, a pawn on the h-file beyond the wrap"},
        {"7k/8/8/p6P/8/8/8/K7 w - a6 0 1", false, 4, "no capture around the board's edge"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct position p;
        uint32_t moves[MOVES_MAX];
        GOOD(fen_read(&p, facts[i].fen));
        int count = moves_legal(&p, moves);
        bool found = false;
        for (int k = 0; k < count; k++)
            found |= move_is_en_passant(moves[k]);
        if (found != facts[i].legal || position_en_passant_legal(&p) != facts[i].legal || count != facts[i].moves)
            fail_msg("%s (%s): capture %d, %d moves", facts[i].fen, facts[i].why, found, count);
    }
}

TEST(test_en_passant_made)
{
    struct position p;
    struct position after;
    uint32_t move;
    GOOD(fen_read(&p, "4k3/3p4/8/4P3/8/8/8/4K3 b - - 3 9"));
    GOOD(uci_read(&p, "d7d5", &move));
    assert_true(move_is_pawn_start(move) && move_is_zeroing(&p, move) && !move_is_capture(move));
    GOOD(position_make(&p, move));
    assert_string_equal(square_name(p.en_passant), "d6");
    GOOD(uci_read(&p, "e5d6", &move));
    assert_true(move_is_en_passant(move) && move_is_capture(move) && move_is_zeroing(&p, move));
    assert_int_equal(move_captured(move), piece_code(BLACK, PAWN));
    GOOD(position_make(&p, move));
    GOOD(fen_read(&after, "4k3/8/3P4/8/8/8/8/4K3 b - - 0 10"));
    assert_true(position_same(&p, &after));
    assert_int_equal(p.move_number, 10);
    GOOD(position_check(&p));
    GOOD(position_undo(&p));
    GOOD(position_undo(&p));
    GOOD(fen_read(&after, "4k3/3p4/8/4P3/8/8/8/4K3 b - - 3 9"));
    assert_true(position_same(&p, &after));
    assert_int_equal(p.fifty, 3);
    assert_int_equal(position_undo(&p), CLTB_E_USAGE);
}

static void assert_restored(const struct position *p, const struct position *before)
{
    const uint32_t counters[] = {p->fifty, p->move_number, p->ply};
    assert_true(position_same(p, before));
    assert_memory_equal(p->men, before->men, sizeof p->men);
    assert_memory_equal(p->count, before->count, sizeof p->count);
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int type = KING; type <= PAWN; type++)
            assert_memory_equal(p->list[colour][type], before->list[colour][type], p->count[colour][type]);
    assert_memory_equal(counters, ((uint32_t[]){before->fifty, before->move_number, before->ply}), sizeof counters);
    GOOD(position_check(p));
}

static const char *const game_starts[] = {FEN_START,
                                          KIWIPETE,
                                          POSITION_3,
                                          POSITION_4,
                                          POSITION_5,
                                          "7k/PPPP4/8/8/8/8/4pppp/K7 w - - 0 1",
                                          "1r2kr2/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/2R2KR1 w GCfb - 0 1",
                                          "rk5r/8/p6p/8/8/P6P/8/5RKR w HFha - 0 1"};

enum { GAME_STARTS = sizeof game_starts / sizeof game_starts[0], GAME_PLIES = 200 };

// At every position of random games: the key and the lists are right, every move can be taken back exactly, and text
// reads back as the same.
static void walk_game(const char *fen)
{
    struct position p;
    struct position start;
    GOOD(fen_read(&p, fen));
    for (int ply = 0; ply < GAME_PLIES; ply++) {
        uint32_t moves[MOVES_MAX];
        struct position before;
        char san[SAN_MAX];
        char uci[UCI_MAX];
        int count = moves_legal(&p, moves);
        assert_int_equal(count > 0, moves_any(&p));
        position_copy(&before, &p);
        for (int i = 0; i < count; i++) {
            uint32_t found = MOVE_NONE;
            san_write(&p, moves[i], san);
            uci_write(moves[i], uci);
            if (san_read(&p, san, &found) != 0 || found != moves[i])
                fail_msg("%s: SAN %s is not read back: %s", uci, san, error_text());
            GOOD(uci_read(&p, uci, &found));
            assert_int_equal(found, moves[i]);
            GOOD(position_make(&p, moves[i]));
            GOOD(position_check(&p));
            assert_true(position_legal(&p));
            GOOD(position_undo(&p));
            assert_restored(&p, &before);
        }
        if (count == 0)
            break;
        GOOD(position_make(&p, moves[random_u64() % (uint64_t)count]));
    }
    while (p.ply > 0)
        GOOD(position_undo(&p));
    GOOD(fen_read(&start, fen));
    assert_restored(&p, &start);
}

TEST(test_random_games)
{
    for (int game = 0; game < 4 * GAME_STARTS; game++)
        walk_game(game_starts[game % GAME_STARTS]);
}

TEST(test_key)
{
    // Each pair differs in one thing; both ways into one position give one key.
    static const char *const different[][2] = {
        {"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"},
        {"4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/8/8/8/8/R3K3 b - - 0 1"},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"},
        {"4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/8/8/8/8/1R2K3 w - - 0 1"},
        {"4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1"},
        {"4k3/8/8/8/8/8/8/RR2K3 w A - 0 1", "4k3/8/8/8/8/8/8/RR2K3 w B - 0 1"},
    };
    struct position a;
    struct position b;
    for (size_t i = 0; i < sizeof different / sizeof different[0]; i++) {
        GOOD(fen_read(&a, different[i][0]));
        GOOD(fen_read(&b, different[i][1]));
        assert_true(a.key != b.key);
        assert_false(position_same(&a, &b));
    }
    static const char *const ways[2][4] = {{"g1f3", "g8f6", "b1c3", "b8c6"}, {"b1c3", "b8c6", "g1f3", "g8f6"}};
    struct position *both[2] = {&a, &b};
    for (int w = 0; w < 2; w++) {
        position_start(both[w]);
        for (int i = 0; i < 4; i++) {
            uint32_t move;
            GOOD(uci_read(both[w], ways[w][i], &move));
            GOOD(position_make(both[w], move));
        }
    }
    assert_true(a.key == b.key && position_same(&a, &b));
}

// One fault in each thing that is stored twice; the sentence names it.
TEST(test_self_check)
{
    struct position p;
    const struct {
        void *at; // a byte of `p`
        uint8_t value;
        const char *sentence;
    } faults[] = {
        {&p.key, 0, "key is"},
        {&p.board[20], (uint8_t)piece_code(WHITE, KNIGHT), "bit set of White"},
        {&p.list[WHITE][PAWN][3], 40, "list of P: no such man"},
        {&p.count[BLACK][ROOK], 1, "list of r holds 1"},
        {&p.men[BLACK], 1, "bit set of Black"},
        {&p.index[8], 5, "its index says 5"}, // a2, the first white pawn
        {&p.side, 2, "side to move is 2"},
        {&p.en_passant, 20, "en passant square e3"},
        {&p.castling, 2, "castling rights need White's king on b1 to g1 and a rook on b1"},
        {&p.side, BLACK, "key is"},
        {&p.board[20], 7, "e3 holds 7"},
        {(uint8_t *)&p.ply + 1, (POSITION_PLIES + 256) / 256, "history of"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        position_start(&p);
        GOOD(position_check(&p));
        uint8_t *at = faults[i].at;
        *at = *at == faults[i].value ? (uint8_t) ~*at : faults[i].value;
        FAILS(position_check(&p), CLTB_E_POSITION, faults[i].sentence);
    }
}

TEST(test_set)
{
    static const struct man good[] = {{KING, WHITE, 4}, {ROOK, WHITE, 0}, {KING, BLACK, 60}, {PAWN, BLACK, 48}};
    static const struct {
        struct man men[4];
        int side;
        const char *sentence;
    } bad[] = {
        {{{KING, WHITE, 4}, {ROOK, WHITE, 4}, {KING, BLACK, 60}, {PAWN, BLACK, 48}}, WHITE, "two men on e1"},
        {{{KING, WHITE, 4}, {KING, WHITE, 0}, {KING, BLACK, 60}, {PAWN, BLACK, 48}}, WHITE, "more than one king"},
        {{{KING, WHITE, 4}, {ROOK, WHITE, 0}, {ROOK, BLACK, 60}, {PAWN, BLACK, 48}}, WHITE, "Black has no king"},
        {{{KING, WHITE, 4}, {ROOK, WHITE, 0}, {KING, BLACK, 60}, {PAWN, BLACK, 7}}, WHITE, "pawn on h1"},
        {{{KING, WHITE, 4}, {ROOK, WHITE, 64}, {KING, BLACK, 60}, {PAWN, BLACK, 48}}, WHITE, "no such man"},
        {{{KING, WHITE, 4}, {6, WHITE, 0}, {KING, BLACK, 60}, {PAWN, BLACK, 48}}, WHITE, "no such man"},
        {{{KING, WHITE, 4}, {ROOK, 2, 0}, {KING, BLACK, 60}, {PAWN, BLACK, 48}}, WHITE, "no such man"},
        {{{KING, WHITE, 4}, {ROOK, WHITE, 0}, {KING, BLACK, 60}, {PAWN, BLACK, 48}}, 2, "side to move is 2"},
    };
    struct position p;
    struct position same;
    GOOD(position_set(&p, good, 4, BLACK));
    GOOD(fen_read(&same, "4k3/p7/8/8/8/8/8/R3K3 b - - 0 1"));
    assert_true(position_same(&p, &same));
    GOOD(position_check(&p));
    assert_int_equal(position_men(&p), 4);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        FAILS(position_set(&p, bad[i].men, 4, bad[i].side), CLTB_E_POSITION, bad[i].sentence);
}

TEST(test_check_and_legal)
{
    struct position p;
    GOOD(fen_read(&p, "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"));
    assert_true(position_in_check(&p));
    assert_true(position_attacked(&p, 13, BLACK));  // f2
    assert_false(position_attacked(&p, 12, BLACK)); // the rook does not attack its own square
    assert_true(position_attacked(&p, 12, WHITE));
    // A legal position, and one in which Black's king, in check, is not captured.
    static const struct man men[] = {{KING, WHITE, 4}, {ROOK, WHITE, 12}, {KING, BLACK, 60}};
    GOOD(position_set(&p, men, 3, BLACK));
    assert_true(position_legal(&p));
    GOOD(position_require_legal(&p));
    GOOD(position_set(&p, men, 3, WHITE));
    assert_false(position_legal(&p));
    assert_int_equal(position_require_legal(&p), CLTB_E_POSITION);
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(&p, moves);
    assert_int_equal(count, 4 + 12);
    for (int i = 0; i < count; i++)
        assert_false(move_is_capture(moves[i]));
}

TEST(test_castling)
{
    static const struct {
        const char *fen;
        const char *move;
        bool legal;
    } facts[] = {
        {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", true},
        {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O-O", true},
        {"4k3/8/8/8/8/8/8/R3K2R w K - 0 1", "O-O-O", false},
        {"4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "O-O", false},
        {"4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "O-O-O", false},
        {"4k3/8/8/8/8/8/8/R3KN1R w KQ - 0 1", "O-O", false},
        {"1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O-O", true},
        {"3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O-O", false},
        {"2r1k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O-O", false},
        {"4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", false},
        {"4k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", false},
        {"4k2r/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", true},
        {"4r1k1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", false},
        {"r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "O-O", true},
        {"r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "O-O-O", true},
        {"r3k2r/8/8/8/8/8/6N1/4KR2 b kq - 0 1", "O-O", false},
        // Chess960: the king stays, the rook stays, both change places
        {"4k3/8/8/8/8/8/8/6KR w H - 0 1", "O-O", true},
        {"4k3/8/8/8/8/8/8/3R2K1 w D - 0 1", "O-O-O", true},
        {"4k3/8/8/8/8/8/8/2KR4 w D - 0 1", "O-O", true},
        {"4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "O-O", true},
        {"1rk5/8/8/8/8/8/8/4K3 b b - 0 1", "O-O-O", true},
        // a man on the king's way, on the rook's, beyond both, or beside the king
        {"4k3/8/8/8/8/8/8/1K2B2R w H - 0 1", "O-O", false},
        {"4k3/8/8/8/8/8/8/R1B2K2 w A - 0 1", "O-O-O", false},
        {"4k3/8/8/8/8/8/8/B1R2K2 w C - 0 1", "O-O-O", true},
        {"4k3/8/8/8/8/8/8/RB3K2 w A - 0 1", "O-O-O", false},
        {"4k3/8/8/8/8/8/8/RKN5 w A - 0 1", "O-O-O", false},
        // attacks on the king's way count, on the rook's not; one that only the rook keeps off would be check
        {"4k1r1/8/8/8/8/8/8/1K5R w H - 0 1", "O-O", false},
        {"2r1k3/8/8/8/8/8/8/1K5R w H - 0 1", "O-O", false},
        {"4k2r/8/8/8/8/8/8/1K5R w H - 0 1", "O-O", true},
        {"4k3/8/8/8/8/8/8/rRK5 w B - 0 1", "O-O-O", false},
        {"4k3/8/8/8/8/8/8/nRK5 w B - 0 1", "O-O-O", true},
        {"4k3/8/8/8/8/8/8/5KRq w G - 0 1", "O-O", false},
        {"4k3/8/8/8/8/8/8/5KRb w G - 0 1", "O-O", true},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct position p;
        uint32_t move;
        GOOD(fen_read(&p, facts[i].fen));
        if ((san_read(&p, facts[i].move, &move) == 0) != facts[i].legal)
            fail_msg("%s: %s should be %s", facts[i].fen, facts[i].move, facts[i].legal ? "legal" : "illegal");
    }
}

TEST(test_notation)
{
    static const struct {
        const char *fen;
        const char *uci;
        const char *san;
    } facts[] = {
        {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O"},
        {"5k2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O+"},
        {"3k4/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "O-O-O+"},
        {"4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", "e1h1", "O-O"},
        {"3k4/8/8/8/8/8/8/R3K2R w HA - 0 1", "e1a1", "O-O-O+"},
        {"4k3/8/8/8/8/8/8/R4KR1 w KQ - 0 1", "f1g1", "O-O"},
        {"4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1", "f1g1", "Kg1"},
        {"1r2k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8b8", "O-O-O"},
        {"4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "a1a8", "Ra8+"},
        {"4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "a1d1", "Rad1"},
        {"4k3/8/8/7R/8/8/4K3/7R w - - 0 1", "h1h3", "R1h3"},
        {"8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"},
        {"4k3/8/2N1N3/8/8/8/2N1K3/8 w - - 0 1", "c6d4", "Nc6d4"},
        {"4k3/8/2N5/8/8/2N5/4K3/8 w - - 0 1", "c6d4", "Nd4"}, // the knight on c3 does not reach d4
        {"4k3/8/8/8/1b6/8/3N4/4K1N1 w - - 0 1", "g1f3", "Nf3"},
        {"4k3/4r3/8/4N3/8/8/4K3/6N1 w - - 0 1", "g1f3", "Nf3"},
        {"4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a8=Q+"},
        {"1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8n", "axb8=N"},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"},
        {"6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "Ra8#"},
        {"4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "e1e2", "Kxe2"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct position p;
        uint32_t move = MOVE_NONE;
        char san[SAN_MAX];
        GOOD(fen_read(&p, facts[i].fen));
        GOOD(uci_read(&p, facts[i].uci, &move));
        san_write(&p, move, san);
        assert_string_equal(san, facts[i].san);
    }
    char none[UCI_MAX];
    uci_write(MOVE_NONE, none);
    assert_string_equal(none, "0000");
}

TEST(test_notation_lenient)
{
    static const char *const texts[][2] = {{"a8Q", "a7a8q"},  {"a8=Q#", "a7a8q"},   {"axb8=R", "a7b8r"},
                                           {"ab8R", "a7b8r"}, {"a7xb8=R", "a7b8r"}, {"Ke1f2", "e1f2"},
                                           {"Kef2", "e1f2"},  {"K1f2!?", "e1f2"},   {"0-0", "e1g1"},
                                           {"O-O+", "e1g1"},  {"Kg1", "e1g1"},      {"e1g1", "e1g1"}};
    struct position p;
    GOOD(fen_read(&p, "1n2k3/P7/8/8/8/8/8/4K2R w K - 0 1"));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        uint32_t move = MOVE_NONE;
        char uci[UCI_MAX];
        GOOD(san_read(&p, texts[i][0], &move));
        uci_write(move, uci);
        assert_string_equal(uci, texts[i][1]);
    }
}

TEST(test_notation_faults)
{
    static const struct {
        bool san;
        const char *sentence;
        const char *texts[16];
    } facts[] = {
        {true,
         "is not a move in SAN",
         {"", "Rz1", "e9", "Rxx1", "=Q", "O-O-O-O", "+", "R1a1d1d1", "e4=K", "this is far too long for a move", "Ra9"}},
        {true, "is ambiguous: 2 legal", {"Rd1"}},
        {true, "is not legal", {"Nf3", "O-O", "a8", "Ke8"}},
        {false, "is not a move such as", {"e1e9", "", "e1", "a7a8k", "a7a8q ", "0000"}},
        {false, "is not legal", {"a7a8", "e1e8"}},
    };
    struct position p;
    GOOD(fen_read(&p, "8/P3k3/8/8/8/8/4K3/R6R w - - 0 1"));
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        for (int k = 0; k < 16 && facts[i].texts[k] != NULL; k++) {
            const char *text = facts[i].texts[k];
            uint32_t move = MOVE_NONE;
            FAILS((facts[i].san ? san_read : uci_read)(&p, text, &move), CLTB_E_POSITION, facts[i].sentence);
        }
    }
}

// A full history refuses the next move; after it is dropped, moves can be made again.
TEST(test_history_full)
{
    static const char *const shuffle[] = {"g1f3", "g8f6", "f3g1", "f6g8"};
    struct position p;
    uint32_t move = MOVE_NONE;
    position_start(&p);
    for (int i = 0; i < POSITION_PLIES; i++) {
        GOOD(uci_read(&p, shuffle[i % 4], &move));
        GOOD(position_make(&p, move));
    }
    assert_int_equal(p.fifty, POSITION_PLIES);
    GOOD(uci_read(&p, "g1f3", &move));
    assert_int_equal(position_make(&p, move), CLTB_E_USAGE);
    GOOD(position_check(&p));
    position_forget(&p);
    GOOD(position_make(&p, move));
    GOOD(position_undo(&p));
}

TEST(test_move_list)
{
    static struct move_list list;
    struct position p;
    position_start(&p);
    for (int ply = 0; ply < 2; ply++) {
        assert_int_equal(move_list_generate(&list, &p, ply), 20);
        assert_int_equal(list.start[ply + 1], 20 * (ply + 1));
        GOOD(position_make(&p, list.move[list.start[ply]]));
    }
    assert_int_equal(move_list_generate(&list, &p, MOVE_LIST_PLIES), CLTB_E_USAGE);
    assert_int_equal(move_list_generate(&list, &p, -1), CLTB_E_USAGE);
}

// A position that a game can reach has at most 218 moves. 15 queens can have more, and the array holds them.
TEST(test_most_moves)
{
    uint32_t moves[MOVES_MAX];
    struct position p;
    GOOD(fen_read(&p, "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"));
    assert_int_equal(moves_legal(&p, moves), 218);
    struct man men[17] = {{KING, WHITE, 56}, {KING, BLACK, 0}};
    static const uint8_t queens[15] = {1, 3, 7, 8, 13, 18, 23, 28, 33, 38, 43, 48, 53, 58, 63};
    for (int i = 0; i < 15; i++)
        men[2 + i] = (struct man){QUEEN, WHITE, queens[i]};
    GOOD(position_set(&p, men, 17, WHITE)); // Black is in check: not legal, but within bounds
    assert_int_equal(moves_legal(&p, moves), 244);
}

TEST(test_packing)
{
    const uint32_t move = move_pack(63, 62, 14, 10, MOVE_EN_PASSANT | MOVE_PAWN_START | MOVE_CASTLE);
    const int parts[] = {move_from(move), move_to(move), move_captured(move), move_promoted(move)};
    assert_memory_equal(parts, ((int[]){63, 62, 14, 10}), sizeof parts);
    assert_true(move_is_en_passant(move) && move_is_pawn_start(move) && move_is_castle(move));
    assert_int_equal(move, 63 | 62 << 7 | 14 << 14 | 1 << 18 | 1 << 19 | 10 << 20 | 1 << 24);
}

TESTS(NULL, NULL)
