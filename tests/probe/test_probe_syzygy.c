// test_probe_syzygy.c - probing with Syzygy files: official ones of 3 men against tables
//
// Every position of KQvK, KRvK, KBvK, KNvK and KPvK must have the table's outcome and its distance, up to rounding.
// Then folders with both kinds of files, or with a part of them.
#include "support/compare_tables.h"
#include "support/support.h"

#include <cltb/cltb.h>

#include "chess/fen.h"
#include "probe/probe.h"

static const char *const names[] = {"KQvK", "KRvK", "KBvK", "KNvK", "KPvK"};
enum { NAMES = sizeof names / sizeof names[0] };

static cltb_tables *tables; // ours
static cltb_tables *syzygy;

static cltb_tables *open_folders(const char *folders)
{
    cltb_tables *opened;
    GOOD(cltb_open(&opened, folders, NULL));
    return opened;
}

static int set_up(void **state)
{
    if (folder_make(state) != 0)
        return -1;
    make_table("KPvK", false);
    tables = open_folders(tables_folder);
    syzygy = open_folders(data_path("syzygy"));
    return 0;
}

static int tear_down(void **state)
{
    cltb_close(tables);
    cltb_close(syzygy);
    return folder_remove(state);
}

static struct man men[3];
static int positions;
static int rounded;

static void compare_placement(void *context)
{
    // The other half are mirror images.
    for (int side = WHITE; side <= BLACK && square_file(men[0].square) < 4; side++) {
        static struct position p;
        struct cltb_value right = {.outcome = CLTB_UNKNOWN};
        struct cltb_value value = {.outcome = CLTB_UNKNOWN};
        int outcome = CLTB_UNKNOWN;
        GOOD(position_set(&p, men, 3, side));
        if (!position_legal(&p))
            continue;
        GOOD(probe_value(tables, &p, &right));
        GOOD(probe_value(syzygy, &p, &value));
        GOOD(probe_outcome(syzygy, &p, &outcome));
        const bool fits = value.dtz == right.dtz || (value.rounded && value.dtz + 1 == right.dtz);
        if (value.outcome != right.outcome || outcome != right.outcome || !fits) {
            char fen[FEN_MAX];
            fen_write(&p, fen);
            fail_msg("%s: outcome %d (alone: %d), dtz %d%s, should be %d, %d", fen, value.outcome, outcome, value.dtz,
                     value.rounded ? " or one more" : "", right.outcome, right.dtz);
        }
        positions++;
        rounded += value.rounded;
    }
}

TEST(test_all_positions)
{
    static const int type[] = {QUEEN, ROOK, BISHOP, KNIGHT, PAWN};
    static const int legal[] = {184226, 199556, 208614, 214720, 165676};
    for (int i = 0; i < NAMES; i++)
        for (int colour = WHITE; colour <= (sanitized() ? WHITE : BLACK); colour++) {
            men[0] = (struct man){KING, WHITE, 0};
            men[1] = (struct man){KING, BLACK, 0};
            men[2] = (struct man){(uint8_t)type[i], (uint8_t)colour, 0};
            positions = rounded = 0;
            each_placement(men, 0, 3, compare_placement, NULL);
            assert_int_equal(positions, legal[i]);
            assert_int_equal(rounded > 0, type[i] != BISHOP && type[i] != KNIGHT);
        }
}

TEST(test_values)
{
    static const struct {
        const char *fen;
        cltb_value value;
    } facts[] = {
        {"8/8/8/8/8/2k5/8/K5R1 b - - 0 1", {CLTB_LOSS, 30, 1}},
        {"8/8/8/8/8/2k5/8/K5R1 b - - 69 1", {CLTB_LOSS, 30, 1}},
        {"8/8/8/8/8/2k5/8/K5R1 b - - 71 1", {CLTB_BLESSED_LOSS, 30, 1}},
        // What follows from the moves: mated, mate in one, mated in two plies, stalemate.
        {"k6R/8/1K6/8/8/8/8/8 b - - 0 1", {CLTB_LOSS, 0, 0}},
        {"k7/7R/1K6/8/8/8/8/8 w - - 0 1", {CLTB_WIN, 1, 0}},
        {"k7/7R/1K6/8/8/8/8/8 b - - 0 1", {CLTB_LOSS, 2, 0}},
        {"8/8/8/8/8/8/1R6/k1K5 b - - 0 1", {CLTB_DRAW, 0, 0}},
        // The king takes the rook; a pawn promotes.
        {"8/8/8/8/8/2k5/3R4/K7 b - - 0 1", {CLTB_DRAW, 0, 0}},
        {"8/4P3/8/8/8/2k5/8/K7 w - - 0 1", {CLTB_WIN, 1, 0}},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        cltb_value value;
        GOOD(cltb_probe_fen(syzygy, facts[i].fen, &value));
        if (memcmp(&value, &facts[i].value, sizeof value) != 0)
            fail_msg("%s: %d %d %d", facts[i].fen, value.outcome, value.dtz, value.rounded);
    }
    // Moves keep the rounding unless they are zeroing.
    cltb_position position;
    cltb_move moves[CLTB_MOVES_MAX];
    GOOD(cltb_position_from_fen(&position, "8/8/4P3/8/8/2k5/8/K7 w - - 0 1"));
    const int count = cltb_root_moves(syzygy, &position, moves);
    assert_int_equal(count, 3);
    assert_string_equal(moves[0].uci, "e6e7");
    assert_int_equal(moves[0].value.rounded, 0);
    GOOD(cltb_position_from_fen(&position, "8/8/8/8/8/2k5/8/2K2R2 w - - 0 1"));
    assert_int_equal(cltb_root_moves(syzygy, &position, moves), 13);
    assert_memory_equal(&moves[0].value, (&(cltb_value){CLTB_WIN, 25, 1}), sizeof(cltb_value));
}

static void copy(const char *folder, const char *name)
{
    char path[TEST_PATH_MAX + 40];
    struct bytes bytes;
    snprintf(path, sizeof path, "%s/%s", data_path("syzygy"), name);
    bytes = read_file(path);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_file(path, bytes.data, bytes.size);
    free(bytes.data);
}

TEST(test_folders)
{
    static const char won[] = "8/8/8/8/8/2k5/8/K5R1 b - - 0 1";
    char folder[TEST_PATH_MAX];
    char both[3 * TEST_PATH_MAX];
    cltb_value value;
    cltb_position position;
    int outcome = CLTB_UNKNOWN;
    assert_int_equal(cltb_complete_men(syzygy), 3);
    assert_int_equal(cltb_has_table(syzygy, "KRvK"), 1);
    assert_int_equal(cltb_has_table(syzygy, "KQvKR"), 0);
    // A table is preferred, even in a later folder.
    snprintf(both, sizeof both, "%s:%s", data_path("syzygy"), tables_folder);
    cltb_tables *mixed = open_folders(both);
    GOOD(cltb_probe_fen(mixed, won, &value));
    assert_memory_equal(&value, (&(cltb_value){CLTB_LOSS, 30, 0}), sizeof value);
    cltb_close(mixed);
    // Outcomes without distances.
    test_folder_make(folder);
    copy(folder, "KRvK.rtbw");
    mixed = open_folders(folder);
    GOOD(cltb_position_from_fen(&position, won));
    GOOD(cltb_probe_outcome(mixed, &position, &outcome));
    assert_int_equal(outcome, CLTB_LOSS);
    FAILS(cltb_probe(mixed, &position, &value), CLTB_E_MISSING, "KRvK.rtbw has outcomes only");
    cltb_close(mixed);
    // Distances without outcomes are not used; damage is reported.
    copy(folder, "KQvK.rtbz");
    copy(folder, "KPvK.rtbw");
    snprintf(both, sizeof both, "%s/KPvK.rtbw", folder);
    struct bytes bytes = read_file(both);
    write_file(both, bytes.data, bytes.size - 64);
    free(bytes.data);
    mixed = open_folders(folder);
    assert_int_equal(cltb_has_table(mixed, "KQvK"), 0);
    assert_int_equal(cltb_has_table(mixed, "KRvK"), 1);
    FAILS(cltb_has_table(mixed, "KPvK"), CLTB_E_CORRUPT, "KPvK.rtbw is damaged");
    assert_int_equal(cltb_complete_men(mixed), 2);
    cltb_close(mixed);
    test_folder_remove(folder);
}

TESTS(set_up, tear_down)
