// test_structure_file.c - files of structures: every position against tables; damage and wrong values are noticed
#include "structures/support_verdict.h"
#include "support/compare_tables.h"
#include "support/corrupt.h"

#include "chess/move.h"
#include "structures/check/verify.h"

static cltb_tables *tables;

static int setup(void **state)
{
    folder_make(state);
    make_table("KPvK", false);
    GOOD(cltb_open(&tables, tables_folder, NULL));
    return pool_setup(state);
}

static int teardown(void **state)
{
    cltb_close(tables);
    folder_remove(state);
    return pool_teardown(state);
}

// ---- right values ----

struct compared {
    struct structure_values values;
    uint64_t positions[2]; // by worker
    struct placed_set set;
    uint64_t first[2]; // identical pieces in one order
};

static int compare(void *context, const struct placed_entry *at)
{
    struct compared *compared = context;
    cltb_position position;
    struct cltb_value wanted;
    struct cltb_value value;
    char fen[FEN_MAX];
    compared->positions[at->worker]++;
    compared->first[at->worker] += compared->set.weight(compared->set.context, at);
    if (at->section % 2 != compared->positions[at->worker] % 2) // half of them
        return 0;
    fen_write(at->position, fen);
    TRY(cltb_position_from_fen(&position, fen));
    TRY(cltb_probe(tables, &position, &wanted));
    TRY(structure_value(&compared->values, WHITE, at->position, &value));
    return value.outcome == wanted.outcome && value.dtz == wanted.dtz
               ? 0
               : error_set(CLTB_E_MISMATCH, "%s: %s %d, in the table %s %d", fen, cltb_outcome_name(value.outcome),
                           value.dtz, cltb_outcome_name(wanted.outcome), wanted.dtz);
}

TEST(test_against_tables)
{
    struct structure_file *file = file_of("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", 12, ".", 2);
    struct compared compared = {.values = structure_file_values(file), .set = structure_set(file)};
    const struct placed_verify_options options = {sanitized() ? 20000 : 0, 1, test_pool};
    struct outcome_counts *counts = calloc(1, sizeof *counts);
    uint64_t positions;
    uint64_t counted = 0;
    assert_non_null(counts);
    assert_false(compared.values.bounded);
    GOOD(placed_each(&compared.set, test_pool, compare, &compared));
    GOOD(structure_verify(file, &options, &positions));
    if (!sanitized())
        assert_int_equal(positions, compared.positions[0] + compared.positions[1]);
    GOOD(structure_count(counts, file, test_pool));
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES * (TABLE_PLY_MAX + 1); i++)
        counted += (&counts->count[0][0][0])[i];
    assert_int_equal(counted, compared.first[0] + compared.first[1]);
    assert_int_equal(counts->undecided[WHITE] + counts->undecided[BLACK], 0);
    assert_int_equal(counts->longest[WHITE][4].plies, 31); // of KRvK
    free(counts);
    structure_file_close(file);
}

// Bounds are verified, too, and counted as what they are.
TEST(test_bounds)
{
    struct structure_file *file = file_of("8/8/2k5/p7/P6P/2K5/8/8 w - - 0 1", 0, ".", 2);
    const struct placed_verify_options options = {sanitized() ? 20000 : 0, 1, test_pool};
    struct outcome_counts *counts = calloc(1, sizeof *counts);
    uint64_t positions;
    assert_non_null(counts);
    assert_true(structure_file_values(file).bounded);
    GOOD(structure_verify(file, &options, &positions));
    assert_true(positions > 10000);
    GOOD(structure_count(counts, file, test_pool));
    assert_true(counts->undecided[WHITE] > 0 && counts->undecided[BLACK] > 0);
    free(counts);
    structure_file_close(file);
}

// A file knows of no right to take en passant: the capture is looked up.
TEST(test_en_passant)
{
    struct structure_file *file = file_of("8/8/8/8/1p6/8/P7/1K5k w - - 0 1", 0, tables_folder, 3);
    const struct structure_values values = structure_file_values(file);
    struct structure_answer *answer = calloc(1, sizeof *answer);
    assert_non_null(answer);
    answer->position = position_named("8/8/8/8/Pp6/8/8/1K5k b - a3 0 1");
    GOOD(structure_answer_find(answer, &values));
    assert_true(verdict_certain(&answer->value, true));
    assert_int_equal(answer->value.low.outcome, CLTB_DRAW);
    assert_true(move_is_en_passant(answer->move[0].move));
    answer->position = position_named("8/8/8/8/Pp6/8/8/1K5k b - - 0 1");
    GOOD(structure_answer_find(answer, &values));
    assert_int_equal(answer->value.high.outcome, CLTB_LOSS);
    assert_false(structure_file_has(file, &(struct position){.board = {0}}));
    free(answer);
    structure_file_close(file);
}

// ---- wrong files ----

static int check(const char *path)
{
    struct structure_file *file;
    const struct placed_verify_options options = {0, 1, test_pool};
    uint64_t positions;
    TRY(structure_file_open(&file, path, tables_folder, 1 << 20));
    const int code = structure_verify(file, &options, &positions);
    structure_file_close(file);
    return code == CLTB_E_MISMATCH ? error_prefix(code, "%s", path) : code;
}

// One structure, a ram; tables have what it leads to.
static void make_ram(void)
{
    structure_file_close(file_of("8/8/2k5/p7/P7/2K5/8/8 w - - 0 1", 0, tables_folder, 3));
}

TEST(test_damage)
{
    make_ram();
    damage_is_noticed(tmp_path("structures.cltb"), sanitized() ? 97 : 11, check);
}

TEST(test_corruptions)
{
    static const struct corruption cases[] = {
        {.key = "effort", .accepted = true, .line = "comment made by a test\neffort 0"},
        {.key = "game", .line = "game dobutsu", .code = CLTB_E_FOREIGN},
        {.key = "structures", .line = "structures 2", .code = CLTB_E_FOREIGN, .saying = "another version"},
        {.key = "structures", .code = CLTB_E_FOREIGN},
        {.key = "metric", .line = "metric dtm"},
        {.key = "fen", .saying = "what it comes of"},
        {.key = "fen", .line = "fen 8/8/2k5/p7/8/P1K5/8/8 w - - 0 1", .saying = "is not in it"},
        {.key = "effort", .saying = "what is bounded"},
        {.key = "bounded", .line = "bounded many"},
        {.key = "tables", .saying = "which tables"},
        // What no table has is bounded: values that are right no longer follow.
        {.key = "tables", .line = "tables -", .code = CLTB_E_MISMATCH},
        {.key = "tables", .line = "tables KQvK", .code = CLTB_E_MISMATCH},
        {.drop = "structures", .saying = "no list"},
        {.drop = "pieces-2", .saying = "a stream is missing"},
        {.stream = "pieces-2", .symbol_bytes = 1},
        {.stream = "pieces-2", .more_symbols = 1},
        {.stream = "pieces-2", .more_sections = 1},
        {.stream = "structures", .symbol = 24, .add = 1}, // twice, but has no second run
        {.stream = "structures", .symbol = 24, .add = 2, .saying = "neither once nor twice"},
        {.stream = "structures", .symbol = 0, .add = 1, .saying = "pawns where none can be"},
        {.stream = "structures", .symbol = 3, .add = 1}, // another pawn
        {.stream = "structures", .symbol = 16, .add = 1},
        {.stream = "structures", .symbol = 16, .add = 9, .saying = "too many pieces"},
        // King d1, king b3, White to move: one value changed by two plies, made a win, made what is none.
        {.stream = "pieces-2", .symbol = 3 * 64 + 17, .add = 4, .code = CLTB_E_MISMATCH},
        {.stream = "pieces-2", .fill = true, .symbol = 0, .code = CLTB_E_MISMATCH},
        {.stream = "pieces-2", .fill = true, .symbol = 1, .saying = "out of range"},
        {.stream = "pieces-2", .fill = true, .symbol = 5000, .saying = "out of range"},
    };
    make_ram();
    corruptions_are_refused(tmp_path("structures.cltb"), cases, sizeof cases / sizeof cases[0], check);
}

// A new queen is bounded while the other pawn is left; when the king takes that, KQvKP is reached, a table to which no
// structure leads. Files of older programs do not name it.
TEST(test_captures)
{
    static const struct corruption cases[] = {
        {.key = "captures", .code = CLTB_E_FOREIGN, .saying = "is of an older cltb"},
        {.key = "captures", .line = "captures -", .code = CLTB_E_MISMATCH},
    };
    make_table("KPvKP", false);
    structure_file_close(file_of("K7/1P6/8/8/4k3/4P3/5p2/8 w - - 0 1", 0, tables_folder, 4));
    corruptions_are_refused(tmp_path("structures.cltb"), cases, sizeof cases / sizeof cases[0], check);
}

TESTS(setup, teardown)
