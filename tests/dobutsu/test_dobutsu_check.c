// test_dobutsu_check.c - what the byte of a code must be: the reference positions, and each of their values altered;
// the positions that can be reached in a few plies, against the reference counts
#include "dobutsu/cells.h"
#include "dobutsu/check/reachable.h"
#include "dobutsu/check/stats.h"
#include "dobutsu/check/verify.h"
#include "util/memory.h"
#include "util/threads.h"

#include "support/dobutsu_golden.h"

#include <unistd.h>

// A line of the file, and its moves.
struct row {
    uint32_t code;
    int result;
    int count; // -1: not listed
    struct golden_move move[DOBUTSU_MOVES_MAX];
    int missed; // look-ups of codes that are not listed
};

// Does a move have a value that can be altered, because the position after it has a code?
static bool has_value(const struct row *row, int move)
{
    return row->move[move].has_code && !row->move[move].wins;
}

static int listed_value(void *context, uint32_t code, uint8_t *value)
{
    struct row *row = context;
    *value = DOBUTSU_INVALID;
    for (int i = 0; i < row->count; i++) {
        if (!has_value(row, i) || row->move[i].code != dobutsu_canonical(code))
            continue;
        *value = (uint8_t)row->move[i].byte;
        return 0;
    }
    row->missed++;
    return 0;
}

static int right_value(struct row *row)
{
    int right;
    GOOD(dobutsu_verify_code(row->code, listed_value, row, &right));
    assert_int_equal(row->missed, 0);
    return right;
}

// Alters the value after each move in turn and checks the result. False if there is no such move.
static bool check_altered(struct row *row, int altered, int right)
{
    bool any = false;
    for (int i = 0; i < row->count; i++) {
        const int byte = row->move[i].byte;
        if (!has_value(row, i))
            continue;
        row->move[i].byte = altered;
        assert_int_equal(right_value(row), right);
        row->move[i].byte = byte;
        any = true;
    }
    return any;
}

// Makes the best moves of a win worse, one after another: in the end the position has another value.
static void check_best_altered(struct row *row)
{
    for (int i = 0; i < row->count; i++) {
        if (!has_value(row, i) || row->move[i].byte != row->result - 1)
            continue;
        row->move[i].byte = row->result + 1;
        const int worse = right_value(row);
        assert_true(worse == row->result || worse == row->result + 2);
        row->move[i].byte = 0;
    }
    assert_int_not_equal(right_value(row), row->result);
}

// The values listed, and each of them altered.
TEST(test_derived)
{
    struct golden g;
    struct row row = {0};
    int listed = 0;
    int altered = 0;
    golden_open(&g, "dobutsu-positions.tsv");
    while (golden_next(&g)) {
        row.code = golden_number(&g, GOLDEN_CODE);
        row.result = (int)golden_number(&g, GOLDEN_BYTE);
        row.count = golden_moves(&g, row.move);
        const bool searched = row.result != 0 && row.result != DOBUTSU_INVALID;
        if (searched && row.count < 0)
            continue;
        assert_int_equal(right_value(&row), row.result);
        listed += row.count >= 0;
        if (!searched || !check_altered(&row, 1, 2))
            continue;
        const bool loss = row.result % 2 == 1;
        check_altered(&row, DOBUTSU_INVALID, DOBUTSU_NONE_RIGHT);
        if (loss) {
            check_altered(&row, DOBUTSU_DRAW, DOBUTSU_DRAW);
            check_altered(&row, 171, 172);
            check_altered(&row, 252, 253);
        }
        if (loss || row.result == DOBUTSU_DRAW)
            check_altered(&row, 253, DOBUTSU_NONE_RIGHT); // 254 would stand for a draw
        else
            check_best_altered(&row);
        altered++;
    }
    assert_int_equal(listed, 300);
    assert_true(altered > 200);
}

static int verify_raw(const char *path, uint64_t sample, struct dobutsu_verify_result *result)
{
    struct dobutsu_table *table;
    TRY(dobutsu_table_find(&table, path, ".", 0));
    const struct dobutsu_verify_options options = {.sample = sample, .seed = 7, .pool = test_pool};
    const int code = dobutsu_verify(table, &options, result);
    dobutsu_table_close(table);
    return code;
}

// A file of holes: all bytes are 0, which is right for few codes.
TEST(test_raw)
{
    struct dobutsu_verify_result result;
    write_file("zero.raw", "", 0);
    FAILS(verify_raw("zero.raw", 10, &result), CLTB_E_CORRUPT, "1078984704");
    assert_int_equal(truncate("zero.raw", (off_t)DOBUTSU_CODES - 1), 0);
    assert_int_equal(verify_raw("zero.raw", 10, &result), CLTB_E_CORRUPT);
    assert_int_equal(truncate("zero.raw", (off_t)DOBUTSU_CODES), 0);
    // So few wrong ones that all are collected: which one is shown does not depend on the threads.
    assert_int_equal(verify_raw("zero.raw", 800, &result), CLTB_E_MISMATCH);
    assert_non_null(strstr(error_text(), "the value stored is 0, a win in 0; the right one is "));
    assert_int_equal(unlink("zero.raw"), 0);
    assert_int_equal(verify_raw("zero.raw", 10, &result), CLTB_E_MISSING);
}

TEST(test_names)
{
    struct dobutsu_table *table;
    static const struct {
        const char *name;
        bool named;
    } names[] = {{"dobutsu", true}, {"DOBUTSU", true},      {"x/y.raw", true},
                 {".raw", false},   {"dobutsu.cltb", true}, {"x/dobutsu.cltb", true},
                 {"x.cltb", false}, {"KQvK", false},        {"", false}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(dobutsu_table_named(names[i].name), names[i].named);
    FAILS(dobutsu_table_find(&table, "dobutsu", ":nowhere::", 0), CLTB_E_MISSING,
          "no table dobutsu.cltb in ':nowhere::'");
    assert_int_not_equal(dobutsu_table_find(&table, "/dev/null/x.raw", ".", 0), 0);
}

enum { PLIES = 10, VALUE_PLIES = 7 };

// Both rules, with one thread and with three.
TEST(test_plies)
{
    struct bytes reference = read_file(data_path("dobutsu/dobutsu-reachable.tsv"));
    reference.data[reference.size] = '\0';
    for (int stop = 0; stop < 2; stop++) {
        struct dobutsu_reachable reachable;
        struct dobutsu_reachable_options options = {.stop = stop, .plies = PLIES};
        char line[256];
        int lines = 0;
        GOOD(threads_open(&options.pool, stop ? 3 : 1));
        GOOD(dobutsu_reachable_count(&reachable, &options));
        threads_close(options.pool);
        FILE *file = tmpfile();
        assert_non_null(file);
        dobutsu_reachable_write_plies(&reachable, file);
        rewind(file);
        for (; fgets(line, sizeof line, file) != NULL; lines++)
            if (strstr((const char *)reference.data, line) == NULL)
                fail_msg("no such line in the reference: %s", line);
        fclose(file);
        assert_int_equal(lines, 1 + PLIES + 1);
        assert_int_equal(reachable.plies, PLIES + 1);
    }
    free(reference.data);
}

// What the codes themselves say, and a draw where they say nothing.
static int give_classes(void *context, uint64_t bucket, int worker)
{
    uint8_t *values = (uint8_t *)context + bucket * DOBUTSU_BUCKET_CODES;
    for (uint32_t i = 0; i < DOBUTSU_BUCKET_CELLS; i++, values += DOBUTSU_CELL_CODES) {
        struct dobutsu_cell cell;
        dobutsu_cell((uint32_t)bucket * DOBUTSU_BUCKET_CELLS + i, &cell);
        for (uint32_t op = 0; op < DOBUTSU_CELL_CODES; op++)
            values[op] = dobutsu_has(cell.invalid, op) ? DOBUTSU_INVALID : dobutsu_has(cell.won, op) ? 0 : DOBUTSU_DRAW;
    }
    return 0;
}

TEST(test_values)
{
    struct dobutsu_reachable stop;
    struct dobutsu_reachable reachable;
    uint8_t *values = memory_map(DOBUTSU_CODES);
    struct dobutsu_reachable_options options = {.plies = VALUE_PLIES, .values = values, .pool = test_pool};
    GOOD(threads_each(test_pool, DOBUTSU_BUCKETS, give_classes, values));
    GOOD(dobutsu_reachable_count(&reachable, &options));
    assert_true(reachable.value[0] > 0);
    assert_int_equal(reachable.value[0] + reachable.value[DOBUTSU_DRAW], reachable.all[DOBUTSU_OPEN]);
    const struct dobutsu_results results = dobutsu_reachable_results(&reachable);
    const struct dobutsu_results right = {.won = reachable.all[DOBUTSU_CATCH] + reachable.value[0],
                                          .lost = reachable.all[DOBUTSU_TRY],
                                          .drawn = reachable.value[DOBUTSU_DRAW]};
    assert_memory_equal(&results, &right, sizeof right);
    options.stop = true;
    GOOD(dobutsu_reachable_count(&stop, &options));
    assert_int_equal(stop.value[0], 0);
    assert_int_equal(stop.value[DOBUTSU_DRAW], stop.all[DOBUTSU_OPEN]);
    assert_true(stop.all[DOBUTSU_CAN_ASCEND] > 0);
    memory_unmap(values, DOBUTSU_CODES);
}

// Values that contradict the rules.
TEST(test_wrong_values)
{
    static const int constants[] = {0, DOBUTSU_DRAW, DOBUTSU_INVALID, 77};
    struct dobutsu_reachable reachable;
    uint8_t *values = memory_map(DOBUTSU_CODES);
    const struct dobutsu_reachable_options options = {.plies = 3, .values = values, .pool = test_pool};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        memset(values, constants[i], DOBUTSU_CODES);
        assert_int_equal(dobutsu_reachable_count(&reachable, &options), CLTB_E_MISMATCH);
    }
    memory_unmap(values, DOBUTSU_CODES);
}

TESTS(pool_setup, pool_teardown)
