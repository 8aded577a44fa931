// test_dobutsu_kernel.c - dobutsu's cells (kernels/dobutsu.h) against the rules, move by move
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "index/dobutsu_cells.h"
#include "index/dobutsu_frames.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = D_LIVE * D_LIONS };

static const struct dobutsu_tables *tables;
static lanes_t *plane; // [CELLS], at random
static uint64_t seed = 1;

static uint64_t number(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static bool bit(lanes_t lanes, uint32_t lane)
{
    return lanes[lane / 64] >> lane % 64 & 1;
}

static uint32_t code_of(uint32_t cell, uint32_t lane)
{
    return (tables->triple[cell / D_LIONS] * D_LIONS + cell % D_LIONS) * D_CODES + lane;
}

// The plane's bit of a code, whose men must not share a square.
static bool plane_bit(uint32_t code)
{
    const uint32_t triple = code / D_CODES / D_LIONS;
    assert_int_equal(tables->triple[tables->number[triple]], triple);
    return bit(plane[tables->number[triple] * D_LIONS + code / D_CODES % D_LIONS], code % D_CODES);
}

// The two codes of a pair in hand that belongs to both sides have one value.
static void put(uint32_t cell, lanes_t x)
{
    u8_t square[6];
    dobutsu_squares(tables, tables->triple[cell / D_LIONS], square);
    if (square[0] == D_HAND)
        x = (x & ~UINT64_C(0x4444444444444444)) | (x & UINT64_C(0x2222222222222222)) << 1;
    if (square[2] == D_HAND)
        x[2] = x[1];
    if (square[4] == D_HAND)
        x = (x & ~UINT64_C(0x0000ffff00000000)) | (x & UINT64_C(0x00000000ffff0000)) << 16;
    plane[cell] = x;
}

static int setup(void **state)
{
    (void)state;
    tables = dobutsu_tables();
    plane = aligned_alloc(64, CELLS * sizeof *plane);
    if (plane == NULL)
        return -1;
    for (uint32_t cell = 0; cell < CELLS; cell++)
        put(cell, (lanes_t){number(), number(), number(), number()});
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(plane);
    return 0;
}

// The lanes with a move to a set bit, by the rules; moves that win or have no code lead nowhere.
static bool rules_any(uint32_t code)
{
    struct dobutsu p;
    struct dobutsu after;
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    dobutsu_decode(code, &p);
    const int count = dobutsu_moves(&p, moves);
    for (int i = 0; i < count; i++) {
        uint32_t next;
        if (moves[i].wins)
            continue;
        dobutsu_make(&p, &moves[i], &after);
        if (dobutsu_encode(&after, &next) && plane_bit(next))
            return true;
    }
    return false;
}

// Some thousand cells, those of all lions and with hands of all sizes among them.
static uint32_t sample_cell(int i)
{
    if (i < 24 * 20)
        return (uint32_t)(i / 24 * (i % 2 + 1)) * D_LIONS + (uint32_t)i % D_LIONS;
    return (uint32_t)(number() % CELLS);
}

enum { SAMPLE = 10000 };

static void test_classes(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLE; i++) {
        const uint32_t cell = sample_cell(i);
        struct dobutsu_cell sets;
        dobutsu_cell(code_of(cell, 0) / D_CODES, &sets);
        for (uint32_t lane = 0; lane < D_CODES; lane++) {
            struct dobutsu p;
            const uint32_t code = code_of(cell, lane);
            dobutsu_decode(code, &p);
            const bool invalid = dobutsu_overlaps(&p) || dobutsu_rooster_in_hand(&p);
            const bool won = !invalid && (dobutsu_can_take_lion(&p) || dobutsu_can_ascend(&p));
            assert_int_equal(sets.invalid[lane / 64] >> lane % 64 & 1, invalid);
            assert_int_equal(sets.won[lane / 64] >> lane % 64 & 1, won);
            if (!invalid && !won)
                assert_int_equal(sets.kept[lane / 64] >> lane % 64 & 1, dobutsu_kept_code(code) == code);
        }
    }
}

static void test_dead_cells(void **state)
{
    (void)state;
    uint32_t dead = 0;
    for (uint32_t triple = 0; triple < D_TRIPLES; triple += 7) {
        struct dobutsu p;
        const uint32_t cell = triple * D_LIONS + triple % D_LIONS;
        dobutsu_decode(cell * D_CODES, &p);
        const bool live = tables->triple[tables->number[triple]] == triple;
        assert_int_equal(live, !dobutsu_overlaps(&p));
        dead += !live;
    }
    assert_true(dead > 10000);
}

// Every lane that is valid and not won at once, with a plane at random, sparse and dense.
static void check_moves(uint32_t cell, lanes_t open)
{
    u8_t square[6];
    dobutsu_squares(tables, tables->triple[cell / D_LIONS], square);
    const struct dobutsu_frame *frame = &tables->frame[cell % D_LIONS];
    open &= ~(dobutsu_invalid(square) | dobutsu_won(frame, square));
    const lanes_t any = dobutsu_any_move(plane, NULL, tables, frame, square, open);
    for (uint32_t lane = 0; lane < D_CODES; lane++) {
        const bool expected = bit(open, lane) && rules_any(code_of(cell, lane));
        if (bit(any, lane) != expected)
            fail_msg("code %u: %d", code_of(cell, lane), !expected);
    }
}

static void test_moves(void **state)
{
    (void)state;
    const lanes_t all = ~(lanes_t){0, 0, 0, 0};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < SAMPLE; i++) {
            check_moves(sample_cell(i), all);
            check_moves(sample_cell(i), (lanes_t){number(), number(), number(), number()});
        }
        for (uint32_t cell = 0; cell < CELLS; cell++) // one bit in 32: most lanes have no such move
            put(cell, (lanes_t){number() & number() & number() & number() & number(), 0, number() & number() & number(),
                                number() & number() & number() & number()});
    }
}

// Only flagged cells count.
static void test_fresh(void **state)
{
    (void)state;
    u8_t *fresh = calloc(1, CELLS);
    assert_non_null(fresh);
    for (uint32_t cell = 0; cell < CELLS; cell++)
        fresh[cell] = number() % 3 == 0;
    lanes_t *kept = plane;
    plane = aligned_alloc(64, CELLS * sizeof *plane);
    assert_non_null(plane);
    for (uint32_t cell = 0; cell < CELLS; cell++)
        plane[cell] = fresh[cell] ? kept[cell] : (lanes_t){0, 0, 0, 0};
    for (int i = 0; i < SAMPLE; i++) {
        const uint32_t cell = sample_cell(i);
        const lanes_t all = ~(lanes_t){0, 0, 0, 0};
        const struct dobutsu_frame *frame = &tables->frame[cell % D_LIONS];
        u8_t square[6];
        dobutsu_squares(tables, tables->triple[cell / D_LIONS], square);
        const lanes_t filtered = dobutsu_any_move(kept, fresh, tables, frame, square, all);
        const lanes_t masked = dobutsu_any_move(plane, NULL, tables, frame, square, all);
        assert_memory_equal(&filtered, &masked, sizeof filtered);
    }
    free(plane);
    plane = kept;
    free(fresh);
}

// A cell to which a move leads marks the cell that the move starts from.
static void test_marks(void **state)
{
    (void)state;
    u8_t *marks = calloc(1, CELLS);
    assert_non_null(marks);
    for (int i = 0; i < SAMPLE; i++) {
        const uint32_t cell = sample_cell(i);
        struct dobutsu p;
        struct dobutsu after;
        struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
        dobutsu_decode(code_of(cell, (uint32_t)(number() % D_CODES)), &p);
        const int count = dobutsu_moves(&p, moves);
        for (int m = 0; m < count; m++) {
            uint32_t next;
            u8_t square[6];
            if (moves[m].captured == DOBUTSU_MAN_LION)
                continue;
            dobutsu_make(&p, &moves[m], &after);
            if (!dobutsu_encode(&after, &next))
                continue;
            const uint32_t triple = next / D_CODES / D_LIONS;
            dobutsu_squares(tables, triple, square);
            marks[cell] = 0;
            dobutsu_mark_before(marks, tables, &tables->frame[next / D_CODES % D_LIONS], square);
            assert_int_equal(marks[cell], 1);
        }
    }
    free(marks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_classes), cmocka_unit_test(test_dead_cells),
                                       cmocka_unit_test(test_moves), cmocka_unit_test(test_fresh),
                                       cmocka_unit_test(test_marks)};
    return cmocka_run_group_tests_name("dobutsu kernel", tests, setup, teardown);
}
