// test_memory.c - arrays that grow, and arrays that are reused
#include "support/support.h"
#include "util/memory.h"

#include <stdlib.h>

TEST(test_grow)
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

// A pool that is full keeps the arrays that were given back last.
TEST(test_pool_full)
{
    enum { LARGE = 128 << 20, SMALL = 1 << 20, ARRAYS = 8 };
    struct memory_pool *pool = memory_pool_open();
    void *array[ARRAYS + 1];
    bool zeroed;
    assert_non_null(pool);
    for (int i = 0; i <= ARRAYS; i++) {
        array[i] = memory_take(pool, i < ARRAYS ? LARGE : SMALL, &zeroed);
        assert_non_null(array[i]);
        assert_true(zeroed);
    }
    for (int i = 0; i <= ARRAYS; i++)
        memory_give(pool, array[i], i < ARRAYS ? LARGE : SMALL);
    assert_ptr_equal(memory_take(pool, SMALL, &zeroed), array[ARRAYS]);
    assert_false(zeroed);
    for (int i = ARRAYS - 1; i > 0; i--)
        assert_ptr_equal(memory_take(pool, LARGE, NULL), array[i]);
    memory_give(pool, memory_take(pool, LARGE, &zeroed), LARGE);
    assert_true(zeroed);
    for (int i = 1; i <= ARRAYS; i++)
        memory_give(pool, array[i], i < ARRAYS ? LARGE : SMALL);
    memory_pool_close(pool);
}

// What is in use stays; of the rest, what was given back first goes first.
TEST(test_pool_shrink)
{
    enum { LARGE = 1 << 20 };
    struct memory_pool *pool = memory_pool_open();
    void *array[4];
    bool zeroed;
    assert_non_null(pool);
    for (int i = 0; i < 4; i++)
        array[i] = memory_take(pool, LARGE, NULL);
    for (int i = 0; i < 3; i++)
        memory_give(pool, array[i], LARGE);
    memory_pool_shrink(pool, 3 * LARGE);
    for (int i = 2; i > 0; i--) {
        assert_ptr_equal(memory_take(pool, LARGE, &zeroed), array[i]);
        assert_false(zeroed);
    }
    for (int i = 1; i < 3; i++)
        memory_give(pool, array[i], LARGE);
    memory_pool_shrink(pool, 0);
    memory_give(pool, memory_take(pool, LARGE, &zeroed), LARGE);
    assert_true(zeroed);
    memory_give(pool, array[3], LARGE);
    memory_pool_close(pool);
}

TESTS(NULL, NULL)
