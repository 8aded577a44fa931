// test_dobutsu_probe.c - probing dobutsu shogi: values, moves in order and lines against the golden files
//
// This file replaces host/dobutsu/table_read.c: a "table" knows the codes of tests/data/dobutsu, and asking it for
// another one is an error, unless a test sets what else it answers.
#include "support/dobutsu_golden.h"

#include <cltb/dobutsu.h>

#include "dobutsu/probe.h"
#include "dobutsu/table.h"

#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "dobutsu_probe_folder"

enum { SLOTS = 1 << 14, NOTHING = -1 };

static struct {
    uint32_t code;
    int byte;
} known[SLOTS];

static int otherwise = NOTHING; // the byte of codes that are not known

static size_t slot_of(uint32_t code)
{
    code = dobutsu_canonical(code);
    size_t i = code * UINT32_C(2654435761) >> 18;
    while (known[i].byte != NOTHING && known[i].code != code)
        i = (i + 1) % SLOTS;
    return i;
}

static void learn(uint32_t code, int byte)
{
    const size_t i = slot_of(code);
    assert_true(known[i].byte == NOTHING || known[i].byte == byte);
    known[i].code = dobutsu_canonical(code);
    known[i].byte = byte;
}

int dobutsu_table_open(struct dobutsu_table **table, const char *path, size_t cache_bytes)
{
    assert_true(cache_bytes > 0);
    assert_int_equal(access(path, F_OK), 0);
    *table = (struct dobutsu_table *)known; // never looked into
    return 0;
}

int dobutsu_table_open_raw(struct dobutsu_table **table, const char *path)
{
    return CLTB_E_USAGE;
}

void dobutsu_table_close(struct dobutsu_table *table)
{
    assert_non_null(table);
}

int dobutsu_table_value(struct dobutsu_table *table, uint32_t code, uint8_t *value)
{
    assert_non_null(table);
    assert_true(code < DOBUTSU_CODES);
    int byte = known[slot_of(code)].byte;
    byte = byte == NOTHING ? otherwise : byte;
    if (byte == NOTHING)
        return error_set(CLTB_E_IO, "code %u is not in the test's data", (unsigned)code);
    *value = (uint8_t)byte;
    return 0;
}

static int group_setup(void **state)
{
    struct golden g;
    struct golden_move moves[DOBUTSU_MOVES_MAX];
    for (size_t i = 0; i < SLOTS; i++)
        known[i].byte = NOTHING;
    golden_open(&g, "dobutsu-positions.tsv");
    while (golden_next(&g)) {
        if (strcmp(g.field[GOLDEN_TEXT], "-") != 0)
            learn(golden_number(&g, GOLDEN_CODE), (int)golden_number(&g, GOLDEN_BYTE));
        const int count = golden_moves(&g, moves);
        for (int i = 0; i < count; i++)
            if (moves[i].has_code)
                learn(moves[i].code, moves[i].byte);
    }
    golden_open(&g, "dobutsu-line-values.tsv");
    while (golden_next(&g))
        learn(golden_number(&g, 0), (int)golden_number(&g, 1));
    mkdir(FOLDER, 0777);
    write_file(FOLDER "/" DOBUTSU_FILE, "", 0);
    return cltb_dobutsu_open((cltb_dobutsu **)state, "nowhere:" FOLDER, NULL);
}

static int group_teardown(void **state)
{
    cltb_dobutsu_close(*state);
    return unlink(FOLDER "/" DOBUTSU_FILE) != 0 || rmdir(FOLDER) != 0;
}

static void check_byte(cltb_dobutsu_value value, int byte)
{
    const int decided = byte % 2 == 0 ? CLTB_WIN : CLTB_LOSS;
    assert_int_equal(value.byte, byte);
    assert_int_equal(value.outcome, byte == 254 ? CLTB_DRAW : decided);
    assert_int_equal(value.plies, byte == 254 ? 0 : byte + 1);
}

// The better one first; equal ones in the alphabetical order of `name`.
static bool in_order(const cltb_dobutsu_move *a, const char *a_name, const cltb_dobutsu_move *b, const char *b_name)
{
    if (a->value.outcome != b->value.outcome)
        return a->value.outcome > b->value.outcome;
    if (a->value.plies != b->value.plies)
        return (a->value.plies < b->value.plies) == (a->value.outcome == CLTB_WIN);
    return strcmp(a_name, b_name) < 0;
}

// A move with the board turned: a <-> c, 1 <-> 4, 2 <-> 3.
static void turn_move(const char *move, char *turned)
{
    static const char from[] = "abc1234";
    static const char to[] = "cba4321";
    do {
        const char *at = *move != '\0' ? strchr(from, *move) : NULL;
        *turned++ = at != NULL ? to[at - from] : *move;
    } while (*move++ != '\0');
}

// The text of the same position with Gote to move.
static void turn_text(const char *text, char turned[DOBUTSU_TEXT_MAX])
{
    struct dobutsu p = position_of(text);
    p.turned = true;
    dobutsu_write(&p, turned);
    assert_int_equal(turned[0], 'G');
}

static void check_position(cltb_dobutsu *table, const char *text, bool turned, const struct golden *g)
{
    cltb_dobutsu_value value;
    cltb_dobutsu_move moves[CLTB_DOBUTSU_MOVES_MAX];
    char name[2][CLTB_DOBUTSU_MOVE_MAX]; // of the last move and of this one, as the mover sees them
    struct golden_move golden[DOBUTSU_MOVES_MAX];
    const int byte = (int)golden_number(g, GOLDEN_BYTE);
    const int golden_count = golden_moves(g, golden);
    assert_int_equal(cltb_dobutsu_probe(table, text, &value), 0);
    check_byte(value, byte);
    if (golden_count < 0)
        return;
    const int count = cltb_dobutsu_moves(table, text, moves);
    assert_int_equal(count, golden_count);
    for (int i = 0; i < count; i++) {
        int at = 0;
        snprintf(name[i % 2], sizeof name[0], "%s", moves[i].move);
        if (turned)
            turn_move(moves[i].move, name[i % 2]);
        while (at < count && strcmp(golden[at].name, name[i % 2]) != 0)
            at++;
        assert_true(at < count);
        assert_int_equal(moves[i].wins, golden[at].wins);
        if (golden[at].wins) {
            assert_string_equal(moves[i].after, "");
            check_byte(moves[i].value, 0);
        } else {
            const struct dobutsu after = position_of(moves[i].after);
            uint32_t code = 0;
            assert_int_equal(dobutsu_encode(&after, &code), golden[at].has_code);
            assert_true(!golden[at].has_code || dobutsu_canonical(code) == golden[at].code);
            check_byte(moves[i].value, golden[at].byte == 254 ? 254 : golden[at].byte + 1);
        }
        assert_true(i == 0 || in_order(&moves[i - 1], name[1 - i % 2], &moves[i], name[i % 2]));
    }
    if (count > 0)
        check_byte(moves[0].value, byte);
}

TEST(test_golden_positions)
{
    struct golden g;
    char text[DOBUTSU_TEXT_MAX];
    int positions = 0;
    int with_moves = 0;
    golden_open(&g, "dobutsu-positions.tsv");
    while (golden_next(&g)) {
        if (strcmp(g.field[GOLDEN_TEXT], "-") == 0)
            continue;
        check_position(*state, g.field[GOLDEN_TEXT], false, &g);
        turn_text(g.field[GOLDEN_TEXT], text);
        check_position(*state, text, true, &g);
        positions++;
        with_moves += strcmp(g.field[GOLDEN_MOVES], "-") != 0;
    }
    assert_int_equal(positions, 1561);
    assert_int_equal(with_moves, 300);
}

TEST(test_golden_line)
{
    enum { PLIES = 78 };
    static char expected[PLIES][CLTB_DOBUTSU_MOVE_MAX];
    static char position[PLIES][CLTB_DOBUTSU_TEXT_MAX];
    struct golden g;
    int byte[PLIES];
    int row = 0;
    golden_open(&g, "dobutsu-line.tsv");
    for (; golden_next(&g); row++) {
        if (row > 0)
            snprintf(expected[row - 1], sizeof expected[0], "%s", g.field[1]);
        if (row == PLIES)
            continue; // the end of the game
        snprintf(position[row], sizeof position[0], "%s", g.field[2]);
        byte[row] = (int)golden_number(&g, 4);
    }
    assert_int_equal(row, PLIES + 1);
    for (int ply = 0; ply < PLIES; ply++) {
        cltb_dobutsu_value value;
        char line[CLTB_DOBUTSU_LINE_MAX][CLTB_DOBUTSU_MOVE_MAX];
        assert_int_equal(cltb_dobutsu_probe(*state, position[ply], &value), 0);
        check_byte(value, byte[ply]);
        assert_int_equal(cltb_dobutsu_line(*state, position[ply], line), PLIES - ply);
        for (int i = ply; i < PLIES; i++)
            assert_string_equal(line[i - ply], expected[i]);
    }
}

TEST(test_empty_lines)
{
    char line[CLTB_DOBUTSU_LINE_MAX][CLTB_DOBUTSU_MOVE_MAX];
    assert_int_equal(cltb_dobutsu_line(*state, "S/lEG/EGL/-CC/---/-", line), 0);      // no move
    assert_int_equal(cltb_dobutsu_line(*state, "S/---/---/L--/--l/ccggee", line), 0); // over
}

enum { FAULT = -100 };

static const struct outside {
    const char *text;
    int otherwise;    // what the table says of all positions that it holds; NOTHING: it must not be asked
    int outcome;      // FAULT: CLTB_E_POSITION
    int plies;        //
    const char *best; // NULL: there is no move
} outside[] = {
    // lions side by side: the side to move takes
    {"S/---/-l-/-L-/---/CCGGEE", NOTHING, CLTB_WIN, 1, "Lb3xb2"},
    {"S/--l/-L-/---/---/ccggee", NOTHING, CLTB_WIN, 1, "Lb2-a1"},
    {"S/CLl/---/---/---/cggee", NOTHING, CLTB_WIN, 1, "Lb1xc1"},
    // the opponent's lion has ascended ...
    {"S/---/---/L--/--l/ccggee", NOTHING, CLTB_LOSS, 0, NULL},
    {"S/---/---/CG-/-lL/cgee", NOTHING, CLTB_WIN, 1, "Gb3xb4"},
    {"S/L--/---/-C-/-l-/CGGEE", NOTHING, CLTB_LOSS, 0, NULL}, // a chick does not attack backwards
    {"S/L--/---/---/El-/CCGGe", NOTHING, CLTB_LOSS, 0, NULL}, // even if one's own lion stands on its far rank
    // ... but not to a square that is attacked by a man or by the lion
    {"S/---/---/L-G/--l/CCGEe", NOTHING, CLTB_WIN, 1, "Gc3xc4"},
    {"S/---/---/-L-/--l/ccggee", NOTHING, CLTB_WIN, 1, "Lb3xc4"},
    {"S/L--/---/E--/-l-/CCGGe", NOTHING, CLTB_WIN, 1, "Ea3xb4"},
    // the own lion stands on its far rank and can move there to a safe square, taking a man too
    {"S/-L-/---/l--/---/CCGGEE", NOTHING, CLTB_WIN, 1, "Lb1-a1"},
    {"S/Cg-/---/---/lL-/cGee", NOTHING, CLTB_WIN, 1, "Lb4xa4"},
    {"S/Lg-/---/l--/---/CCGEE", NOTHING, CLTB_WIN, 1, "La1xb1"},
    // all its moves lose it
    {"S/L--/gg-/--l/---/CCEE", NOTHING, CLTB_LOSS, 2, "C*a3"},
    // all but one, which the database knows
    {"S/LC-/g--/--l/---/CGEE", DOBUTSU_DRAW, CLTB_DRAW, 0, "La1xa2"},
    {"S/LC-/g--/--l/---/CGEE", 76, CLTB_LOSS, 78, "La1xa2"},
    {"S/LC-/g--/--l/---/CGEE", 1, CLTB_WIN, 3, "La1xa2"},
    {"S/LC-/g--/--l/---/CGEE", 171, CLTB_WIN, 173, "La1xa2"},
    // moves that leave it there lose to an ascension ...
    {"S/LC-/---/--l/---/CGGEE", 3, CLTB_WIN, 5, "La1-a2"},
    {"S/LC-/---/--l/---/CGGEE", DOBUTSU_DRAW, CLTB_DRAW, 0, "La1-a2"},
    // ... or go on outside: then only a win in 3 is sure to be the fastest
    {"S/LC-/---/--l/-gg/CEE", 1, CLTB_WIN, 3, "La1-a2"},
    {"S/LC-/---/--l/-gg/CEE", 3, FAULT, 0, NULL},
    {"S/LC-/---/--l/-gg/CEE", DOBUTSU_DRAW, FAULT, 0, NULL},
    {"S/LC-/---/--l/-gg/CEE", 76, FAULT, 0, NULL},
};

static void check_outside(cltb_dobutsu *table, const struct outside *row, const char *text, bool turned)
{
    cltb_dobutsu_value value;
    cltb_dobutsu_move moves[CLTB_DOBUTSU_MOVES_MAX];
    char best[CLTB_DOBUTSU_MOVE_MAX];
    otherwise = row->otherwise;
    const int code = cltb_dobutsu_probe(table, text, &value);
    if (row->outcome == FAULT) {
        FAILS(code, CLTB_E_POSITION, turned ? "Gote's lion" : "Sente's lion");
        assert_int_equal(cltb_dobutsu_moves(table, text, moves), CLTB_E_POSITION);
        return;
    }
    const int byte = value.outcome == CLTB_DRAW ? 254 : value.plies - 1; // CLTB_DOBUTSU_NO_BYTE is -1
    assert_int_equal(code, 0);
    assert_int_equal(value.outcome, row->outcome);
    assert_int_equal(value.plies, row->plies);
    assert_int_equal(value.byte, byte);
    if (otherwise == NOTHING && value.plies == 1)
        otherwise = DOBUTSU_DRAW; // other moves than the winning one
    const int count = cltb_dobutsu_moves(table, text, moves);
    assert_true(row->best == NULL ? count == 0 : count > 0);
    if (row->best == NULL)
        return;
    memcpy(best, moves[0].move, sizeof best);
    if (turned)
        turn_move(moves[0].move, best);
    assert_string_equal(best, row->best);
    assert_memory_equal(&moves[0].value, &value, sizeof value);
}

TEST(test_outside)
{
    for (const struct outside *row = outside; row < outside + sizeof outside / sizeof outside[0]; row++) {
        char text[DOBUTSU_TEXT_MAX];
        check_outside(*state, row, row->text, false);
        turn_text(row->text, text);
        check_outside(*state, row, text, true);
    }
    otherwise = NOTHING;
}

// A win in 1 beside draws, moves of unknown value and losses: the counts of each, in this order.
TEST(test_unknown_moves)
{
    static const int expected[] = {CLTB_WIN, CLTB_DRAW, CLTB_DOBUTSU_UNKNOWN, CLTB_LOSS};
    int counts[4] = {0};
    int kind = 0;
    cltb_dobutsu_move moves[CLTB_DOBUTSU_MOVES_MAX];
    otherwise = DOBUTSU_DRAW;
    int count = cltb_dobutsu_moves(*state, "S/-L-/---/l--/gg-/CCEE", moves);
    otherwise = NOTHING;
    for (int i = 0; i < count; i++) {
        while (kind < 3 && moves[i].value.outcome != expected[kind])
            kind++;
        assert_int_equal(moves[i].value.outcome, expected[kind]);
        counts[kind]++;
    }
    // La1, Lc1; Lc2; drops; La2, Lb2
    assert_memory_equal(counts, ((int[]){2, 1, 2 * 8, 2}), sizeof counts);
    assert_int_equal(moves[3].value.byte, CLTB_DOBUTSU_NO_BYTE);
}

TEST(test_open_faults)
{
    cltb_dobutsu *table;
    FAILS(cltb_dobutsu_open(&table, "nowhere:tables", NULL), CLTB_E_MISSING,
          "no table dobutsu.cltb in 'nowhere:tables'");
    assert_null(table);
    assert_int_equal(cltb_dobutsu_open(&table, NULL, NULL), CLTB_E_USAGE);
    assert_int_equal(cltb_dobutsu_open(&table, ":", NULL), CLTB_E_USAGE);
    cltb_dobutsu_close(NULL);
}

TEST(test_faults)
{
    cltb_dobutsu_value value;
    cltb_dobutsu_move moves[CLTB_DOBUTSU_MOVES_MAX];
    static const char *const texts[] = {"", "nonsense", "S/gle/-c-/-C-/ELG", "S/g-e/-c-/-C-/ELG/-",
                                        "S/gle/-c-/-C-/ELG/C"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(cltb_dobutsu_probe(*state, texts[i], &value), CLTB_E_POSITION);
        assert_int_equal(cltb_dobutsu_moves(*state, texts[i], moves), CLTB_E_POSITION);
    }
    // The table's own faults come through.
    assert_int_equal(cltb_dobutsu_probe(*state, "S/---/l--/--L/---/CCGGEe", &value), CLTB_E_IO);
    assert_int_equal(cltb_dobutsu_moves(*state, "S/---/l--/--L/---/CCGGEe", moves), CLTB_E_IO);
    otherwise = DOBUTSU_INVALID;
    assert_int_equal(cltb_dobutsu_probe(*state, "S/---/l--/--L/---/CCGGEe", &value), CLTB_E_CORRUPT);
    otherwise = NOTHING;
}

TESTS(group_setup, group_teardown)
