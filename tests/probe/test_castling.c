// test_castling.c - positions with castling rights: all that can arise from a few, each against the values after its
// moves; and some in which only castling wins or draws
//
// A win in n needs a move to a loss in n - 1, and so on down to a zeroing move or mate, whose values are known; so
// values that agree with those after all moves, distances included, are right if those without rights are.
// CLTB_TEST_TABLES=FOLDER, with tables of five men, adds positions with five.
#include "support/compare_tables.h"

#include "chess/notation.h"
#include "probe/castling.h"

enum { SEEN_MAX = 1 << 21 };

struct walk {
    cltb_tables *tables;
    uint64_t *seen; // [SEEN_MAX] keys of positions, by hash
    char (*fen)[FEN_MAX];
    size_t count;
    size_t only_castling;
};

// Adds a position to those that are to be checked, unless it was there.
static void meet(struct walk *walk, const struct position *p)
{
    size_t at = p->key % SEEN_MAX;
    while (walk->seen[at] != 0 && walk->seen[at] != p->key)
        at = (at + 1) % SEEN_MAX;
    if (walk->seen[at] != 0 || walk->count == SEEN_MAX / 2)
        return;
    walk->seen[at] = p->key;
    fen_write(p, walk->fen[walk->count++]);
}

static struct cltb_value value_now(struct walk *walk, struct position *p)
{
    struct cltb_value value = {0};
    if (p->castling != 0)
        GOOD(castling_value(walk->tables, p, true, &value));
    else
        GOOD(probe_value(walk->tables, p, &value));
    return value;
}

static void check(struct walk *walk, const char *fen)
{
    struct position p;
    uint32_t moves[MOVES_MAX];
    struct ranked_move ranked[CLTB_MOVES_MAX];
    struct cltb_value best = {.outcome = CLTB_DRAW};
    GOOD(fen_read(&p, fen));
    p.fifty = 0;
    const struct cltb_value value = value_now(walk, &p);
    const int count = moves_legal(&p, moves);
    if (count == 0)
        best.outcome = position_in_check(&p) ? CLTB_LOSS : CLTB_DRAW;
    for (int i = 0; i < count; i++) {
        const bool zeroing = move_is_zeroing(&p, moves[i]);
        GOOD(position_make(&p, moves[i]));
        const struct cltb_value after = value_before(value_now(walk, &p), zeroing);
        if (p.castling != 0)
            meet(walk, &p);
        GOOD(position_undo(&p));
        if (i == 0 || value_compare(after, best) < 0)
            best = after;
    }
    if (value.outcome != best.outcome || value.dtz != best.dtz)
        fail_msg("%s: %s in %d, but its moves give %s in %d", fen, cltb_outcome_name(value.outcome), value.dtz,
                 cltb_outcome_name(best.outcome), best.dtz);
    assert_int_equal(castling_moves(walk->tables, &p, ranked), count);
    if (count > 0)
        assert_int_equal(value_compare(ranked[0].value, best), 0);
    walk->only_castling +=
        count > 1 && move_is_castle(ranked[0].move) && ranked[1].value.outcome < ranked[0].value.outcome;
}

// Where the men of a position can stand whose right to castle does not keep them in place.
struct placing {
    struct walk *walk;
    int castling;
    struct man men[CASTLING_MEN_MAX];
    int count;
};

static void meet_placement(void *context)
{
    struct placing *placing = context;
    struct position p;
    for (int side = WHITE; side <= BLACK; side++) {
        GOOD(position_set(&p, placing->men, placing->count, side));
        if (!position_legal(&p))
            continue;
        GOOD(position_set_castling(&p, placing->castling));
        meet(placing->walk, &p);
    }
}

static void meet_placements(struct walk *walk, const struct position *p)
{
    struct placing placing = {.walk = walk, .castling = p->castling};
    int fixed = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int code = piece_code(WHITE, KING); code <= piece_code(BLACK, PAWN); code++)
            for (int square = 0; square < SQUARES; square++) {
                const bool stands = (castling_rooks(p->castling) >> square & 1) != 0 ||
                                    (piece_type(code) == KING && castling_of(p->castling, piece_colour(code)) != 0);
                if (p->board[square] == code && stands == (pass == 0))
                    placing.men[placing.count++] =
                        (struct man){(uint8_t)piece_type(code), (uint8_t)piece_colour(code), (uint8_t)square};
                fixed += pass == 0 && p->board[square] == code && stands;
            }
    each_placement(placing.men, fixed, placing.count, meet_placement, &placing);
}

// Checks all positions with the men and rights of this one, and all with rights that can arise from them, at most so
// many. Returns their number.
static size_t walk_from(const char *folder, const char *fen, size_t most, size_t *only_castling)
{
    struct walk walk = {.count = 0};
    struct position p;
    walk.seen = calloc(SEEN_MAX, sizeof *walk.seen);
    walk.fen = calloc(SEEN_MAX / 2, sizeof *walk.fen);
    assert_non_null(walk.seen);
    assert_non_null(walk.fen);
    GOOD(cltb_open(&walk.tables, folder, NULL));
    GOOD(fen_read(&p, fen));
    meet(&walk, &p);
    meet_placements(&walk, &p);
    size_t checked = 0;
    for (; checked < walk.count && checked < most; checked++)
        check(&walk, walk.fen[checked]);
    *only_castling += walk.only_castling;
    cltb_close(walk.tables);
    free(walk.seen);
    free(walk.fen);
    return checked;
}

TEST(test_all_positions)
{
    static const struct {
        const char *table;
        const char *fen;
    } roots[] = {{"KRvK", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"},    {"KRvK", "r3k3/8/8/8/8/8/8/4K3 w q - 0 1"},
                 {"KQvKR", "4k3/8/8/8/8/q7/8/4K2R w K - 0 1"},  {"KRvKR", "r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1"},
                 {"KRvKR", "8/4k3/8/8/8/8/1r6/R3K3 w Q - 0 1"}, {"KRRvK", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"},
                 {"KRvKP", "8/2p1k3/8/8/8/8/8/R3K3 b Q - 0 1"}, {"KRPvK", "r3k3/2p5/8/8/8/8/8/2K5 w q - 0 1"},
                 {"KRvK", "4k3/8/8/8/8/8/8/6KR w H - 0 1"},     {"KRvK", "1rk5/8/8/8/8/8/8/4K3 b b - 0 1"},
                 {"KRvKR", "1rk5/8/8/8/8/8/8/5KR1 w Gb - 0 1"}, {"KQvKR", "4k3/8/8/8/8/q7/8/1R4K1 w B - 0 1"},
                 {"KRvKB", "2b5/4k3/8/8/8/8/8/2RK4 w C - 0 1"}, {"KRRvK", "4k3/8/8/8/8/8/8/R1KR4 w DA - 0 1"}};
    size_t positions = 0;
    size_t only = 0;
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        if (sanitized() && i > 3 && i != 8)
            continue;
        make_table(roots[i].table, false);
        positions += walk_from(tables_folder, roots[i].fen, SIZE_MAX, &only);
    }
    fprintf(stderr, "%zu positions, in %zu of them only castling keeps the outcome\n", positions, only);
    assert_true(positions > 1000 && only > 0);
}

// Its only good move is to castle, as a look at the board shows: it attacks the rook or the pawn with check, or gives
// check when the queen would take the rook.
TEST(test_only_castling)
{
    static const struct {
        const char *table;
        const char *fen;
        const char *move;
        struct cltb_value value;
        int next; // the outcome of the second best move
    } cases[] = {{"KRvKR", "8/3k4/8/8/8/8/1r6/R3K3 w Q - 0 1", "e1c1", {CLTB_WIN, 3, 0}, CLTB_DRAW},
                 {"KRvKR", "r3k3/1R6/8/8/8/8/3K4/8 b q - 97 1", "e8c8", {CLTB_WIN, 3, 0}, CLTB_DRAW},
                 {"KRvKR", "r3k3/1R6/8/8/8/8/3K4/8 b q - 98 1", "e8c8", {CLTB_CURSED_WIN, 3, 0}, CLTB_DRAW},
                 {"KRvKP", "8/8/8/8/8/6kp/8/4K2R w K - 0 1", "e1g1", {CLTB_WIN, 9, 0}, CLTB_DRAW},
                 {"KRvKQ", "8/8/8/8/8/8/1q6/k3K2R w K - 0 1", "e1g1", {CLTB_DRAW, 0, 0}, CLTB_LOSS},
                 {"KRvKR", "8/3k4/8/8/8/8/1r6/R3K3 w A - 0 1", "e1a1", {CLTB_WIN, 3, 0}, CLTB_DRAW},
                 {"KRvKR", "8/3k4/8/8/8/8/1r6/R4K2 w A - 0 1", "f1a1", {CLTB_WIN, 3, 0}, CLTB_DRAW}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cltb_tables *tables;
        struct position p;
        struct ranked_move ranked[CLTB_MOVES_MAX];
        struct cltb_value value;
        char uci[UCI_MAX];
        make_table(cases[i].table, false);
        GOOD(cltb_open(&tables, tables_folder, NULL));
        GOOD(fen_read(&p, cases[i].fen));
        GOOD(castling_value(tables, &p, true, &value));
        assert_int_equal(value_compare(value_with_clock(value, p.fifty), cases[i].value), 0);
        assert_true(castling_moves(tables, &p, ranked) > 1);
        uci_write(ranked[0].move, uci);
        assert_string_equal(uci, cases[i].move);
        assert_int_equal(value_compare(ranked[0].value, cases[i].value), 0);
        assert_int_equal(ranked[1].value.outcome, cases[i].next);
        cltb_move moves[CLTB_MOVES_MAX];
        GOOD(cltb_probe_fen(tables, cases[i].fen, &value));
        assert_int_equal(value_compare(value, cases[i].value), 0);
        assert_true(cltb_root_moves_fen(tables, cases[i].fen, moves) > 1);
        assert_string_equal(moves[0].uci, cases[i].move);
        assert_int_equal(value_compare(moves[0].value, cases[i].value), 0);
        cltb_close(tables);
    }
}

TEST(test_refusals)
{
    static const char *const six = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    static const char *const missing = "4k3/8/8/8/8/8/BN6/4K2R w K - 0 1";
    cltb_tables *tables;
    struct position p;
    struct ranked_move ranked[CLTB_MOVES_MAX];
    struct cltb_value value;
    GOOD(cltb_open(&tables, tables_folder, NULL));
    GOOD(fen_read(&p, six));
    FAILS(castling_value(tables, &p, true, &value), CLTB_E_POSITION, "6 men, and castling is still possible");
    FAILS(castling_moves(tables, &p, ranked), CLTB_E_POSITION, "6 men, and castling is still possible");
    for (int again = 0; again < 2; again++) { // what failed is not kept
        GOOD(fen_read(&p, missing));
        FAILS(castling_value(tables, &p, true, &value), CLTB_E_MISSING, "KRBNvK.cltb");
        FAILS(castling_moves(tables, &p, ranked), CLTB_E_MISSING, "KRBNvK.cltb");
    }
    cltb_close(tables);
}

TEST(test_five_men)
{
    static const char *const roots[] = {"4k3/8/8/pP6/8/8/8/4K2R w K a6 0 1",  "8/2P5/8/6k1/8/8/1p6/4K2R b K - 0 1",
                                        "r3k3/8/8/8/8/8/8/R3K2R w KQq - 0 1", "r3k3/8/8/8/7B/8/8/R3K3 w Qq - 0 1",
                                        "4k3/1b6/8/8/8/q7/8/4K2R w K - 0 1",  "r3k2r/8/8/8/3n4/8/8/4K3 w kq - 0 1",
                                        "4k3/8/8/8/8/q7/8/RK5R w HA - 0 1",   "2n1k3/8/8/8/8/8/3P4/2RK4 w C - 0 1"};
    const char *folder = getenv("CLTB_TEST_TABLES");
    size_t only = 0;
    if (folder == NULL)
        skip();
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        const size_t positions = walk_from(folder, roots[i], 300000, &only);
        fprintf(stderr, "%s: %zu positions, with only castling so far %zu\n", roots[i], positions, only);
        assert_true(positions > 1000);
    }
    assert_true(only > 0);
}

TESTS(folder_make, folder_remove)
