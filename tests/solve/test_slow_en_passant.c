// test_slow_en_passant.c - en passant with five men: the capture as the only legal move, pins, two pawns that capture
//
// The naive oracle solves four men. So a search of two plies with its values at the leaves (oracle/bounds.h) gives the
// value of a position, or at least bounds: exactly in the positions listed, which is checked here, and approximately in
// random positions. These tables and their futurebases take minutes to make, so this test uses existing ones: they are
// looked for in the folder CLTB_TEST_TABLES, without which the test is skipped.
#include "support/compare_tables.h"
#include "table/path.h"

#include "chess/move.h"
#include "oracle/bounds.h"

#include <unistd.h>

enum { PLIES = 2, SAMPLE = 20000 };

static struct naive *oracle;
static cltb_tables *tables;
static char folders[1300]; // tables are looked for here

struct fact {
    const char *fen;
    enum cltb_outcome outcome;
    int dtz;
};

// Stalemate or mate but for the capture: the position is worth what the capture leads to.
static const struct fact only_move[] = {
    {"8/7Q/8/8/Pp6/1K6/8/k7 b - a3 0 1", CLTB_LOSS, 1},   {"8/7Q/8/8/Pp6/1K6/8/k7 b - - 0 1", CLTB_DRAW, 0},
    {"8/8/8/8/1pP2K2/1Q6/8/k7 b - c3 0 1", CLTB_LOSS, 1}, {"8/8/8/8/1pP2K2/1Q6/8/k7 b - - 0 1", CLTB_DRAW, 0},
    {"7K/1Q6/8/k7/pP6/8/8/8 b - b3 0 1", CLTB_LOSS, 1},   {"7K/1Q6/8/k7/pP6/8/8/8 b - - 0 1", CLTB_LOSS, 0},
    {"8/8/8/Pp6/K7/8/1q6/7k w - b6 0 1", CLTB_LOSS, 1},   {"8/8/8/8/2pP4/2K5/1R6/k7 b - d3 0 1", CLTB_LOSS, 1},
    {"8/8/8/8/2pP4/2K5/1R6/k7 b - - 0 1", CLTB_DRAW, 0},  {"8/8/5R2/k1K5/pP6/8/8/8 b - b3 0 1", CLTB_LOSS, 1},
    {"8/8/5R2/k1K5/pP6/8/8/8 b - - 0 1", CLTB_LOSS, 0},   {"2B5/8/8/k1K5/pP6/8/8/8 b - b3 0 1", CLTB_DRAW, 0},
    {"2B5/8/8/k1K5/pP6/8/8/8 b - - 0 1", CLTB_LOSS, 0},   {"8/8/8/kBK5/1Pp5/8/8/8 b - b3 0 1", CLTB_DRAW, 0},
    {"8/8/8/kBK5/1Pp5/8/8/8 b - - 0 1", CLTB_LOSS, 0},
};

// A pawn attacks the slot, but its king would be in check: along the rank when both pawns are gone (4 positions), along
// the file (2), along a diagonal on which the pawn that captures stands (5), or because it is in check already and the
// capture does not help (3); then two with colours flipped.
static const struct fact pinned[] = {
    {"6K1/8/8/8/QpP2k2/8/8/8 b - c3 0 1", CLTB_LOSS, 2},   {"8/8/8/8/1k3PpQ/8/7K/8 b - f3 0 1", CLTB_LOSS, 2},
    {"8/8/8/8/1RpPk3/2K5/8/8 b - d3 0 1", CLTB_LOSS, 2},   {"8/8/8/8/k1Pp3R/3K4/8/8 b - c3 0 1", CLTB_LOSS, 2},
    {"2k5/4K3/8/8/1Pp5/2Q5/8/8 b - b3 0 1", CLTB_LOSS, 2}, {"8/3k4/8/1K6/2Pp4/8/3R4/8 b - c3 0 1", CLTB_LOSS, 2},
    {"8/6Q1/8/8/3pP3/8/2K5/k7 b - e3 0 1", CLTB_LOSS, 2},  {"8/8/1k6/8/2Pp4/4Q3/8/4K3 b - c3 0 1", CLTB_DRAW, 0},
    {"8/4k3/8/8/1pP5/Q7/4K3/8 b - c3 0 1", CLTB_WIN, 1},   {"k7/8/8/8/3Pp3/8/4K3/7B b - d3 0 1", CLTB_LOSS, 2},
    {"8/8/8/2K2k2/4pP2/8/2B5/8 b - f3 0 1", CLTB_DRAW, 0}, {"2K5/8/8/8/1Pp5/8/Q6k/8 b - b3 0 1", CLTB_LOSS, 2},
    {"8/8/8/8/1Pp5/2K5/k3R3/8 b - b3 0 1", CLTB_LOSS, 2},  {"8/8/8/k2K4/pP6/R7/8/8 b - b3 0 1", CLTB_DRAW, 0},
    {"8/8/8/qPp2K2/8/8/8/6k1 w - c6 0 1", CLTB_LOSS, 2},   {"8/8/2k5/1rPpK3/8/8/8/8 w - d6 0 1", CLTB_LOSS, 2},
};

// The capturing pawn is pinned, but captures along the line; or its capture answers the check of the double step.
static const struct fact along_the_line[] = {
    {"6k1/8/8/7K/1Pp5/8/B7/8 b - b3 0 1", CLTB_DRAW, 0},   {"6k1/8/8/7K/1Pp5/8/B7/8 b - - 0 1", CLTB_LOSS, 2},
    {"8/8/6K1/2k5/3pP3/8/8/6B1 b - e3 0 1", CLTB_DRAW, 0}, {"8/8/6K1/2k5/3pP3/8/8/6B1 b - - 0 1", CLTB_LOSS, 2},
    {"8/8/4B3/K1k5/1Pp5/8/8/8 b - b3 0 1", CLTB_DRAW, 0},  {"8/8/4B3/K1k5/1Pp5/8/8/8 b - - 0 1", CLTB_LOSS, 2},
    {"8/2K5/8/B5k1/6pP/8/8/8 b - h3 0 1", CLTB_WIN, 1},    {"8/3K4/8/2k5/3Pp3/8/8/4R3 b - d3 0 1", CLTB_DRAW, 0},
};

// Two pawns can capture.
static const struct fact two_captures[] = {
    {"8/4k3/8/1PpP4/8/8/8/K7 w - c6 0 1", CLTB_WIN, 1},
    {"8/8/7k/5PpP/8/8/6K1/8 w - g6 0 1", CLTB_WIN, 1},
    {"8/8/8/1PpP4/1K1k4/8/8/8 w - c6 0 1", CLTB_WIN, 1},
    {"8/8/3k4/1PpP4/1K6/8/8/8 w - c6 0 1", CLTB_WIN, 1},
};

// Checks the facts with this material and returns their number.
static int check_facts(const struct fact *facts, size_t count, const struct material *material)
{
    int checked = 0;
    for (const struct fact *fact = facts; fact < facts + count; fact++) {
        struct position p;
        struct bounds bounds;
        cltb_value value;
        GOOD(fen_read(&p, fact->fen));
        struct material own = material_of(&p);
        material_normalise(&own);
        if (!material_equal(&own, material))
            continue;
        bounds_search(oracle, &p, PLIES, &bounds);
        if (!bounds_meet(&bounds) || bounds.worst.outcome != fact->outcome || bounds.worst.dtz != fact->dtz)
            fail_msg("%s: a search finds %s %d to %s %d", fact->fen, cltb_outcome_name(bounds.worst.outcome),
                     bounds.worst.dtz, cltb_outcome_name(bounds.best.outcome), bounds.best.dtz);
        GOOD(cltb_probe_fen(tables, fact->fen, &value));
        if (value.outcome != (int)fact->outcome || (value.outcome != CLTB_DRAW && value.dtz != fact->dtz))
            fail_msg("%s: %s %d, not %s %d", fact->fen, cltb_outcome_name(value.outcome), value.dtz,
                     cltb_outcome_name(fact->outcome), fact->dtz);
        checked++;
    }
    return checked;
}

#define CHECK_FACTS(facts, material) check_facts(facts, sizeof facts / sizeof facts[0], material)

// A king and a pawn a side and one white man more; Black has a pawn that attacks the square that a white pawn has just
// jumped over, or is about to (`before`). False if chance gave no such position.
static bool draw_position(struct position *p, int type, bool before)
{
    const int file = random_below(8);
    const int beside = file + (random_below(2) ? 1 : -1);
    const int slot = 16 + file;
    if (beside < 0 || beside > 7)
        return false;
    const struct man men[] = {{KING, WHITE, (uint8_t)random_below(64)},
                              {KING, BLACK, (uint8_t)random_below(64)},
                              {(uint8_t)type, WHITE, (uint8_t)random_below(64)},
                              {PAWN, WHITE, (uint8_t)(before ? slot - 8 : slot + 8)},
                              {PAWN, BLACK, (uint8_t)(24 + beside)}};
    uint64_t occupied = 0;
    for (int i = 0; i < 5; i++)
        occupied |= square_bit(men[i].square);
    if (__builtin_popcountll(occupied) < 5 || position_set(p, men, 5, before ? WHITE : BLACK) != 0)
        return false;
    return position_legal(p) && (before || position_set_en_passant(p, slot) == 0);
}

static void check_bounds(const struct position *p, int *exact)
{
    struct bounds bounds;
    const cltb_value value = probe(tables, p);
    const struct naive_value naive = {(enum cltb_outcome)value.outcome, value.outcome == CLTB_DRAW ? 0 : value.dtz};
    bounds_search(oracle, p, PLIES, &bounds);
    *exact += bounds_meet(&bounds);
    if (!bounds_hold(&bounds, naive)) {
        char fen[FEN_MAX];
        fen_write(p, fen);
        fail_msg("%s: %s %d is not between %s %d and %s %d", fen, cltb_outcome_name(value.outcome), value.dtz,
                 cltb_outcome_name(bounds.worst.outcome), bounds.worst.dtz, cltb_outcome_name(bounds.best.outcome),
                 bounds.best.dtz);
    }
}

static void check_sample(int type)
{
    int exact = 0;
    int illegal = 0;
    for (int i = 0; i < SAMPLE;) {
        struct position p;
        const bool before = i % 4 == 0;
        if (!draw_position(&p, type, before))
            continue;
        i++;
        check_bounds(&p, &exact);
        if (before || position_en_passant_legal(&p))
            continue;
        // Where no capture is legal the slot changes nothing.
        const cltb_value with = probe(tables, &p);
        position_set_en_passant(&p, NO_SQUARE);
        const cltb_value without = probe(tables, &p);
        assert_int_equal(with.outcome, without.outcome);
        assert_int_equal(with.dtz, without.dtz);
        illegal++;
    }
    assert_true(exact > SAMPLE / 20); // so that the bounds are tight enough to prove something
    assert_true(illegal > SAMPLE / 50);
}

static const struct endgame {
    const char *name;
    uint8_t type;            // of White's fifth man
    const char *captures[3]; // what a capture leads to
} endgames[] = {{"KQPvKP", QUEEN, {"KPvKP", "KQvKP", "KQPvK"}},
                {"KRPvKP", ROOK, {"KPvKP", "KRvKP", "KRPvK"}},
                {"KBPvKP", BISHOP, {"KPvKP", "KBvKP", "KBPvK"}},
                {"KPPvKP", PAWN, {"KPvKP", "KPvKP", "KPPvK"}}};

// Skips the test if the table does not exist.
static void test_endgame(void **state)
{
    const struct endgame *endgame = *state;
    const struct build_options options = {.dir = tables_folder, .search = folders, .device = "cpu", .threads = 2};
    const struct material material = material_named(endgame->name);
    char path[1400];
    if (table_locate(path, sizeof path, folders, &material) != 0)
        skip();
    GOOD(build_table(&material, &options));
    assert_int_equal(cltb_open(&tables, folders, NULL), 0);
    for (int i = 0; i < 3; i++)
        oracle_solve(&oracle, endgame->captures[i]);
    if (endgame->type == PAWN) {
        assert_int_equal(CHECK_FACTS(two_captures, &material), 4);
    } else {
        assert_true(CHECK_FACTS(only_move, &material) >= 3);
        assert_true(CHECK_FACTS(pinned, &material) >= 2);
        CHECK_FACTS(along_the_line, &material);
        check_sample(endgame->type);
    }
    cltb_close(tables);
}

static int setup(void **state)
{
    if (folder_make(state) != 0)
        return -1;
    snprintf(folders, sizeof folders, "%s:%s", tables_folder, getenv("CLTB_TEST_TABLES"));
    return 0;
}

static int teardown(void **state)
{
    naive_free(oracle);
    return folder_remove(state);
}

int main(void)
{
    if (getenv("CLTB_TEST_TABLES") == NULL)
        return 77; // skipped
    const struct CMUnitTest tests[] = {
        {"a queen", test_endgame, NULL, NULL, (void *)&endgames[0]},
        {"a rook", test_endgame, NULL, NULL, (void *)&endgames[1]},
        {"a bishop", test_endgame, NULL, NULL, (void *)&endgames[2]},
        {"two pawns", test_endgame, NULL, NULL, (void *)&endgames[3]},
    };
    return cmocka_run_group_tests_name("en passant, five men", tests, setup, teardown);
}
