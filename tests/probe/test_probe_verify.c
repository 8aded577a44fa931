// test_probe_verify.c - the verifier and the statistics, on tables filled by the naive oracle and corrupted by the test
//
// This file replaces table/table.c: KQvK, KRvK and KBvK come from tests/oracle. One entry can be given another value;
// the verifier must find it, whichever part of the value is wrong, on whichever side.
#include "support/support.h"

#include <cltb/cltb.h>

#include "check/stats.h"
#include "check/verify.h"
#include "chess/fen.h"
#include "index/square.h"
#include "oracle/naive.h"
#include "table/table.h"

struct table {
    struct table_info info;
    const struct naive *oracle;
};

// What is wrong: every image under symmetry of one position.
static struct corrupted {
    bool on;
    struct position position;
    int outcome;  // what is stored instead
    int distance; // -1: the true one
} corrupted;

static bool stored_side[COLOURS];
static bool file_is_bad;
static const char *const names[] = {"KQvK", "KRvK", "KBvK"};

// What the heads of these tables say: positions that White wins, that Black draws and that Black loses, and the longest
// distances (as in the golden histograms).
static const struct {
    uint64_t won;
    uint64_t drawn[COLOURS];
    uint64_t lost;
    int longest_win;
    int longest_loss;
} heads[] = {
    {144508, {0, 23048}, 200896, 19, 20}, {175168, {0, 22244}, 201700, 31, 32}, {0, {193284, 223944}, 0, -1, -1}};
static int wrong_figure; // 0: none
static struct naive *oracles[3];
static char folder[TEST_PATH_MAX];

static bool is_image(const struct position *a, const struct position *b)
{
    for (int g = 0; g < SYMMETRIES && a->side == b->side; g++) {
        bool same = true;
        for (int square = 0; square < SQUARES && same; square++)
            same = a->board[square] == b->board[square_apply(g, square)];
        if (same)
            return true;
    }
    return false;
}

static bool is_corrupted(const struct position *p)
{
    return corrupted.on && is_image(p, &corrupted.position);
}

int table_open(struct table **result, const char *path, struct block_cache *cache)
{
    int i = 0;
    while (strstr(path, names[i]) == NULL)
        i++;
    struct table *table = calloc(1, sizeof *table);
    assert_non_null(table);
    *table = (struct table){.oracle = oracles[i], .info.material = material_named(names[i])};
    struct table_info *info = &table->info;
    memset(info->longest, -1, sizeof info->longest);
    info->positions[WHITE][CLTB_WIN + 2] = heads[i].won;
    info->positions[WHITE][CLTB_DRAW + 2] = heads[i].drawn[WHITE];
    info->positions[BLACK][CLTB_DRAW + 2] = heads[i].drawn[BLACK];
    info->positions[BLACK][CLTB_LOSS + 2] = heads[i].lost + (wrong_figure == 1);
    info->longest[WHITE][CLTB_WIN + 2] = heads[i].longest_win + (wrong_figure == 2);
    info->longest[BLACK][CLTB_LOSS + 2] = heads[i].longest_loss;
    info->longest[BLACK][CLTB_BLESSED_LOSS + 2] += wrong_figure == 3;
    *result = table;
    return 0;
}

void table_close(struct table *table)
{
    free(table);
}

const struct table_info *table_info(const struct table *table)
{
    return &table->info;
}

static struct naive_value value_of(const struct table *table, const struct position *position)
{
    struct naive_value value;
    GOOD(naive_query(table->oracle, position, &value));
    return value;
}

// The number in the unit is the outcome + 2.
struct cached_spot table_find_outcome(const struct table *table, const struct position *position)
{
    const int outcome = is_corrupted(position) ? corrupted.outcome : value_of(table, position).outcome;
    return (struct cached_spot){.at = (uint32_t)(outcome + 2)};
}

int table_read_outcome(struct table *table, const struct cached_spot *spot, int *outcome)
{
    *outcome = (int)spot->at - 2;
    return 0;
}

int table_outcome(struct table *table, const struct position *position, int *outcome)
{
    const struct cached_spot spot = table_find_outcome(table, position);
    return table_read_outcome(table, &spot, outcome);
}

bool table_has_distance(const struct table *table, const struct position *position)
{
    return stored_side[position->side];
}

int table_distance(struct table *table, const struct position *position, int outcome, int *ply)
{
    *ply = is_corrupted(position) && corrupted.distance >= 0 ? corrupted.distance : value_of(table, position).dtz;
    if (outcome == CLTB_WIN && *ply == 1)
        *ply = 17; // any number
    return 0;
}

// Only needed to count from slabs, which this test does not do: there are no entries to read.
const struct entry_order *table_order(const struct table *table, enum table_kind kind, int side)
{
    return NULL;
}

static int no_entries(void)
{
    return error_set(CLTB_E_MISSING, "no entries");
}

int table_symbol(struct table *table, enum table_kind kind, int side, uint64_t entry, unsigned *value)
{
    return no_entries();
}

int table_readings(const struct table *table, int side, int code_bits, enum table_reading reading[TABLE_READINGS_MAX])
{
    return 0;
}

enum table_kind table_reading_kind(enum table_reading reading)
{
    return TABLE_OUTCOME;
}

uint32_t table_unit(const struct table *table, enum table_reading reading, int side)
{
    return 1;
}

int table_read_units(const struct table *table, enum table_reading reading, const struct table_units *units,
                     uint8_t *symbols)
{
    return no_entries();
}

int table_open_material(struct table **table, const char *path, const struct material *material)
{
    return no_entries();
}

int table_open_outcomes(struct table **table, const char *path, const struct material *material)
{
    return no_entries();
}

int table_invalid(const struct table *table, const char *what)
{
    return error_set(CLTB_E_CORRUPT, "%s", what);
}

// These files have no statistics.
int table_statistics(const struct table *table, uint8_t **data, size_t *bytes)
{
    *data = NULL;
    return 0;
}

int table_check(struct table *table)
{
    return file_is_bad ? error_set(CLTB_E_CORRUPT, "bad checksum") : 0;
}

static int set_up(void **state)
{
    test_folder_make(folder);
    for (int i = 0; i < 3; i++) {
        const struct man men[] = {{KING, WHITE, 0}, {(uint8_t)(QUEEN + i), WHITE, 0}, {KING, BLACK, 0}};
        write_file(table_in(folder, names[i]), "", 0);
        GOOD(naive_solve(&oracles[i], men, 3));
    }
    return pool_setup(state);
}

static int tear_down(void **state)
{
    for (int i = 0; i < 3; i++)
        naive_free(oracles[i]);
    test_folder_remove(folder);
    return pool_teardown(state);
}

static int verify(const char *name, uint64_t sample, struct verify_result *result)
{
    cltb_tables *tables;
    const struct material material = material_named(name);
    const struct verify_options options = {.sample = sample, .seed = 1, .pool = test_pool};
    GOOD(cltb_open(&tables, folder, NULL));
    const int code = verify_table(tables, &material, &options, result);
    cltb_close(tables);
    return code;
}

// Which sides store distances: White, Black, both.
static void store(int which)
{
    stored_side[WHITE] = which != 1;
    stored_side[BLACK] = which != 0;
    corrupted.on = false;
    file_is_bad = false;
}

TEST(test_right_tables)
{
    struct verify_result result;
    for (int which = 0; which < 3; which++) {
        store(which);
        for (int i = 0; i < 3; i++) {
            GOOD(verify(names[i], 0, &result));
            assert_true(result.positions > 40000);
            GOOD(verify(names[i], 5000, &result));
            assert_int_equal(result.positions, 5000);
        }
    }
}

// What the message names is a position whose moves differ: the corrupted one, or one that a move into it leaves.
TEST(test_wrong_entries)
{
    static const struct {
        const char *fen;
        int outcome;
        int distance;
        int which; // sides that store distances; the corrupted one must be among them if a distance is corrupted
    } facts[] = {
        {"8/8/8/8/4k3/8/1Q6/K7 b - - 0 1", CLTB_LOSS, 18, 1},         // a loss of 20
        {"8/8/8/8/4k3/8/1Q6/K7 b - - 0 1", CLTB_LOSS, 22, 2},         //
        {"8/8/8/8/4k3/8/1Q6/K7 b - - 0 1", CLTB_DRAW, -1, 0},         //
        {"8/8/8/8/4k3/8/1Q6/K7 b - - 0 1", CLTB_WIN, 5, 2},           //
        {"8/8/8/8/4k3/8/1Q6/K7 b - - 0 1", CLTB_BLESSED_LOSS, 20, 2}, //
        {"8/8/8/8/4k3/8/1Q6/1K6 w - - 0 1", CLTB_DRAW, -1, 0},        // a win
        {"8/8/8/8/4k3/8/1Q6/1K6 w - - 0 1", CLTB_WIN, 3, 0},          //
        {"8/8/8/8/4k3/8/1Q6/1K6 w - - 0 1", CLTB_CURSED_WIN, 101, 2}, //
        {"7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", CLTB_LOSS, 2, 1},          // checkmate
        {"7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", CLTB_DRAW, -1, 0},         //
        {"7k/8/5KQ1/8/8/8/8/8 b - - 0 1", CLTB_LOSS, 0, 1},           // stalemate
        {"7k/8/5KQ1/8/8/8/8/8 b - - 0 1", CLTB_WIN, 1, 1},            //
    };
    struct verify_result result;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct position found;
        char fen[FEN_MAX];
        store(facts[i].which);
        GOOD(fen_read(&corrupted.position, facts[i].fen));
        corrupted.on = true;
        corrupted.outcome = facts[i].outcome;
        corrupted.distance = facts[i].distance;
        if (verify("KQvK", 0, &result) != CLTB_E_MISMATCH)
            fail_msg("fact %d, %s: not found", (int)i, facts[i].fen);
        assert_non_null(strstr(result.fault, "the legal moves say"));
        snprintf(fen, sizeof fen, "%.*s", (int)strcspn(result.fault, ":"), result.fault);
        GOOD(fen_read(&found, fen));
        assert_true(is_image(&found, &corrupted.position) || found.side != corrupted.position.side);
    }
}

// All values are right, but the head says something else.
TEST(test_wrong_head)
{
    static const char *const said[] = {"positions with Black to move are loss", "longest win with White to move",
                                       "longest blessed-loss with Black to move"};
    struct verify_result result;
    store(0);
    for (wrong_figure = 1; wrong_figure <= 3; wrong_figure++) {
        assert_int_equal(verify("KQvK", 0, &result), CLTB_E_MISMATCH);
        if (strstr(result.fault, said[wrong_figure - 1]) == NULL)
            fail_msg("%s", result.fault);
        assert_int_equal(verify("KQvK", 1000, &result), 0); // a sample cannot tell
    }
    wrong_figure = 0;
}

TEST(test_bad_file)
{
    struct verify_result result;
    store(0);
    file_is_bad = true;
    assert_int_equal(verify("KQvK", 0, &result), CLTB_E_CORRUPT);
    assert_int_equal(result.positions, 0);
    file_is_bad = false;
    assert_int_equal(verify("KNvK", 0, &result), CLTB_E_MISSING);
}

// The statistics against the oracle's own counts.
TEST(test_stats)
{
    store(0);
    for (int i = 0; i < 3; i++) {
        cltb_tables *tables;
        const struct material material = material_named(names[i]);
        struct stats *stats;
        GOOD(cltb_open(&tables, folder, NULL));
        GOOD(stats_count(&stats, tables, &material, test_pool, NULL));
        for (int side = WHITE; side <= BLACK; side++)
            for (int slot = 0; slot < TABLE_OUTCOMES; slot++)
                for (int ply = 0; ply < 40; ply++)
                    assert_int_equal(stats->bin[side][slot][ply].count,
                                     naive_count(oracles[i], side, (enum cltb_outcome)(slot - 2), ply));
        stats_free(stats);
        cltb_close(tables);
    }
}

TESTS(set_up, tear_down)
