// test_dobutsu_verify.c - what the byte of a code must be: the reference positions, and each of their values altered
#include "dobutsu/check/verify.h"
#include "util/error.h"
#include "util/threads.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { LINE_MAX_BYTES = 4096, COLUMNS = 8 };
enum { CODE, CANONICAL, TAG, POSITION, STRUCTURE, RESULT, CLASS, MOVES };

// A line of the file, and its moves with codes.
struct row {
    char *column[COLUMNS];
    char text[LINE_MAX_BYTES];
    uint32_t code;
    int result;
    bool listed; // has moves, or none
    int count;
    uint32_t after[DOBUTSU_MOVES_MAX]; // canonical codes
    uint8_t value[DOBUTSU_MOVES_MAX];
    int missed; // look-ups of codes that are not listed
};

// ---- reading ----

static void read_moves(struct row *row)
{
    char *rest = NULL;
    row->listed = strcmp(row->column[MOVES], "-") != 0;
    row->count = 0;
    row->missed = 0;
    for (char *word = strtok_r(row->column[MOVES], " \n", &rest); word != NULL; word = strtok_r(NULL, " \n", &rest)) {
        unsigned value;
        unsigned code;
        const char *colon = strchr(word, ':');
        if (colon == NULL || sscanf(colon, ":%u:%u", &value, &code) != 2)
            continue; // "none", a winning move, or a position without a code
        assert_true(row->count < DOBUTSU_MOVES_MAX);
        row->value[row->count] = (uint8_t)value;
        row->after[row->count++] = code;
    }
}

static bool read_row(FILE *file, struct row *row)
{
    if (fgets(row->text, sizeof row->text, file) == NULL)
        return false;
    char *rest = row->text;
    row->text[strcspn(row->text, "\n")] = '\0';
    for (int i = 0; i < COLUMNS; i++)
        assert_non_null(row->column[i] = strsep(&rest, "\t"));
    row->code = (uint32_t)strtoul(row->column[CODE], NULL, 10);
    row->result = (int)strtol(row->column[RESULT], NULL, 10);
    read_moves(row);
    return true;
}

// Calls `each` for all positions; returns for how many it was true.
static int each_row(bool (*each)(struct row *row))
{
    char path[PATH_MAX];
    char header[LINE_MAX_BYTES];
    struct row row;
    int count = 0;
    snprintf(path, sizeof path, "%s/dobutsu/dobutsu-positions.tsv", getenv("CLTB_TEST_DATA"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(header, sizeof header, file));
    while (read_row(file, &row))
        count += each(&row);
    fclose(file);
    return count;
}

// ---- deriving ----

static int listed_value(void *context, uint32_t code, uint8_t *value)
{
    struct row *row = context;
    *value = DOBUTSU_INVALID;
    for (int i = 0; i < row->count; i++) {
        if (row->after[i] != dobutsu_canonical(code))
            continue;
        *value = row->value[i];
        return 0;
    }
    row->missed++;
    return 0;
}

static int right_value(struct row *row)
{
    int right;
    assert_int_equal(dobutsu_verify_code(row->code, listed_value, row, &right), 0);
    assert_int_equal(row->missed, 0);
    return right;
}

static bool is_searched(const struct row *row)
{
    return row->result != 0 && row->result != DOBUTSU_INVALID;
}

static bool check_listed(struct row *row)
{
    if (!row->listed && is_searched(row))
        return false;
    assert_int_equal(right_value(row), row->result);
    return row->listed;
}

static void test_right(void **state)
{
    (void)state;
    assert_int_equal(each_row(check_listed), 300);
}

// With the value after each move in turn set to `altered`.
static void check_altered(struct row *row, uint8_t altered, int right)
{
    for (int i = 0; i < row->count; i++) {
        const uint8_t value = row->value[i];
        row->value[i] = altered;
        assert_int_equal(right_value(row), right);
        row->value[i] = value;
    }
}

// The only best one of a win made worse: the position becomes another one.
static void check_best_altered(struct row *row)
{
    for (int i = 0; i < row->count; i++) {
        if (row->value[i] != row->result - 1)
            continue;
        row->value[i] = (uint8_t)(row->result + 1);
        const int worse = right_value(row);
        assert_true(worse == row->result || worse == row->result + 2);
        row->value[i] = 0;
    }
    assert_int_not_equal(right_value(row), row->result);
}

static bool check_alterations(struct row *row)
{
    if (!row->listed || !is_searched(row) || row->count == 0)
        return false;
    const bool loss = row->result % 2 == 1;
    const bool draw = row->result == DOBUTSU_DRAW;
    check_altered(row, 1, 2);
    check_altered(row, DOBUTSU_INVALID, DOBUTSU_NONE_RIGHT);
    if (loss) {
        check_altered(row, DOBUTSU_DRAW, DOBUTSU_DRAW);
        check_altered(row, 171, 172);
        check_altered(row, 252, 253);
    }
    if (loss || draw)
        check_altered(row, 253, DOBUTSU_NONE_RIGHT); // 254 would stand for a draw
    else
        check_best_altered(row);
    return true;
}

static void test_altered(void **state)
{
    (void)state;
    assert_true(each_row(check_alterations) > 200);
}

// ---- files ----

static int verify_raw(const char *path, uint64_t sample, struct dobutsu_verify_result *result)
{
    struct dobutsu_values *values;
    struct thread_pool *pool;
    const int opened = dobutsu_values_open(&values, path, ".");
    if (opened != 0)
        return opened;
    assert_int_equal(threads_open(&pool, 2), 0);
    const struct dobutsu_verify_options options = {.sample = sample, .seed = 7, .pool = pool};
    const int code = dobutsu_verify(values, &options, result);
    threads_close(pool);
    dobutsu_values_close(values);
    return code;
}

// A file of holes, so all bytes are 0: right for few codes.
static void test_raw(void **state)
{
    (void)state;
    struct dobutsu_verify_result result;
    FILE *file = fopen("zero.raw", "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(verify_raw("zero.raw", 10, &result), CLTB_E_CORRUPT);
    assert_non_null(strstr(error_text(), "1078984704"));
    assert_int_equal(truncate("zero.raw", (off_t)DOBUTSU_CODES - 1), 0);
    assert_int_equal(verify_raw("zero.raw", 10, &result), CLTB_E_CORRUPT);
    assert_int_equal(truncate("zero.raw", (off_t)DOBUTSU_CODES), 0);
    // Few enough wrong ones to be collected all: which is shown does not depend on the threads then.
    assert_int_equal(verify_raw("zero.raw", 800, &result), CLTB_E_MISMATCH);
    assert_non_null(strstr(result.fault, "the value stored is 0, a win in 0; the right one is "));
    assert_int_equal(unlink("zero.raw"), 0);
    assert_int_equal(verify_raw("zero.raw", 10, &result), CLTB_E_MISSING);
}

static void test_names(void **state)
{
    (void)state;
    struct dobutsu_values *values;
    assert_true(dobutsu_values_named("dobutsu"));
    assert_true(dobutsu_values_named("DOBUTSU"));
    assert_true(dobutsu_values_named("x/y.raw"));
    assert_false(dobutsu_values_named(".raw"));
    assert_false(dobutsu_values_named("dobutsu.cltb"));
    assert_false(dobutsu_values_named("KQvK"));
    assert_false(dobutsu_values_named(""));
    assert_int_equal(dobutsu_values_open(&values, "dobutsu", ":nowhere::"), CLTB_E_MISSING);
    assert_non_null(strstr(error_text(), "no table dobutsu.cltb in ':nowhere::'"));
    assert_int_not_equal(dobutsu_values_open(&values, "/dev/null/x.raw", "."), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right), cmocka_unit_test(test_altered),
                                       cmocka_unit_test(test_raw), cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
