// test_memory.c - arrays that grow
#include "support/support.h"
#include "util/memory.h"

#include <stdlib.h>

static void test_grow(void **state)
{
    uint32_t *array = NULL;
    size_t room = 0;
    size_t moves = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        const size_t before = room;
        GOOD(memory_grow(&array, &room, i + 1, sizeof *array, "numbers"));
        assert_true(room > i && (room == before || room >= 2 * before));
        moves += room != before;
        array[i] = i;
    }
    assert_true(moves < 20);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(array[i], i);
    // More than twice as much at once, and nothing for what fits.
    const size_t much = 5 * room;
    GOOD(memory_grow(&array, &room, much, sizeof *array, "numbers"));
    assert_int_equal(room, much);
    GOOD(memory_grow(&array, &room, 1, sizeof *array, "numbers"));
    assert_int_equal(room, much);
    // A failure changes nothing.
    const uint32_t *const same = array;
    FAILS(memory_grow(&array, &room, SIZE_MAX / 2, sizeof *array, "numbers"), CLTB_E_MEMORY, "numbers");
    assert_ptr_equal(array, same);
    assert_int_equal(room, much);
    assert_int_equal(array[99999], 99999);
    free(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
