// test_dobutsu_reachable.c - positions reachable in a few plies, against the reference counts
#include "dobutsu/cells.h"
#include "dobutsu/check/reachable.h"
#include "dobutsu/check/stats.h"
#include "util/threads.h"

#include "support/support.h"

enum { PLIES = 10, VALUE_PLIES = 7 };

// Both rules, with one thread and with three.
static void test_plies(void **state)
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

// ---- values ----

// What the codes themselves say; a draw where they say nothing.
static int give_classes(void *context, uint32_t first, uint32_t cells, uint8_t *values)
{
    for (uint32_t i = 0; i < cells; i++, values += DOBUTSU_CELL_CODES) {
        struct dobutsu_cell cell;
        dobutsu_cell(first + i, &cell);
        for (uint32_t op = 0; op < DOBUTSU_CELL_CODES; op++)
            values[op] = dobutsu_has(cell.invalid, op) ? DOBUTSU_INVALID : dobutsu_has(cell.won, op) ? 0 : DOBUTSU_DRAW;
    }
    return 0;
}

static int give_constant(void *context, uint32_t first, uint32_t cells, uint8_t *values)
{
    memset(values, *(const int *)context, (size_t)cells * DOBUTSU_CELL_CODES);
    return 0;
}

static int give_fault(void *context, uint32_t first, uint32_t cells, uint8_t *values)
{
    return error_set(CLTB_E_IO, "no disk");
}

static void test_values(void **state)
{
    struct dobutsu_reachable stop;
    struct dobutsu_reachable reachable;
    struct dobutsu_reachable_options options = {.plies = VALUE_PLIES, .source = give_classes, .pool = test_pool};
    GOOD(dobutsu_reachable_count(&reachable, &options));
    assert_true(reachable.value[0] > 0);
    assert_int_equal(reachable.value[0] + reachable.value[DOBUTSU_DRAW], reachable.all.open);
    const struct dobutsu_results results = dobutsu_reachable_results(&reachable);
    const struct dobutsu_results right = {.won = reachable.all.catch + reachable.value[0],
                                          .lost = reachable.all.try_lost,
                                          .drawn = reachable.value[DOBUTSU_DRAW]};
    assert_memory_equal(&results, &right, sizeof right);
    options.stop = true;
    GOOD(dobutsu_reachable_count(&stop, &options));
    assert_int_equal(stop.value[0], 0);
    assert_int_equal(stop.value[DOBUTSU_DRAW], stop.all.open);
    assert_true(stop.all.can_ascend > 0);
}

// Values that do not go with the rules, and a source that fails.
static void test_wrong_values(void **state)
{
    static const int constants[] = {0, DOBUTSU_DRAW, DOBUTSU_INVALID, 77};
    struct dobutsu_reachable reachable;
    struct dobutsu_reachable_options options = {.plies = 3, .source = give_fault, .pool = test_pool};
    assert_int_equal(dobutsu_reachable_count(&reachable, &options), CLTB_E_IO);
    options.source = give_constant;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        options.context = (void *)&constants[i];
        assert_int_equal(dobutsu_reachable_count(&reachable, &options), CLTB_E_MISMATCH);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plies), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_wrong_values)};
    return cmocka_run_group_tests(tests, pool_setup, pool_teardown);
}
